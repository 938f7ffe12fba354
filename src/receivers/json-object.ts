/** An object of a JSON document. */
export interface JsonObject {
  readonly [key: string]: unknown;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
