import { BoundaryError } from '../../base/boundary-error.ts';
import { parseJson } from '../../base/json.ts';

/** A body that must be one JSON object. @param example for the refusal @throws BoundaryError INVALID_ARGUMENT */
export function readObject(body: Buffer, example: string): { readonly [key: string]: unknown } {
  let value: unknown;
  try {
    value = parseJson(body.toString('utf8'));
  } catch {
    // The parser's own message quotes the body, so it is left out.
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BoundaryError('INVALID_ARGUMENT', `the body must be a JSON object, such as ${example}`);
  }
  return value as { readonly [key: string]: unknown };
}
