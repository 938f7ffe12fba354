/**
 * A value of OTLP's AnyValue after decoding. 64-bit integers beyond 2^53 are decimal strings; bytes never
 * become text: they are replaced by `[bytes: N]` on entry.
 */
export type AttributeValue =
  string | number | boolean | null | readonly AttributeValue[] | { readonly [key: string]: AttributeValue };

/** Attributes of a span, event, link, scope, resource or log record. A repeated key keeps its last value. */
export type Attributes = ReadonlyMap<string, AttributeValue>;

export const NO_ATTRIBUTES: Attributes = new Map();
