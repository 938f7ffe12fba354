import { matchAt } from './match-at.ts';
import { openPattern } from './open-pattern.ts';

/** What a marker calls the thing it hides. */
export type Kind =
  | 'EMAIL'
  | 'PHONE'
  | 'CARD'
  | 'IBAN'
  | 'WALLET'
  | 'SSN'
  | 'IP'
  | 'MAC'
  | 'DOB'
  | 'PERSON'
  | 'ADDRESS'
  | 'SECRET'
  | 'OPAQUE'
  | 'CUSTOM';

/** A half-open range of UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Places that no literal announces: `@`, the first digit of a number, a colon, or a dash or dot, between hex digits. */
export type Trigger = 'at' | 'number' | 'hex-colon' | 'hex-sign';

/** What a rule finds at one place. */
export interface Found extends Span {
  /** Further values of the same statement or table, behind the first. */
  readonly more?: readonly Span[];
}

/** Returns what to hide, or undefined. `at` is where the hint starts, or the trigger's character. */
export interface Find {
  (text: string, at: number): Found | undefined;
  /**
   * Whether what comes behind the end of `text` may change the answer for `at`. Without it, it always may: a text that
   * grows is then held back for as long as any rule looks ahead. Rules made by `matching` have it; others say by
   * `decidedBy` what they look at.
   */
  readonly isOpen?: ((text: string, at: number) => boolean) | undefined;
  /**
   * Of rules whose hint is in the head of a table or a list, of which any row may hold what is found: the head without which
   * rows behind the end of `text` could not be read; undefined where none can follow.
   */
  readonly headAt?: ((text: string, at: number) => Span | undefined) | undefined;
  /** Where the value has begun that the text ends in, while `isOpen`; undefined where it has not, or none can be told. */
  readonly valueAt?: ((text: string, at: number) => number | undefined) | undefined;
}

/**
 * One kind of thing to hide, as data. The scan looks at a rule only where one of its hints or its trigger
 * stands, so a rule costs nothing on text that lacks them.
 *
 * Bounds: a match looks back at most 400 characters and forward at most MAX_MATCH; every quantifier is bounded.
 */
export interface Rule {
  readonly id: string;
  readonly kind: Kind;
  /** Literals in lower case, at least three characters, compared without regard to case. */
  readonly hints?: readonly string[];
  readonly trigger?: Trigger;
  /** The hint must not continue a word. */
  readonly wordStart?: boolean;
  readonly find: Find;
  /**
   * Where a match may begin whose hint stands behind this text: an offset, -1 for nowhere. Needed where white space is in
   * front of the hint; the word that the hint stands in belongs to the match anyway.
   */
  readonly before?: (text: string) => number;
  /** Nothing inside the match needs to be looked at again. */
  readonly consumes?: boolean;
  readonly examples: RuleExamples;
}

interface RuleExamples {
  /** What stands between `⟦` and `⟧` must be gone from the redacted text, whole. */
  readonly hits: readonly string[];
  /** Texts in which this rule finds nothing. */
  readonly misses: readonly string[];
}

/** The examples without their marks, each with what was between them. */
export function hitsOf({ examples }: Rule): readonly { readonly text: string; readonly hidden: string }[] {
  return examples.hits.map((marked) => {
    const [before = '', hidden = '', after = ''] = marked.split(/[⟦⟧]/);
    return { text: before + hidden + after, hidden };
  });
}

/** The longest thing that is hidden as one: a private key of 16,384 bits in PEM has about 12,700 characters. */
export const MAX_MATCH = 16_384;

/** No rule that does not say when it has decided needs more of what follows its hint. */
export const MAX_AHEAD = 256;

/**
 * A `find` from a sticky pattern that starts at the hint. With a group `v` only that is hidden; it must be the
 * end of the match.
 */
export function matching(pattern: RegExp, valid?: (value: string) => boolean): Find {
  const sticky = new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, '')}y`);
  return decidedBy(pattern, (text, at) => {
    const match = matchAt(sticky, text, at);
    if (!match) return undefined;
    const value = match.groups?.['v'] ?? match[0];
    if (value.length === 0 || (valid && !valid(value))) return undefined;
    const end = at + match[0].length;
    return { start: end - value.length, end };
  });
}

/**
 * A `find` that looks no further behind its hint than `pattern` does, which begins at the hint and matches all that it
 * finds and all that it looks at to find it.
 */
export function decidedBy(pattern: RegExp, find: Find): Find {
  let open: RegExp | undefined;
  const begun = (text: string, at: number): RegExpExecArray | null => {
    open ??= openPattern(pattern) ?? ANYTHING;
    return matchAt(open, text, at);
  };
  return Object.assign((text: string, at: number) => find(text, at), {
    isOpen: (text: string, at: number): boolean => begun(text, at) !== null,
    valueAt: (text: string, at: number): number | undefined => {
      const value = begun(text, at)?.groups?.['v'];
      // What is looked at behind the value is no part of it.
      return value !== undefined && value !== '' && text.endsWith(value)
        ? text.length - value.length
        : undefined;
    },
  });
}

const ANYTHING = /[^]*/y;

/**
 * The same, where it finds something only if `isMet`, which looks at what stands before the hint and at the hint. It is
 * asked last: to look back costs more than to see that nothing fits at the hint.
 */
export function onlyWhere(isMet: (text: string, at: number) => boolean, find: Find): Find {
  return Object.assign(
    (text: string, at: number) => {
      const found = find(text, at);
      return found && isMet(text, at) ? found : undefined;
    },
    {
      isOpen: (text: string, at: number): boolean => find.isOpen?.(text, at) !== false && isMet(text, at),
      valueAt: (text: string, at: number) => find.valueAt?.(text, at),
      headAt:
        find.headAt &&
        ((text: string, at: number) => (isMet(text, at) ? find.headAt?.(text, at) : undefined)),
    },
  );
}

/** The phrases of lines in which `|` stands between them: long lists of hints are written so. */
export function listOf(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split('|'));
}

/** The same, where the hint is in the head of a list, all of which is needed to read on unless `headAt` says less. */
export function withHead(find: Find, headAt?: Find['headAt']): Find {
  return Object.assign(find, {
    headAt:
      headAt ??
      ((text: string, at: number) =>
        find.isOpen?.(text, at) === false ? undefined : { start: at, end: text.length }),
  });
}

/** Looks at no more than the word that the hint stands in, whose end is white space. */
export const WITHIN_WORD = /\S*/;

const FAKE = 'k7Qz2mXw9RtB4vHn8LcY3sDf6GjP1aTe5UiKoVxN0WbZrMyEqSuCdJgFhAlpI';

/** Made-up key material for the examples: letters and digits, never a working key. */
export function fake(length: number): string {
  return FAKE.repeat(Math.ceil(length / FAKE.length)).slice(0, length);
}

export function fakeHex(length: number): string {
  return '7f3a91c04be2d865'.repeat(Math.ceil(length / 16)).slice(0, length);
}
