import { BoundaryError } from '../../base/boundary-error.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import { MAX_EVENTS_ITEMS } from '../config.ts';
import { parseJson } from '../parse-json.ts';

/** An item of a posted body, or why it could not be read. */
export type Item = { readonly value: unknown } | { readonly problem: string };

/** @throws BoundaryError INVALID_ARGUMENT when it is none */
export function objectIn(item: Item): JsonObject {
  if ('problem' in item) throw new BoundaryError('INVALID_ARGUMENT', item.problem);
  if (!isObject(item.value)) throw new BoundaryError('INVALID_ARGUMENT', 'not a JSON object');
  return item.value;
}

const LF = 0x0a;
const TYPES = new Set([
  'application/json',
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
]);

/**
 * The items of a body: one JSON value, an array of them, or NDJSON, recognised by the content; the content type only
 * has to be JSON. Blank lines are skipped.
 * @throws BoundaryError UNSUPPORTED_MEDIA_TYPE, TOO_LARGE, INVALID_ARGUMENT (nothing could be read)
 */
export function splitItems(body: Buffer, contentType: string | undefined): readonly Item[] {
  checkType(contentType);
  return wholeDocument(body) ?? lines(body);
}

/** The same; undefined when nothing could be read. @throws BoundaryError UNSUPPORTED_MEDIA_TYPE, TOO_LARGE */
export function itemsIn(body: Buffer, contentType: string | undefined): readonly Item[] | undefined {
  try {
    return splitItems(body, contentType);
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

function lines(body: Buffer): readonly Item[] {
  const items: Item[] = [];
  for (const line of linesOf(body.toString('utf8'))) {
    if (line.trim() === '') continue;
    if (items.length === MAX_EVENTS_ITEMS) throw tooManyItems();
    items.push(readLine(line));
  }
  if (!items.some((item) => 'value' in item)) {
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

function readLine(line: string): Item {
  try {
    return { value: JSON.parse(line) as unknown };
  } catch {
    return { problem: 'not valid JSON' };
  }
}
