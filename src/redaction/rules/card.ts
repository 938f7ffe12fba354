import { isDigit, signsBefore, wordsBefore } from '../characters.ts';
import { isCardNumber } from '../validators.ts';
import type { Rule, Span } from '../rule.ts';
import { isGlued, numbersAt } from './digit-groups.ts';

/** Numbers of payment cards, by issuer, length and check digit. */

const CARD_WORD = /(?:card|visa|mastercard|amex|maestro|pan|cc)\b[\w"' :=.#\\-]{0,24}$/i;

/** Ids of spans have as many digits, and one in 2,000 no letters. */
const SPAN_WORD =
  /(?:span|trace|parent)(?:[ _-]?id)?s?["'\\]{0,4}[ \t]{0,2}[:=]?[ \t]{0,2}(?:[\da-f]{32}:)?["'\\]{0,4}$/i;

/** What programs count up or make up has as many digits, and one in 25 such numbers would do as a card's. */
const ID_NAME =
  /(?:(?:^|[^A-Za-z])(?:ids?|uid|gid|ts|time|timestamp|epoch|nanos?|ns|us|seed|hash|offset|seq|cursor|checksum)|[a-z](?:I[dD]s?|Ns|Us|Nanos?|Ts|Time|Timestamp|Seed|Hash|Offset))["'\\]{0,4}[ \t]?[:=][ \t]?["'\\]{0,4}$/i;
/** Whose ids may be the number of a card. */
const OWNER =
  /(?:card|pan|acc(?:oun)?t|pay(?:ment)?|customer|member|user|holder)[\w -]{0,16}["' :=\\]{0,8}$/i;

function isIdOfProgram(before: string): boolean {
  return ID_NAME.test(before) && !OWNER.test(before);
}

/** By issuer: others issue numbers of that many digits as well, but so few that something must say what it is. */
const USUAL = /^(?:(?!3[0468-9])\d{16}|3[47]\d{13}|3[0689]\d{12}|62\d{15,17})$/;

/**
 * A card number in groups that stand further apart, or in rows of a table. Of four such groups; a column of more is
 * one of figures.
 */
const WIDE_CARD =
  /^(?:\d{4}( {2}|[\t._/]|\r?\n)\d{4}\1\d{4}\1\d{4}(?!\1\d{4}(?!\d))|\d{4}( {2}|[\t._/]|\r?\n)\d{6}\2\d{5})(?!\w|[-./:@][A-Za-z])/;
/** Figures of four digits stand in rows as well: there only what the best-known networks issue is a card by itself. */
const WELL_KNOWN = /^(?:4|5[1-5]|2[2-7]|3[47]|6011|65)/;
/** A check value or a date in front of a card: `123/4111 1111 1111 1111`, but no path. */
const LEADING_CODE = /(?<![\w./@#$%-])(?:\d\d\/)?\d{2,4}\/$/;
/** The same behind one. */
const TRAILING_CODE = /^(?:[ -]|\/(?=\d{2,4}(?:\/\d{2,4})?(?![\w/])(?!\.\w))| ?\()\d/;

/** A card number in groups, where more digits may follow: a check value, a date, another card. */
const GROUPED_CARD = /^(?:\d{4}([ -])\d{4}\1\d{4}\1\d{4}|\d{4}([ -])\d{6}\2\d{5}|\d{13,19})(?!\d)/;

function findCard(text: string, at: number): Span | undefined {
  if (!mayBeCard(text, at)) return undefined;
  return findWholeCard(text, at) ?? findLeadingCard(text, at) ?? findWideCard(text, at);
}

/** Whether a group of four digits and one of four or more stand there, or so many digits as no other number has. */
function mayBeCard(text: string, at: number): boolean {
  const first = digitsAt(text, at, 12);
  if (first !== 4) return first === 12;
  const next = isDigit(text.charCodeAt(at + 5)) ? at + 5 : at + 6;
  return digitsAt(text, next, 4) === 4;
}

function digitsAt(text: string, at: number, most: number): number {
  let count = 0;
  while (count < most && isDigit(text.charCodeAt(at + count))) count++;
  return count;
}

function findWideCard(text: string, at: number): Span | undefined {
  const raw = WIDE_CARD.exec(text.slice(at, at + 34))?.[0];
  if (raw === undefined) return undefined;
  const before = wordsBefore(text, at, 40);
  const digits = raw.replace(/\D/g, '');
  if (/[\w.@#$%/]$|\w-$/.test(before) || !isCardNumber(digits)) return undefined;
  const isRow = /\d{4}\s{1,2}$/.test(before);
  if ((isRow || !WELL_KNOWN.test(digits)) && !CARD_WORD.test(before)) return undefined;
  return { start: at, end: at + raw.length };
}

function findLeadingCard(text: string, at: number): Span | undefined {
  const before = signsBefore(text, at).replace(LEADING_CODE, '');
  const raw = GROUPED_CARD.exec(text.slice(at, at + 20))?.[0];
  if (raw === undefined || /[\w.@#$%/]$|\w-$/.test(before)) return undefined;
  const end = at + raw.length;
  // What follows must be more digits; anything else was judged as a whole. Behind a bare one they may be of a path.
  const more = /[ -]/.test(raw) ? /^(?:[ /-]| ?\()\d/ : TRAILING_CODE;
  if (!more.test(text.slice(end, end + 12)) || !isCardNumber(raw.replace(/\D/g, ''))) return undefined;
  return { start: at, end };
}

function findWholeCard(text: string, at: number): Span | undefined {
  const [number] = numbersAt(text, at);
  if (!number || number.digits < 12) return undefined;
  const { raw, digits, end } = number;
  const bare = raw.length === digits;
  if (!bare && !GROUPED.test(raw)) return undefined;
  const before = number.before.replace(LEADING_CODE, '');
  if (isGlued(before, text, end) || !isCardNumber(raw.replace(/\D/g, ''))) return undefined;
  if (bare && !USUAL.test(raw) && !CARD_WORD.test(before)) return undefined;
  if (bare && (SPAN_WORD.test(before) || isIdOfProgram(before))) return undefined;
  return { start: at, end };
}

const GROUPED = /^\d{4}([ -])\d{4}\1\d{4}\1(?:\d{1,7}|\d{4}\1\d{3})$|^\d{4}([ -])\d{6}\2\d{4,5}$/;

export const CARD_RULES: readonly Rule[] = [
  {
    id: 'card',
    kind: 'CARD',
    trigger: 'number',
    find: findCard,
    examples: {
      hits: [
        'card ⟦4111 1111 1111 1111⟧ ok',
        '⟦378282246310005⟧',
        'карта ⟦2200 1234 5678 9019⟧',
        'kart ⟦9792123456789018⟧',
        'card ⟦4111 1111 1111 1111⟧ 123',
        'card ⟦4111111111111111⟧ 12/27',
        'card ⟦4111 1111 1111 1111⟧ (123)',
        'card ⟦4111-1111-1111-1111⟧/123',
        'card ⟦4111111111111111⟧(123)',
        'with ⟦4111111111111111⟧/123',
        'with ⟦4111111111111111⟧/12/27.',
        'with ⟦4111111111111111⟧ / 12/27 / 123',
        'with ⟦4111 1111 1111 1111⟧ / 12/27',
        'with ⟦4111111111111111⟧. 12 more',
        'with 123/⟦4111 1111 1111 1111⟧',
        'with 12/27/⟦4111111111111111⟧',
        'it is ⟦4111\t1111\t1111\t1111⟧',
        'it is ⟦4111\n1111\n1111\n1111⟧\n123',
        'it is ⟦4111\r\n1111\r\n1111\r\n1111⟧',
        'it is ⟦4111  1111  1111  1111⟧',
        '4111111111111111   ⟦4111_1111_1111_1111⟧',
        'it is ⟦4111.1111.1111.1111⟧.',
        'it is ⟦4111_1111_1111_1111⟧',
        'it is ⟦4111/1111/1111/1111⟧',
        'it is ⟦3782  822463  10005⟧',
        'my card: ⟦6759\t6498\t2643\t8453⟧',
      ],
      misses: [
        '4111 1111 1111 1112',
        'order 1718893425123',
        '0.4111111111111111',
        'files/4111111111111111/123',
        'see 4111111111111111/123/index.html',
        'run 4111111111111111/123.json',
        'a/123/4111111111111111',
        '4111\n1111\n1111\n1111\n2024',
        '2024\n4111\n1111\n1111\n1111',
        '6759\t6498\t2643\t8453',
        'v4111.1111.1111.1111',
        'img_4111_1111_1111_1111',
        '{"spanId":"4111111111111111"}',
        'parent span 4111111111111111 ended',
        '{"messageId": "4111111111111111"}',
        'ts=4111111111111111',
        'dd.span_id 4111111111111110005',
        'seen by 4111111111111110005 first',
      ],
    },
  },
];
