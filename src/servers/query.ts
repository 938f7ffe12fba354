import { invalid } from '../base/boundary-error.ts';

/** @throws BoundaryError INVALID_ARGUMENT when it is given more than once */
export function single(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name);
  if (values.length > 1) throw invalid(`${name} may be given once`);
  return values[0];
}

/** Comma-separated or repeated. */
export function listOf(query: URLSearchParams, name: string): string[] {
  return query
    .getAll(name)
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '');
}

/** @param known undefined where any are passed over @throws BoundaryError INVALID_ARGUMENT naming one that is not known */
export function onlyKnown(query: URLSearchParams, known: readonly string[] | undefined): void {
  if (known === undefined) return;
  for (const name of query.keys())
    if (!known.includes(name))
      throw invalid(
        `unknown query parameter ${quoteName(name)}; this path takes ${known.length === 0 ? 'none' : known.join(', ')}`,
      );
}

/** A parameter's name is a name, not a value: it is said when it looks like one. */
function quoteName(name: string): string {
  return /^[A-Za-z][\w.-]{0,40}$/.test(name) ? `\`${name}\`` : '(not a plain name)';
}
