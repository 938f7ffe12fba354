import { MAX_NAME_CHARS } from '../model/one-line.ts';
import { assert } from '../base/assert.ts';
import type { Convention, SafeSpan } from './convention.ts';

/** Distinct keys of real telemetry are some hundreds; flattened message indexes make it thousands. */
const MAX_REMEMBERED_KEYS = 8192;

/** What a span gives signs of, strongest first. */
export interface Recognised {
  readonly conventions: readonly Convention[];
  readonly names: readonly string[];
  readonly asides: readonly Convention[];
}

/** Beginnings are tried one by one, so what they gave is remembered per string. */
type Masks = Map<string, number>;

/**
 * Finds the conventions of a span in one look at its attribute keys. Each convention is a bit; every key, scope
 * and name has the bits of the conventions that it gives away.
 */
export class Recogniser {
  private readonly keyPrefixes: readonly (readonly [prefix: string, bit: number])[];
  private readonly keySuffixes: readonly (readonly [suffix: string, bit: number])[];
  private readonly scopePrefixes: readonly (readonly [prefix: string, bit: number])[];
  private readonly namePrefixes: readonly (readonly [prefix: string, bit: number])[];
  private readonly exact: Masks = new Map();
  private readonly seenKeys: Masks = new Map();
  private readonly seenScopes: Masks = new Map();
  private readonly chosen = new Map<number, Recognised>();
  private readonly conventions: readonly Convention[];

  /** @param conventions in order of precedence, at most 30 */
  constructor(conventions: readonly Convention[]) {
    assert(conventions.length <= 30, 'conventions are bits of a 32-bit mask');
    this.conventions = conventions;
    this.keyPrefixes = signsOf(conventions, 'keyPrefixes');
    this.keySuffixes = signsOf(conventions, 'keySuffixes');
    this.scopePrefixes = signsOf(conventions, 'scopePrefixes');
    this.namePrefixes = signsOf(conventions, 'namePrefixes');
    for (const [key, bit] of signsOf(conventions, 'keys'))
      this.exact.set(key, (this.exact.get(key) ?? 0) | bit);
  }

  /** The conventions that the span gives signs of, strongest first. */
  of(span: SafeSpan): Recognised {
    let mask = this.maskOfScope(span.scope.name) | withPrefix(this.namePrefixes, span.name);
    for (const key of span.attributes.keys()) mask |= this.seenKeys.get(key) ?? this.maskOfKey(key);
    return this.chosen.get(mask) ?? this.choose(mask);
  }

  private maskOfKey(key: string): number {
    let mask = (this.exact.get(key) ?? 0) | withPrefix(this.keyPrefixes, key);
    for (const [suffix, bit] of this.keySuffixes) if (key.endsWith(suffix)) mask |= bit;
    return remember(this.seenKeys, key, mask);
  }

  private maskOfScope(scope: string): number {
    return (
      this.seenScopes.get(scope) ?? remember(this.seenScopes, scope, withPrefix(this.scopePrefixes, scope))
    );
  }

  private choose(mask: number): Recognised {
    const chosen = this.conventions.filter((_, index) => (mask & (1 << index)) !== 0);
    const conventions = chosen.filter(({ aside }) => aside === undefined);
    const recognised = {
      conventions,
      names: conventions.map(({ name }) => name),
      asides: chosen.filter(({ aside }) => aside === true),
    };
    if (this.chosen.size >= MAX_REMEMBERED_KEYS) this.chosen.clear();
    this.chosen.set(mask, recognised);
    return recognised;
  }
}

function signsOf(
  conventions: readonly Convention[],
  field: keyof Convention['signs'],
): readonly (readonly [string, number])[] {
  return conventions.flatMap(({ signs }, index) =>
    (signs[field] ?? []).map((sign) => [sign, 1 << index] as const),
  );
}

function withPrefix(prefixes: readonly (readonly [prefix: string, bit: number])[], text: string): number {
  let mask = 0;
  for (const [prefix, bit] of prefixes) if (text.startsWith(prefix)) mask |= bit;
  return mask;
}

function remember(masks: Masks, text: string, mask: number): number {
  // A long key is no key of a convention, and a cache of them would hold megabytes.
  if (text.length > MAX_NAME_CHARS) return mask;
  if (masks.size >= MAX_REMEMBERED_KEYS) masks.clear();
  masks.set(text, mask);
  return mask;
}
