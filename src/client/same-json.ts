/** Are two JSON values the same? The order of members is no part of a value; an undefined member is none. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => sameJson(item, b[index]));
  }
  const left = a as { readonly [key: string]: unknown };
  const right = b as { readonly [key: string]: unknown };
  for (const key of Object.keys(left)) if (!sameJson(left[key], right[key])) return false;
  return Object.keys(right).every((key) => left[key] !== undefined || right[key] === undefined);
}
