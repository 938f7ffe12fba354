import { hash } from 'node:crypto';
import type { KeptEncrypted } from '../../model/ag-ui-events.ts';

/** Names of members that hold reasoning in cipher. */
const NAMES: ReadonlySet<string> = new Set([
  'encryptedValue',
  'encrypted_value',
  'encryptedContent',
  'encrypted_content',
]);
/** An operation of JSON Patch on such a member, or on a part of one. */
const PATH = /\/(?:encryptedValue|encrypted_value|encryptedContent|encrypted_content)(?:\/|$)/;
/** Objects within one another that are looked at; deeper ones are cut off by the bounds of a record. */
const MAX_DEPTH = 64;
/** Values of one event of which is told where they stood. */
const MAX_TOLD = 256;

export interface Encrypted extends KeptEncrypted {
  readonly value: string;
}

/** Takes the encrypted values out of an event that was parsed for it alone. @returns each with its place */
export function hideEncrypted(event: object): readonly Encrypted[] {
  const found: Encrypted[] = [];
  walk(event, '', MAX_DEPTH, found);
  return found;
}

function walk(value: object, path: string, depth: number, found: Encrypted[]): void {
  const object = value as { [key: string]: unknown };
  const isPatch = typeof object['path'] === 'string' && PATH.test(object['path']);
  for (const key of Object.keys(object)) {
    const inner = object[key];
    const at = path === '' ? key : `${path}.${key}`;
    const isHidden = NAMES.has(key) || (isPatch && key === 'value');
    if (isHidden && inner !== null && inner !== undefined) {
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- an own member that was just read
      delete object[key];
      if (found.length < MAX_TOLD) found.push(told(asText(inner), at));
    } else if (typeof inner === 'object' && inner !== null && depth > 0) walk(inner, at, depth - 1, found);
  }
}

/** Protocols have texts there; what else is sent is no less secret. Too deep to be written, it is as if it were empty. */
function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return '';
    throw error;
  }
}

function told(value: string, at: string): Encrypted {
  return { at, chars: value.length, sha256: hash('sha256', value, 'hex'), value };
}
