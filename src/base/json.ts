const HALF = /\\u[dD][89a-fA-F]/;
/** An escape: of a pair of surrogates as one, of half of a pair by itself. */
const ESCAPE =
  /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|[^])/g;
const HALF_LENGTH = 6;

/** An object of a JSON document. */
export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Parses JSON that was UTF-8. Half of a surrogate pair, which an escape alone can bring into it, becomes U+FFFD, as on every
 * other wire: no store and no other program could tell it from another half.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  if (!text.includes('\\u') || !HALF.test(text)) return JSON.parse(text);
  return JSON.parse(text.replace(ESCAPE, (escape) => (escape.length === HALF_LENGTH ? '\\ufffd' : escape)));
}

/** The object that a text of JSON is; undefined for any other value, and for what is no JSON. */
export function objectIn(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
