import type { CotRecord } from '../../model/records.ts';
import { DEFAULT_RECEIVER_LIMITS, type ReceiverLimits } from '../config.ts';
import {
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
export function parseCot(value: unknown, limits: ReceiverLimits = DEFAULT_RECEIVER_LIMITS): CotRecord {
  const item = itemOf(value);
  return {
    kind: 'cot',
    requestId: requiredId(item, 'requestId', limits),
    time: requiredTime(item, 'timestamp'),
    text: optionalText(item, 'text', limits),
    tokens: optionalTexts(item, 'tokens', limits),
    final: optionalBoolean(item, 'final'),
    summary: optionalText(item, 'summary', limits),
    agent: optionalId(item, 'agent', limits),
    model: optionalId(item, 'model', limits),
    taskId:
      optionalId(item, 'taskId', limits) ??
      optionalId(item, 'taskID', limits) ??
      optionalId(item, 'task_id', limits),
    traceId: optionalTraceId(item, 'traceId'),
    spanId: optionalSpanId(item, 'spanId'),
    sequence: optionalNumber(item, 'sequence'),
  };
}
