import type { AttributeValue } from '../model/attributes.ts';
import { epochMs } from '../model/time.ts';
import type { SafeLog } from './log-convention.ts';

export interface LogSketch {
  readonly scope?: string;
  readonly event?: string;
  readonly body?: AttributeValue;
  readonly time?: number;
  readonly service?: string;
  /** Written in the context of a span. */
  readonly inSpan?: true;
}

export const LOG_TIME = 1_750_000_000_000;
export const LOG_TRACE = '0af7651916cd43dd8448eb211c80319c';
export const LOG_SPAN = 'b7ad6b7169203331';

/** A log record of given attributes for tests, as the receiver makes it: `event.name` names it where nothing else does. */
export function logOf(attributes: Record<string, AttributeValue>, sketch: LogSketch = {}): SafeLog {
  const named = attributes['event.name'];
  const log = {
    kind: 'log' as const,
    time: epochMs(sketch.time ?? LOG_TIME),
    severityNumber: 9,
    severityText: 'INFO',
    eventName: sketch.event ?? (typeof named === 'string' ? named : ''),
    body: sketch.body ?? null,
    attributes: new Map(Object.entries(attributes)),
    traceId: sketch.inSpan === true ? LOG_TRACE : undefined,
    spanId: sketch.inSpan === true ? LOG_SPAN : undefined,
    scope: { name: sketch.scope ?? '', version: '', attributes: new Map() },
    resource: { attributes: new Map(sketch.service === undefined ? [] : [['service.name', sketch.service]]) },
  };
  return log as unknown as SafeLog;
}
