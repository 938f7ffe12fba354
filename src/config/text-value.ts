import { decimal } from '../base/decimal.ts';
import { valueKind } from './expectation.ts';
import type { ConfigKey } from './schema.ts';

/**
 * The value that the text of a flag or an environment variable stands for. Text that does not fit its key is
 * given back as it is, so that the check of values says what is wrong with it.
 * Numbers are decimal; booleans `true` and `false`; a list is JSON, or one text standing for a list of one;
 * `auth` is JSON or one of the words none and keys.
 */
export function textValue(key: ConfigKey, text: string): unknown {
  switch (valueKind(key)) {
    case 'number':
      return decimal(text) ?? text;
    case 'boolean':
      return booleanValue(text);
    case 'string':
      return text;
    case 'list':
      return text.trimStart().startsWith('[') ? listValue(text) : [text];
    case 'json':
      return json(text) ?? text;
  }
}

function booleanValue(text: string): unknown {
  const word = text.trim().toLowerCase();
  if (word === 'true') return true;
  return word === 'false' ? false : text;
}

/** A regular expression may begin with a bracket as well: only what is JSON is taken for a list. */
function listValue(text: string): unknown {
  const value = json(text);
  return Array.isArray(value) ? value : [text];
}

function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
