import { parseJson } from '../base/json.ts';
import type { AttributeValue, Attributes } from '../model/attributes.ts';

/**
 * Readers of attributes. Each gives undefined for what is missing, empty, of a wrong type or absurd, so that
 * a convention never has to check. Numbers may come as numeric strings: several senders format them.
 */

export type Keys = readonly string[];

/** More tokens than any model takes or gives in one call, by orders of magnitude. */
const MAX_TOKENS = 1e9;
/** Dollars for one step. */
const MAX_COST_USD = 1e6;
/** About 115 days. */
const MAX_DURATION_MS = 1e10;

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** An id or name: a non-blank string, or a whole number as text. */
export function idOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}

export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value.length > 32 || value.trim() === '') return undefined;
  const parsed = Number(value);
  return Number.isFinite(parsed) ? parsed : undefined;
}

function within(value: unknown, max: number): number | undefined {
  const number = numberOf(value);
  return number !== undefined && number >= 0 && number <= max ? number : undefined;
}

/** A whole, non-negative number of tokens, issues, tests, lines. */
export function countOf(value: unknown): number | undefined {
  const number = within(value, MAX_TOKENS);
  return number !== undefined && Number.isInteger(number) ? number : undefined;
}

export function costOf(value: unknown): number | undefined {
  return within(value, MAX_COST_USD);
}

/** Two parts of a cost as one, without the noise of adding decimal fractions; undefined when both are. */
export function sumOfCosts(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined && b === undefined) return undefined;
  return Number(((a ?? 0) + (b ?? 0)).toPrecision(12));
}

export function durationOf(value: unknown): number | undefined {
  return within(value, MAX_DURATION_MS);
}

function first<T>(a: Attributes, keys: Keys, read: (value: unknown) => T | undefined): T | undefined {
  for (const key of keys) {
    const value = a.get(key);
    if (value === undefined) continue;
    const result = read(value);
    if (result !== undefined) return result;
  }
  return undefined;
}

export function text(a: Attributes, key: string): string | undefined {
  return textOf(a.get(key));
}

export function firstText(a: Attributes, keys: Keys): string | undefined {
  return first(a, keys, textOf);
}

export function firstId(a: Attributes, keys: Keys): string | undefined {
  return first(a, keys, idOf);
}

/** All ids under these keys, each once. */
export function everyId(a: Attributes, keys: Keys): readonly string[] {
  return [...new Set(keys.map((key) => idOf(a.get(key))).filter((id) => id !== undefined))];
}

export function count(a: Attributes, key: string): number | undefined {
  return countOf(a.get(key));
}

export function firstCount(a: Attributes, keys: Keys): number | undefined {
  return first(a, keys, countOf);
}

export function firstCost(a: Attributes, keys: Keys): number | undefined {
  return first(a, keys, costOf);
}

export function firstDuration(a: Attributes, keys: Keys): number | undefined {
  return first(a, keys, durationOf);
}

/** Seconds as milliseconds. */
export function firstSeconds(a: Attributes, keys: Keys): number | undefined {
  const seconds = first(a, keys, durationOf);
  return seconds === undefined ? undefined : seconds * 1000;
}

export function firstPresent(a: Attributes, keys: Keys): AttributeValue | undefined {
  return first(a, keys, (value) => (value === null || value === '' ? undefined : (value as AttributeValue)));
}

/** An attribute's value as text: strings as they are, structures as JSON. */
export function asText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return textOf(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return JSON.stringify(value);
}

/** `true`, or the string that some senders write for it. */
export function flag(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  const lower = value.toLowerCase();
  if (lower === 'true') return true;
  return lower === 'false' ? false : undefined;
}

/** A list of words: an array, a JSON array in a string, or a single word. */
export function wordsOf(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') {
    if (value === '') return undefined;
    if (!value.startsWith('[')) return [value];
    try {
      return wordsOf(parseJson(value));
    } catch {
      return undefined;
    }
  }
  if (!Array.isArray(value)) return undefined;
  const words = value.filter((item): item is string => typeof item === 'string' && item !== '');
  return words.length === 0 ? undefined : words;
}

/** A word of a closed set. */
export function oneOf<Word extends string>(words: readonly Word[], value: unknown): Word | undefined {
  return words.find((word) => word === value);
}
