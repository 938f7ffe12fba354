import { hash } from 'node:crypto';
import type { AttributeValue } from '../model/attributes.ts';
import type { LogRecord } from '../model/records.ts';

const ID_HEX_DIGITS = 32;
/** Of a longer value its beginning and its length tell it apart, besides all the others and the time. */
const MAX_VALUE_CHARS = 4096;

/**
 * A name for a log record, which has none of its own: the same for the same record delivered again, whatever the
 * order of its attributes.
 */
export function logIdOf(log: LogRecord): string {
  const { time, eventName, traceId, spanId, scope, attributes } = log;
  let content = `${time}\n${traceId ?? ''}:${spanId ?? ''}\n${field(scope.name, eventName)}${field('', log.body)}`;
  for (const key of [...attributes.keys()].sort()) content += field(key, attributes.get(key));
  return hash('sha256', content, 'hex').slice(0, ID_HEX_DIGITS);
}

/** With the lengths before the texts, so that no two contents read alike. */
function field(key: string, value: AttributeValue | undefined): string {
  const isText = typeof value === 'string';
  const text = isText ? value : (JSON.stringify(value) ?? '');
  return `${key.length}${isText ? '"' : '='}${text.length}:${key}${text.slice(0, MAX_VALUE_CHARS)}`;
}
