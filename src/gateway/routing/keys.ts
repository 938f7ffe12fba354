/** A value of an attribute, as far as keys are made of them. */
export type KeyValue = string | number | bigint | boolean | null | undefined;

/**
 * The key that the Collector's `load_balancing` exporter makes of one attribute (`routing_key: attributes`); of one
 * that is missing it is the name alone, so that all that lack it are in one cell.
 */
export function attributeKey(name: string, value: KeyValue): string {
  return `${name}=${value ?? ''}|`;
}

/** A trace id of 32 hexadecimal digits as bytes, which is what spans are routed by; undefined for anything else. */
export function traceKey(traceId: unknown): Buffer | undefined {
  return typeof traceId === 'string' && /^[0-9a-f]{32}$/i.test(traceId) && !/^0+$/.test(traceId)
    ? Buffer.from(traceId, 'hex')
    : undefined;
}
