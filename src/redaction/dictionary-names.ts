import { GIVEN_NAMES } from './rules/given-names.ts';
import type { NameFinder } from './name-finder.ts';
import type { Span } from './rule.ts';

/**
 * Names of people wherever they stand, by the word list of compromise (4,000 names of people and 20,000 other words), and
 * what stands beside them. Its tagger doesn't run: it reads 0.2 MB a second.
 */

/** Names that are more often other words: alone they are no person. */
const AMBIGUOUS = new Set(
  (
    'will mark jan may jun june april august art bill chase dawn faith hope grace joy rich sky summer rose ruby ray rob gene pat ' +
    'max min ally earl duke king prince guy jay bob grant drew miles lance cliff brook ivy iris violet olive pearl penny ' +
    'amber crystal destiny harmony melody mercy patience charity glory gale robin wren jack skip buck chance cash trey ' +
    'angel ace tab hung long young so an in do la le al mi my ha ho hu ma de di el son dong kim lee sun see key chi dev ' +
    'delta page park parks ford mason cooper hunter parker taylor carter tyler west dean dallas austin jordan paris ' +
    'london sydney victoria virginia carolina georgia florence chelsea china asia india america israel diamond misty ' +
    'sandy windy stormy shell sage jasmine basil rusty frank ernest major season precious star scout rocky nova marina ' +
    'claude ada pascal julia ruby jenkins swift haskell python java ruby crystal elm merlin mercury vue jade pug stylus ' +
    'gem rod woody tiny bo ali sal van von kit wade wolf bird fox hall read reading early golden case mine uri'
  ).split(' '),
);
const PARTICLES = new Set(
  'van von de der den da di del della dos du la le bin al el ter ten st mac'.split(' '),
);
const WORD =
  /\p{Lu}?\p{Ll}[\p{L}\p{M}'’]*(?:-\p{L}[\p{L}\p{M}'’]*)*|\p{Lu}[\p{L}\p{M}'’]*(?:-\p{L}[\p{L}\p{M}'’]*)*/gu;
const MAX_WORDS = 4;

interface Word {
  readonly lower: string;
  readonly start: number;
  readonly end: number;
  readonly isCapital: boolean;
}

type Lexicon = Readonly<Record<string, string | readonly string[]>>;

/** @returns a finder of names; reads the word list into about 40 MB */
export async function dictionaryNames(): Promise<NameFinder> {
  const { default: library } = await import('compromise/two');
  const { one } = library.model() as { one: { lexicon: Lexicon } };
  const names = namesOf(one.lexicon);
  return { id: 'dictionary_name', find: (text) => peopleIn(text, names) };
}

interface Names {
  readonly given: ReadonlySet<string>;
  readonly family: ReadonlySet<string>;
  /** Known words that are no names. */
  readonly other: ReadonlySet<string>;
}

function namesOf(lexicon: Lexicon): Names {
  const given = new Set(GIVEN_NAMES);
  const family = new Set<string>();
  const other = new Set<string>();
  for (const [word, tagged] of Object.entries(lexicon)) {
    const tags = [tagged].flat();
    if (tags.some((tag) => tag === 'MaleName' || tag === 'FemaleName' || tag === 'FirstName'))
      given.add(word);
    else if (tags.includes('LastName')) family.add(word);
    else other.add(word);
  }
  return { given, family, other };
}

function peopleIn(text: string, names: Names): readonly Span[] {
  const words = wordsOf(text);
  const found: Span[] = [];
  for (let i = 0; i < words.length; i++) {
    const last = lastOfName(text, words, i, names);
    if (last === undefined) continue;
    found.push({ start: (words[i] as Word).start, end: (words[last] as Word).end });
    i = last;
  }
  return found;
}

function wordsOf(text: string): readonly Word[] {
  return Array.from(text.matchAll(WORD), (match) => {
    const word = match[0].replace(/['’]s?$/, '');
    const start = match.index;
    return {
      lower: word.toLowerCase(),
      start,
      end: start + word.length,
      isCapital: /^\p{Lu}\p{Ll}/u.test(word),
    };
  });
}

/** The index of the last word of the name that begins at the word `i`; undefined where none does. */
function lastOfName(text: string, words: readonly Word[], i: number, names: Names): number | undefined {
  const word = words[i] as Word;
  const { lower } = word;
  const isGiven = names.given.has(lower);
  if (!isGiven && !names.family.has(lower)) return undefined;
  if (lower.length < 3 || !standsAlone(text, word)) return undefined;
  if (!word.isCapital) {
    if (!isGiven || AMBIGUOUS.has(lower) || names.other.has(lower) || !isUncased(text, word))
      return undefined;
    const next = words[i + 1];
    return next && isNext(text, word, next) && !isKnown(next.lower, names) ? i + 1 : i;
  }
  let last = i;
  for (let k = i + 1; k < words.length && k - i < MAX_WORDS; k++) {
    const next = words[k] as Word;
    if (!isNext(text, words[k - 1] as Word, next)) break;
    const isAfterParticle = PARTICLES.has((words[k - 1] as Word).lower);
    if (next.isCapital && (isAfterParticle || !names.other.has(next.lower))) last = k;
    else if (!PARTICLES.has(next.lower)) break;
  }
  return last > i || !AMBIGUOUS.has(lower) ? last : undefined;
}

function isKnown(lower: string, { given, family, other }: Names): boolean {
  return lower.length < 3 || (other.has(lower) && !given.has(lower) && !family.has(lower));
}

/** Not part of an identifier, a path, an address or a tag. */
function standsAlone(text: string, { start, end }: Word): boolean {
  return (
    !/[\w@/.#$<\\-]/.test(text.charAt(start - 1)) &&
    !/^[\w@/\\(=_-]|^[.:][\p{L}\d:]/u.test(text.slice(end, end + 2))
  );
}

/** Only a blank lies between, or an initial. */
function isNext(text: string, a: Word, b: Word): boolean {
  return /^ (?:\p{Lu}\.? )?$/u.test(text.slice(a.end, b.start));
}

/** Where somebody writes without capitals. */
function isUncased(text: string, { start, end }: Word): boolean {
  return !/\p{Lu}/u.test(text.slice(Math.max(0, start - NEARBY), end + NEARBY));
}

const NEARBY = 80;
