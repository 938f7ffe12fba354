import type { CotRecord } from '../../model/records.ts';
import type { Bounds } from '../bounds.ts';
import {
  boundedId,
  itemOf,
  optionalBoolean,
  optionalId,
  optionalNumber,
  optionalSpanId,
  optionalText,
  optionalTexts,
  optionalTraceId,
  requiredId,
  requiredTime,
} from './event-fields.ts';

/**
 * One chain-of-thought entry: `{requestId, timestamp, text?, tokens?, final?, summary?, agent?, model?, taskId?,
 * traceId?, spanId?, sequence?}`; the other spellings of taskId are read too.
 * @throws BoundaryError INVALID_ARGUMENT, naming the field
 */
export function parseCot(value: unknown, bounds: Bounds): CotRecord {
  const item = itemOf(value);
  return {
    kind: 'cot',
    requestId: boundedId('requestId', requiredId(item, 'requestId', bounds)),
    time: requiredTime(item, 'timestamp'),
    text: optionalText(item, 'text', bounds),
    tokens: optionalTexts(item, 'tokens', bounds),
    final: optionalBoolean(item, 'final'),
    summary: optionalText(item, 'summary', bounds),
    agent: optionalId(item, 'agent', bounds),
    model: optionalId(item, 'model', bounds),
    taskId:
      optionalId(item, 'taskId', bounds) ??
      optionalId(item, 'taskID', bounds) ??
      optionalId(item, 'task_id', bounds),
    traceId: optionalTraceId(item, 'traceId'),
    spanId: optionalSpanId(item, 'spanId'),
    sequence: optionalNumber(item, 'sequence'),
  };
}
