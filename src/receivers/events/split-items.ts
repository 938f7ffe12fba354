import { BoundaryError } from '../../base/boundary-error.ts';
import { MAX_EVENTS_BODY_BYTES, MAX_EVENTS_ITEMS } from '../config.ts';
import { parseJson } from '../parse-json.ts';

/** An item of a posted body, or why it could not be read. */
export type Item = { readonly value: unknown } | { readonly problem: string };

const TYPES = new Set([
  'application/json',
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
]);

/**
 * The items of a body: one JSON value, an array of them, or NDJSON. Which one is told by the content; the content type
 * says only that it is JSON. Blank lines don't count.
 * @throws BoundaryError UNSUPPORTED_MEDIA_TYPE, TOO_LARGE, INVALID_ARGUMENT (nothing could be read)
 */
export function splitItems(body: Buffer, contentType: string | undefined): readonly Item[] {
  checkType(contentType);
  if (body.length > MAX_EVENTS_BODY_BYTES) {
    throw new BoundaryError('TOO_LARGE', `the body is larger than ${MAX_EVENTS_BODY_BYTES} bytes`);
  }
  const items = wholeDocument(body) ?? lines(body);
  if (items.length > MAX_EVENTS_ITEMS) {
    throw new BoundaryError('TOO_LARGE', `more than ${MAX_EVENTS_ITEMS} items in one body; send several`);
  }
  return items;
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
  return Array.isArray(document) ? document.map((value: unknown) => ({ value })) : [{ value: document }];
}

function lines(body: Buffer): readonly Item[] {
  const items: Item[] = [];
  for (const line of body.toString('utf8').split('\n')) {
    if (line.trim() === '') continue;
    if (items.length > MAX_EVENTS_ITEMS) break;
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

function readLine(line: string): Item {
  try {
    return { value: JSON.parse(line) as unknown };
  } catch {
    return { problem: 'not valid JSON' };
  }
}
