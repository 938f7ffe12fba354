import type { CotText } from '../../src/model/facts.ts';
import type { Redacted, SafeRecord } from '../../src/model/pipeline.ts';
import type { AttributeValue } from '../../src/model/attributes.ts';
import type { EventRecord, SpanRecord } from '../../src/model/records.ts';
import { epochMs } from '../../src/model/time.ts';
import { makeSpan, safe } from './world.ts';

/** Records as unit tests write them: one trace, ids of one digit, times in milliseconds after a start. */

export const TRACE = 'a'.repeat(32);
const START = 1_750_000_000_000;

export function id(digit: number | string): string {
  return String(digit).repeat(16);
}

/** The id of the node of a span that belongs to no request. */
export function nodeId(digit: number | string, traceId = TRACE): string {
  return `${traceId}:${id(digit)}`;
}

export interface SpanWords {
  readonly parent?: number | string;
  readonly attrs?: { readonly [key: string]: AttributeValue };
  readonly at?: number;
  readonly ms?: number | 'running';
  readonly status?: SpanRecord['status'];
  readonly traceId?: string;
  readonly name?: string;
  readonly links?: readonly (number | string)[];
  /** A span of another trace that it links to, by the id of its node. */
  readonly linksTo?: string;
  readonly service?: string;
  readonly scope?: string;
}

export function span(digit: number | string, words: SpanWords = {}): SafeRecord {
  const { parent, attrs, at = 0, ms = 10, status = 'UNSET', traceId = TRACE, name = 'step' } = words;
  const start = epochMs(START + at);
  const service = words.service ?? 'svc';
  return safe(
    makeSpan({
      traceId,
      spanId: id(digit),
      parentSpanId: parent === undefined ? undefined : id(parent),
      name,
      start,
      end: ms === 'running' ? undefined : epochMs(start + ms),
      status,
      attrs: { ...attrs },
      links: linksOf(words, traceId),
      resource: { attributes: new Map([['service.name', service]]) },
      scope: { name: words.scope ?? 'test', version: '', attributes: new Map() },
    }),
  );
}

function linksOf({ links = [], linksTo }: SpanWords, traceId: string): SpanRecord['links'] {
  const [other, spanId] = linksTo?.split(':') ?? [];
  const here = links.map((to) => ({ traceId, spanId: id(to), attributes: new Map() }));
  return other === undefined || spanId === undefined
    ? here
    : [...here, { traceId: other, spanId, attributes: new Map() }];
}

export interface LogWords {
  readonly attrs?: { readonly [key: string]: AttributeValue };
  readonly at?: number;
  readonly scope?: string;
  /** The span in whose context it was written, in the trace of the other records. */
  readonly in?: number | string;
}

export function log(eventName: string, words: LogWords = {}): SafeRecord {
  const { attrs = {}, at = 0, scope = 'test' } = words;
  return safe({
    kind: 'log' as const,
    time: epochMs(START + at),
    severityNumber: 9,
    severityText: 'INFO',
    eventName,
    body: '',
    attributes: new Map(Object.entries(attrs)),
    traceId: words.in === undefined ? undefined : TRACE,
    spanId: words.in === undefined ? undefined : id(words.in),
    scope: { name: scope, version: '', attributes: new Map() },
    resource: { attributes: new Map() },
  });
}

export function cot(requestId: string, fields: Partial<CotText> = {}): SafeRecord {
  return safe({
    kind: 'cot' as const,
    requestId,
    part: 1,
    revision: 1,
    text: 'a thought',
    final: true,
    first: epochMs(START),
    last: epochMs(START + 1),
    ...fields,
  });
}

export function event(
  eventType: string,
  payload: EventRecord['payload'] = {},
  fields: Partial<EventRecord> = {},
): Redacted<EventRecord> {
  return safe({
    kind: 'event' as const,
    eventId: 'e1',
    eventType,
    component: undefined,
    time: epochMs(START + 5),
    payload,
    traceId: undefined,
    spanId: undefined,
    ...fields,
  });
}
