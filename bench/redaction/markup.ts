import type { Label, Sample } from './sample.ts';

/**
 * Labelled texts as templates, so that no key-like value stands in a file: `⟦S|value⟧` marks a label, and codes
 * stand for values that are made when they are read, the same in each run: `{A36}` 36 letters and digits.
 */

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const ALPHABETS: Readonly<Record<string, string>> = {
  A: LOWER + LOWER.toUpperCase() + DIGITS,
  U: LOWER.toUpperCase() + DIGITS,
  l: LOWER + DIGITS,
  h: `${DIGITS}abcdef`,
  d: DIGITS,
  w: `${LOWER + LOWER.toUpperCase() + DIGITS}_-`,
  B: `${LOWER + LOWER.toUpperCase() + DIGITS}+/`,
};

const LABELS: Readonly<Record<string, string>> = {
  S: 'SECRET',
  E: 'EMAIL',
  P: 'PHONE',
  C: 'CREDIT_CARD',
  B: 'IBAN',
  U: 'SSN',
  I: 'IP',
  M: 'MAC',
  D: 'DOB',
  N: 'PERSON',
  A: 'ADDRESS',
};

const ENCODERS: Readonly<Record<string, (text: string) => string>> = {
  b64: (text) => Buffer.from(text).toString('base64'),
  url64: (text) => Buffer.from(text).toString('base64url'),
  hex: (text) => Buffer.from(text).toString('hex'),
  pct: (text) => encodeURIComponent(text),
  u: (text) => Array.from(text, (char) => `\\u${hexOf(char, 4)}`).join(''),
  x: (text) => Array.from(text, (char) => `\\x${hexOf(char, 2)}`).join(''),
  ent: (text) => Array.from(text, (char) => `&#${char.charCodeAt(0)};`).join(''),
  entx: (text) => Array.from(text, (char) => `&#x${hexOf(char, 2)};`).join(''),
};

/** @param seed any number; the same one gives the same texts */
export function fromMarkup(set: string, templates: readonly string[], seed: number): readonly Sample[] {
  const next = randomNumbers(seed);
  return templates.map((template, i) => {
    let filled = template.replaceAll('{jwt}', () => jwt(next));
    filled = filled.replace(/\{([AUlhdwB])(\d{1,4})\}/g, (_, alphabet: string, length: string) =>
      pick(ALPHABETS[alphabet] ?? DIGITS, Number(length), next),
    );
    // From the inside out: codes can be nested.
    for (let round = 0; round < 3; round++) {
      filled = filled.replace(
        /\{(b64|url64|hex|pct|u|x|ent|entx):((?:(?!\{\w+:).){0,4000}?):\}/gs,
        (_, name, text) => (ENCODERS[name as string] as (text: string) => string)(text as string),
      );
    }
    return labelled(`${set}-${i}`, filled);
  });
}

function labelled(id: string, marked: string): Sample {
  const spans: Label[] = [];
  let text = '';
  let copied = 0;
  for (const match of marked.matchAll(/⟦(\w)\|([^⟧]*)⟧/g)) {
    text += marked.slice(copied, match.index);
    const value = match[2] ?? '';
    spans.push({
      start: text.length,
      end: text.length + value.length,
      type: LABELS[match[1] ?? ''] ?? 'SECRET',
    });
    text += value;
    copied = match.index + match[0].length;
  }
  return { id, text: text + marked.slice(copied), spans };
}

function hexOf(char: string, length: number): string {
  return char.charCodeAt(0).toString(16).padStart(length, '0');
}

function jwt(next: () => number): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub: pick(DIGITS, 10, next), iat: 1_516_239_022 };
  return `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}.${pick(ALPHABETS['w'] ?? '', 43, next)}`;
}

function pick(alphabet: string, length: number, next: () => number): string {
  let result = '';
  while (result.length < length) result += alphabet.charAt(Math.floor(next() * alphabet.length));
  return result;
}

/** mulberry32: small and good enough to draw letters and samples. @returns numbers in [0, 1) */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
