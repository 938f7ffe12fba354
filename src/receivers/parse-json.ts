import { BoundaryError } from '../base/boundary-error.ts';
import { MAX_JSON_VALUES } from './config.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/**
 * Parses a request body. The values of a large one are counted first, because a document of nothing but `{}` takes
 * twenty times its size in memory.
 * @throws BoundaryError INVALID_ARGUMENT, TOO_LARGE
 */
export function parseJson(body: Buffer): unknown {
  if (body.length > MAX_JSON_VALUES && countJsonValues(body) > MAX_JSON_VALUES) {
    throw tooManyValues();
  }
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new BoundaryError('INVALID_ARGUMENT', 'the body is not valid JSON');
  }
}

export function tooManyValues(): BoundaryError {
  return new BoundaryError(
    'TOO_LARGE',
    `the JSON document holds more than ${MAX_JSON_VALUES} values; send smaller batches`,
  );
}

/** Commas and opening brackets outside strings: at least the number of values. */
export function countJsonValues(body: Buffer): number {
  let values = 0;
  let inString = false;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i];
    if (inString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) {
      inString = true;
    } else if (byte === COMMA || byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      values++;
    }
  }
  return values;
}
