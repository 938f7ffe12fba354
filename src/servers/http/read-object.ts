import { invalid } from '../../base/boundary-error.ts';
import { objectIn } from '../../base/json.ts';

/** A body that must be one JSON object. @param example for the refusal @throws BoundaryError INVALID_ARGUMENT */
export function readObject(body: Buffer, example: string): { readonly [key: string]: unknown } {
  const value = objectIn(body.toString('utf8'));
  if (value) return value;
  throw invalid(`the body must be a JSON object, such as ${example}`);
}
