import { clip } from '../model/one-line.ts';

/** What zod found, as far as this needs it. */
export interface FoundIssue {
  readonly code?: string | undefined;
  readonly keys?: readonly string[] | undefined;
}

/** More of them, or of one, helps nobody. */
const MAX_NAMED = 3;
const MAX_CHARS = 40;

/**
 * Which keys there are not, and which there are.
 * @param fields such as `the keys of a cell are name and address`
 * @returns undefined where something else is wrong
 */
export function unknownKeys({ code, keys = [] }: FoundIssue, fields: string): string | undefined {
  if (code !== 'unrecognized_keys') return undefined;
  return `has no ${keys.length === 1 ? 'key' : 'keys'} ${namesOf(keys)}: ${fields}`;
}

/** Some of them, cut: they are somebody's words. */
export function namesOf(keys: readonly string[]): string {
  const named = keys.slice(0, MAX_NAMED).map((key) => JSON.stringify(clip(key, MAX_CHARS)));
  return `${named.join(', ')}${keys.length > MAX_NAMED ? ', …' : ''}`;
}
