import { isObject, type JsonObject } from '../../base/json.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { AttributeValue } from '../../model/attributes.ts';
import { parseTime, type EpochMs } from '../../model/time.ts';
import { boundObject } from '../bounded-values.ts';
import type { Bounds } from '../bounds.ts';
import { MAX_ID_CHARS, TOO_LONG_ID } from '../config.ts';
import { derivedEventId } from '../event-id.ts';

/** A message of MEW, whichever version of the protocol wrote it. */
export interface Envelope {
  readonly id: string;
  /** As `reasoning/start`, whatever stands between its words. */
  readonly kind: string;
  readonly from: string | undefined;
  /** Who the message says that it is from, where the gateway knows that it is from another. */
  readonly claimedFrom: string | undefined;
  readonly to: readonly string[];
  readonly time: EpochMs | undefined;
  readonly correlation: readonly string[];
  /** Segments of the path, from the root down; empty for a message in no context. */
  readonly context: readonly string[];
  readonly payload: { readonly [key: string]: AttributeValue };
}

/** More is a loop or an attack. */
const MAX_DEPTH = 32;
/** Ids that one message answers or refers to; a node names twice as many at most. */
const MAX_REFERENCES = 16;

/** @throws BoundaryError INVALID_ARGUMENT naming the field */
export function readEnvelope(value: JsonObject, bounds: Bounds): Envelope {
  const kind = textIn(value, 'kind')?.replaceAll('.', '/');
  if (kind === undefined) throw wrong('kind', 'required, a string that is not empty');
  const context = contextOf(value['context']);
  const payload = isObject(value['payload']) ? boundObject(value['payload'], bounds) : {};
  const from = textIn(value, 'from');
  const time = parseTime(value['ts'] ?? value['timestamp']);
  const correlation = idsOf(value['correlation_id'] ?? value['correlationId'], 'correlation_id');
  const id = textIn(value, 'id') ?? derivedEventId(kind, from, time ?? 0, { payload, context, correlation });
  return {
    id,
    kind,
    from,
    claimedFrom: undefined,
    to: idsOf(value['to'], 'to'),
    time,
    correlation,
    context,
    payload,
  };
}

/** What it answers, and what else it names as its ground. */
export function referencesOf({ id, correlation, payload }: Envelope): readonly string[] {
  const all = new Set([...correlation, ...idsOf(payload['references'], 'payload.references')]);
  all.delete(id);
  return [...all].slice(0, MAX_REFERENCES);
}

/** `push`, `pop` and `resume`, as they were before there were paths, say nothing of where a message stands. */
function contextOf(context: unknown): readonly string[] {
  if (typeof context !== 'string') return [];
  const segments = context.split('/').filter((segment) => segment !== '');
  if (segments.length > MAX_DEPTH) throw wrong('context', `has more than ${MAX_DEPTH} parts`);
  return segments.map((segment) => checked('context', segment));
}

/** A list, or one by itself; what is no id is passed over. */
function idsOf(value: unknown, field: string): readonly string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items
    .slice(0, MAX_REFERENCES)
    .filter((item) => typeof item === 'string' && item !== '')
    .map((id) => checked(field, id as string));
}

function textIn(value: JsonObject, field: string): string | undefined {
  const text = value[field];
  if (text === undefined || text === null || text === '') return undefined;
  if (typeof text !== 'string') throw wrong(field, 'must be a string');
  return checked(field, text);
}

function checked(field: string, id: string): string {
  if (id.length > MAX_ID_CHARS) throw wrong(field, TOO_LONG_ID);
  return id.toWellFormed();
}

function wrong(field: string, problem: string): BoundaryError {
  return new BoundaryError('INVALID_ARGUMENT', `${field}: ${problem}`);
}
