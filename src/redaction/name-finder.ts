import type { Rule, Span } from './rule.ts';
import type { UserRule } from './user-patterns.ts';

/**
 * Finds names of people by other means than the built-in rules: a list, a dictionary, a model. Runs over every
 * text, so its cost is added to all ingest. It decides about a place by at most 256 characters around it, or
 * streams show what it would have hidden. One that throws makes the field be withheld.
 */
export interface NameFinder {
  /** Under which its findings are counted, and switched off. */
  readonly id: string;
  /** In any order; overlaps are merged. */
  readonly find: (text: string) => readonly Span[];
}

const WORD = /\p{L}[\p{L}\p{M}'’-]*/gu;
/** Words of one name. */
const MAX_WORDS = 6;

/**
 * Finds exactly these names, whatever their case, as whole words with white space between them. Costs about
 * 20 ms for each megabyte of text, however many names there are.
 */
export function knownNames(names: readonly string[]): NameFinder {
  const byFirst = new Map<string, (readonly string[])[]>();
  for (const name of names) {
    const words = Array.from(name.toLowerCase().matchAll(WORD), ([word]) => word).slice(0, MAX_WORDS);
    const [first] = words;
    if (first === undefined) continue;
    byFirst.set(
      first,
      [...(byFirst.get(first) ?? []), words].toSorted((a, b) => b.length - a.length),
    );
  }
  return { id: 'known_name', find: (text) => namesIn(text, byFirst) };
}

function namesIn(
  text: string,
  byFirst: ReadonlyMap<string, readonly (readonly string[])[]>,
): readonly Span[] {
  const found: Span[] = [];
  for (const match of text.matchAll(WORD)) {
    for (const words of byFirst.get(match[0].toLowerCase()) ?? []) {
      const end = endOf(words, text, match.index);
      if (end !== undefined) found.push({ start: match.index, end });
    }
  }
  return found;
}

/** Where the name that starts at `at` ends, if all its words stand there. */
function endOf(words: readonly string[], text: string, at: number): number | undefined {
  let end = at;
  for (const [i, word] of words.entries()) {
    if (i > 0) {
      const gap = /^[\s.]{1,3}/.exec(text.slice(end, end + 3));
      if (!gap) return undefined;
      end += gap[0].length;
    }
    if (text.slice(end, end + word.length).toLowerCase() !== word) return undefined;
    end += word.length;
  }
  return /\p{L}/u.test(text.charAt(end)) ? undefined : end;
}

/** The finder as a rule, so that what it hides is counted and audited under its id. */
export function nameRule(finder: NameFinder): UserRule {
  const rule: Rule = {
    id: finder.id,
    kind: 'PERSON',
    find: () => undefined,
    examples: { hits: [], misses: [] },
  };
  return { rule, findAll: (text) => finder.find(text) };
}
