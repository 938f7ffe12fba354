import { BoundaryError } from '../../base/boundary-error.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import type { IsOver, Work } from '../../base/in-turns.ts';
import { MAX_EVENTS_ITEMS, MAX_JSON_VALUES } from '../config.ts';
import { countJsonValues, parseJson, tooManyValues } from '../parse-json.ts';

/** An item of a posted body, or why it could not be read. */
export type Item = { readonly value: unknown } | { readonly problem: string };

/** @throws BoundaryError INVALID_ARGUMENT when it is none */
export function objectIn(item: Item): JsonObject {
  if ('problem' in item) throw new BoundaryError('INVALID_ARGUMENT', item.problem);
  if (!isObject(item.value)) throw new BoundaryError('INVALID_ARGUMENT', 'not a JSON object');
  return item.value;
}

const LF = 0x0a;
/** Below this it does not matter how a body is read. */
const LARGE_BYTES = 64 * 1024;
/** Of lines that are read between two looks at the clock: a fraction of a millisecond. */
const PIECE_BYTES = 16 * 1024;
const TYPES = new Set([
  'application/json',
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
]);

/**
 * The items of a body: one JSON value, an array of them, or NDJSON, recognised by the content; the content type only
 * has to be JSON. Blank lines are skipped. Lines are read one by one, a whole document at once.
 * @throws BoundaryError UNSUPPORTED_MEDIA_TYPE, TOO_LARGE, INVALID_ARGUMENT (nothing could be read)
 */
export function* splitItems(
  body: Buffer,
  contentType: string | undefined,
  isOver: IsOver,
): Work<readonly Item[]> {
  checkType(contentType);
  if (isOfLines(body)) return yield* lines(body, isOver, body.length > MAX_JSON_VALUES);
  return wholeDocument(body) ?? (yield* lines(body, isOver, false));
}

/** The same; undefined when nothing could be read. @throws BoundaryError UNSUPPORTED_MEDIA_TYPE, TOO_LARGE */
export function* itemsIn(
  body: Buffer,
  contentType: string | undefined,
  isOver: IsOver,
): Work<readonly Item[] | undefined> {
  try {
    return yield* splitItems(body, contentType, isOver);
  } catch (error) {
    if (error instanceof BoundaryError && error.code === 'INVALID_ARGUMENT') return undefined;
    throw error;
  }
}

function checkType(contentType: string | undefined): void {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== undefined && type !== '' && !TYPES.has(type)) {
    throw new BoundaryError(
      'UNSUPPORTED_MEDIA_TYPE',
      'the content type must be application/json or application/x-ndjson',
    );
  }
}

function wholeDocument(body: Buffer): readonly Item[] | undefined {
  let document: unknown;
  try {
    document = parseJson(body);
  } catch (error) {
    if (error instanceof BoundaryError && error.code === 'TOO_LARGE') throw error;
    return undefined;
  }
  if (Array.isArray(document) && document.length > MAX_EVENTS_ITEMS) throw tooManyItems();
  return Array.isArray(document) ? document.map((value: unknown) => ({ value })) : [{ value: document }];
}

/** Can a large body be told to be no whole document, as its first line is one and something comes after it? */
function isOfLines(body: Buffer): boolean {
  if (body.length < LARGE_BYTES) return false;
  const end = body.indexOf(LF);
  if (end < 1 || end > LARGE_BYTES) return false;
  return (
    'value' in lineItem(body.toString('utf8', 0, end)) && /\S/.test(body.toString('latin1', end, end + 64))
  );
}

function* lines(body: Buffer, isOver: IsOver, areCounted: boolean): Work<readonly Item[]> {
  const items: Item[] = [];
  let hasValue = false;
  let values = 0;
  for (let from = 0, to = 0; from < body.length; from = to) {
    const end = body.indexOf(LF, from + PIECE_BYTES);
    to = end === -1 ? body.length : end + 1;
    const piece = body.subarray(from, to);
    if (areCounted) values += countJsonValues(piece);
    if (values > MAX_JSON_VALUES) throw tooManyValues();
    for (const line of linesOf(piece.toString('utf8'))) {
      if (line.trim() === '') continue;
      if (items.length === MAX_EVENTS_ITEMS) throw tooManyItems();
      const item = lineItem(line);
      hasValue ||= 'value' in item;
      items.push(item);
    }
    if (to < body.length && isOver()) yield;
  }
  if (!hasValue) {
    throw new BoundaryError(
      'INVALID_ARGUMENT',
      'the body holds no JSON; send one object, an array of objects, or one object per line',
    );
  }
  return items;
}

/** One by one, and not those that are empty: there may be millions. */
function* linesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    if (text.charCodeAt(from) === LF) {
      from++;
      continue;
    }
    const end = text.indexOf('\n', from);
    const to = end === -1 ? text.length : end;
    yield text.slice(from, to);
    from = to + 1;
  }
}

export function tooManyItems(): BoundaryError {
  return new BoundaryError('TOO_LARGE', `more than ${MAX_EVENTS_ITEMS} items in one body; send several`);
}

/** A line by itself. */
export function lineItem(line: string): Item {
  try {
    return { value: JSON.parse(line) as unknown };
  } catch {
    return { problem: 'not valid JSON' };
  }
}
