import type { CotRecord, EventRecord } from '../../model/records.ts';
import { DEFAULT_RECEIVER_LIMITS } from '../../receivers/config.ts';
import { decodeOtlp, type Encoding } from '../../receivers/otlp/decode.ts';

/** Names of attributes without one of which a log record is neither a thought nor an event, unless its own name or its body says so. */
const HINTS: ReadonlySet<string> = new Set([
  'requestId',
  'request_id',
  'request.id',
  'eventType',
  'event_type',
  'event.name',
]);

/** May a record with an attribute of this name be an entry of a thought, or an event? */
export function isHint(name: string): boolean {
  return HINTS.has(name);
}

/** May a record of this name, or with this text as its body, be one? */
export function isNameHint(name: string): boolean {
  return /^(?:cot|reasoning|chain_of_thought|llm\.cot|reflexion\.)/.test(name);
}

/**
 * What a cell will take a log record for: read by the receiver's own reader.
 * @param body a whole request with this one record
 */
export function readTold(encoding: Encoding, body: Buffer): CotRecord | EventRecord | undefined {
  const { records } = decodeOtlp('logs', encoding, body, DEFAULT_RECEIVER_LIMITS, 0);
  const [record] = records;
  return record?.kind === 'cot' || record?.kind === 'event' ? record : undefined;
}
