import { MARKER } from '../model/marker.ts';

/** What texts say, as far as it can be compared: figures, names and words. All in time linear in the text. */

/** A token and where it stands. */
export interface Found {
  readonly token: string;
  readonly start: number;
  readonly end: number;
}

const STOP_WORDS = new Set(
  (
    'the a an and or but nor not of to in on at by for from with without as is are was were be been being am do does ' +
    'did done has have had having will would can could shall should may might must this that these those there here it ' +
    'its he she they them his her their you your we our us me my mine who whom whose which what when where why how if ' +
    'then else than so such no yes all any each both few more most other some only own same too very just also into ' +
    'onto over under again further once about above below between through during before after up down out off'
  ).split(' '),
);

const VALUES = withMarkers(/\d[\d,]*\.?\d*|\b[A-Z][a-zA-Z'-]{2,}\b/);
const WORDS = withMarkers(/[A-Za-z][A-Za-z'-]{2,}|\d[\d,.:/-]*\d|\d/);
/** Of a private value, which is the same value wherever it stands. What else was taken out is none. */
const PRIVATE = /^\[[A-Z_]+:[a-z2-7]/;
const DIGIT = /^\d/;

/** Figures without commas, capitalised words, and markers of private values. */
export function* valuesIn(text: string): Generator<Found> {
  for (const match of text.matchAll(VALUES)) {
    const [found] = match;
    const { index: start } = match;
    const end = start + found.length;
    if (found.startsWith('[')) {
      if (PRIVATE.test(found)) yield { token: found, start, end };
      continue;
    }
    const isNumber = DIGIT.test(found);
    const token = isNumber ? plainNumber(found) : found.toLowerCase();
    if (isNumber ? token.length < 2 : STOP_WORDS.has(token)) continue;
    yield { token, start, end };
  }
}

export function* wordsIn(text: string): Generator<Found> {
  for (const match of text.matchAll(WORDS)) {
    if (match[0].startsWith('[')) continue;
    const token = match[0].toLowerCase();
    if (!STOP_WORDS.has(token)) yield { token, start: match.index, end: match.index + match[0].length };
  }
}

export function isNumber(token: string): boolean {
  return DIGIT.test(token);
}

/** What is in a marker says nothing. */
function withMarkers(pattern: RegExp): RegExp {
  return new RegExp(`${MARKER.source}|${pattern.source}`, 'g');
}

function plainNumber(digits: string): string {
  const plain = digits.replaceAll(',', '');
  return plain.endsWith('.') ? plain.slice(0, -1) : plain;
}
