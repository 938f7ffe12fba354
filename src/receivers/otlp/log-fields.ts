import type { AttributeValue } from '../../model/attributes.ts';
import type { LogRecord } from '../../model/records.ts';

/** The named fields of a log record: its attributes, then those of a structured body. */
export interface LogFields {
  /** The first of these names that is there. */
  get(...names: readonly string[]): AttributeValue | undefined;
  /** The same, if it is text that is not empty (numbers are written out). */
  text(...names: readonly string[]): string | undefined;
  readonly body: { readonly [key: string]: AttributeValue } | undefined;
}

export function fieldsOf(log: LogRecord): LogFields {
  const body = asObject(log.body);
  const get = (...names: readonly string[]): AttributeValue | undefined => {
    for (const name of names) {
      const value = log.attributes.get(name) ?? (body && Object.hasOwn(body, name) ? body[name] : undefined);
      if (value !== undefined && value !== null) return value;
    }
    return undefined;
  };
  return {
    get,
    text(...names) {
      const value = get(...names);
      if (typeof value === 'string') return value === '' ? undefined : value;
      return typeof value === 'number' ? String(value) : undefined;
    },
    body,
  };
}

export function asObject(
  value: AttributeValue | undefined,
): { readonly [key: string]: AttributeValue } | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return value as { readonly [key: string]: AttributeValue };
}
