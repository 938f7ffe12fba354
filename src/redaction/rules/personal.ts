import { endsEscape, isAlnum, isDigit, isLetter } from '../characters.ts';
import { endOfIban } from '../iban.ts';
import type { Rule, Span } from '../rule.ts';
import { isCardNumber, isSsn } from '../validators.ts';

/** Structured personal data. Each needs its own shape and a check; bare digits need a word that says what they are. */

const DIGIT_GROUPS = /\d(?:[ .\-()/]{0,2}\d){6,18}/y;
const PHONE_WORD =
  /(?:phone|mobile|cell|call(?:ed|back)?|tel|fax|sms|text|whatsapp|dial|reach(?: me| us| him| her)?(?: at| on)?|contact|number|ring)[\w"'\\]{0,12}(?: (?:number|no|is|at|on|me|us|was|to|back|nr|her|him)){0,3}[ .:="'\\(+]{0,8}$/i;
const CARD_WORD = /(?:card|visa|mastercard|amex|maestro|pan|cc)\b[\w"' :=.#\\-]{0,24}$/i;
const SSN_WORD = /(?:ssn|social security|social)\b[\w"' :=.#\\-]{0,24}$/i;
/** North American numbers in groups; the area code is bounded where nothing else says that it is a phone. */
const NANP = /^(?:(?:00)?1[ .-])?(?:\([2-9]\d\d\)[ .-]{0,2}|[2-9]\d\d[ .-]{1,2})\d{3}[ .-]\d{4}$/;
const GROUPED = /^(?:(?:00)?1[ .-])?(?:\(\d{3}\)[ .-]{0,2}|\d{3}[ .-])\d{3}[ .-]\d{4}$/;
const EXTENSION = /^ ?(?:x|ext\.? ?)\d{1,6}(?!\w)/i;
const LABEL = /^[ -]{0,2}(?:office|fax|mobile|home|cell|phone|tel|work)\b/i;
const DATE = /^(?:19|20)\d\d[-./]\d\d?[-./]\d\d?|^\d\d?[-./]\d\d?[-./](?:19|20)\d\d/;

interface NumberText {
  readonly start: number;
  readonly end: number;
  readonly raw: string;
  readonly digits: string;
  readonly before: string;
}

/**
 * What of digits in groups may be a number by itself: it ends before a bracket, before a space, slash or full stop behind
 * dashes, dots or a bracketed area code, or, if it is bare, before any other digits.
 */
const FIRST_OF_TWO =
  /^(?:(?:\d{3}([-.])\d{3}\1\d{4}|\d{3}\)[ .-]{0,2}\d{3}[ .-]\d{4})(?=\.? |\/)|\d{9,15}(?=[ .\-()/]{1,2}\d)|\d(?:[ .\-)/]{0,2}\d){6,18}(?= ?\())/;
/** Other numbers in front, as in a list. */
const LISTED = /(?<![\w./@#$%-])(?:\d{3}([-.])\d{3}\1\d{4} ?\/ ?|\d{9,15}[ ,;/]{1,2}){1,2}$/;
const ALTERNATIVE = /^ ?\/ ?\d{3}([-.])\d{3}\1\d{4}(?!\w)/;

/** Seven to nineteen digits with the separators people use, and what leads to them: all there are, and the first number of two. */
function numbersAt(text: string, at: number): readonly NumberText[] {
  DIGIT_GROUPS.lastIndex = at;
  const whole = DIGIT_GROUPS.exec(text)?.[0];
  if (whole === undefined) return NO_NUMBERS;
  const first = FIRST_OF_TWO.exec(text.slice(at, at + MAX_TWO))?.[0];
  const numbers = first === undefined ? [whole] : [whole, first];
  return numbers.flatMap((raw) => {
    const end = at + raw.length;
    if (/^\w/.test(text.charAt(end)) && !EXTENSION.test(text.slice(end, end + 14))) return [];
    const before = endsEscape(text, at) ? '' : text.slice(Math.max(0, at - 40), at);
    return [{ start: at, end, raw, digits: raw.replace(/\D/g, ''), before }];
  });
}

const NO_NUMBERS: readonly NumberText[] = [];
/** Characters of two numbers that follow one another. */
const MAX_TWO = 40;

/** Part of an id, a path, a version or a decimal number. */
function isGlued(number: NumberText, text: string): boolean {
  const before = number.before.slice(-1);
  const after = text.slice(number.end, number.end + 2);
  return /[\w/\-.@#$%]/.test(before) || /^[-./:@][A-Za-z0-9]/.test(after);
}

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
  return findWholeCard(text, at) ?? findLeadingCard(text, at) ?? findWideCard(text, at);
}

function findWideCard(text: string, at: number): Span | undefined {
  const raw = WIDE_CARD.exec(text.slice(at, at + 34))?.[0];
  if (raw === undefined) return undefined;
  const before = text.slice(Math.max(0, at - 40), at);
  const digits = raw.replace(/\D/g, '');
  if (/[\w.@#$%/]$|\w-$/.test(before) || !isCardNumber(digits)) return undefined;
  const isRow = /\d{4}\s{1,2}$/.test(before);
  if ((isRow || !WELL_KNOWN.test(digits)) && !CARD_WORD.test(before)) return undefined;
  return { start: at, end: at + raw.length };
}

function findLeadingCard(text: string, at: number): Span | undefined {
  const before = text.slice(Math.max(0, at - 10), at).replace(LEADING_CODE, '');
  const raw = GROUPED_CARD.exec(text.slice(at, at + 20))?.[0];
  if (raw === undefined || /[\w.@#$%/]$|\w-$/.test(before)) return undefined;
  const end = at + raw.length;
  // What follows must be more digits; anything else was judged as a whole. Behind a bare one they may be of a path.
  const more = /[ -]/.test(raw) ? /^(?:[ /-]| ?\()\d/ : TRAILING_CODE;
  if (!more.test(text.slice(end, end + 12)) || !isCardNumber(raw.replace(/\D/g, ''))) return undefined;
  return { start: at, end };
}

function findWholeCard(text: string, at: number): Span | undefined {
  const [whole] = numbersAt(text, at);
  const number = whole && { ...whole, before: whole.before.replace(LEADING_CODE, '') };
  if (!number || number.digits.length < 12 || /[./()]/.test(number.raw) || isGlued(number, text))
    return undefined;
  const grouped = /^\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}$|^\d{4}([ -])\d{6}\2\d{4,5}$/.test(number.raw);
  const bare = number.raw === number.digits;
  if (!isCardNumber(number.digits) || !(grouped || bare)) return undefined;
  if (bare && number.digits.length < 14 && !CARD_WORD.test(number.before)) return undefined;
  return { start: number.start, end: number.end };
}

function findSsn(text: string, at: number): Span | undefined {
  const match = /^(\d{3})([- ]?)(\d{2})\2(\d{4})(?![\w-])/.exec(text.slice(at, at + 12));
  if (!match) return undefined;
  const before = text.slice(Math.max(0, at - 40), at);
  if (match[2] !== '-' && !SSN_WORD.test(before)) return undefined;
  if (/[\w\-./]$/.test(before) || !isSsn(match[1] ?? '', match[3] ?? '', match[4] ?? '')) return undefined;
  return { start: at, end: at + match[0].length };
}

function findPhone(text: string, at: number): Span | undefined {
  for (const number of numbersAt(text, at)) {
    const phone = phoneOf(number, text);
    if (phone) return phone;
  }
  return undefined;
}

function phoneOf(number: NumberText, text: string): Span | undefined {
  const { raw, digits, before } = number;
  const lead = /(?:\+|\(\+?|\b00)$/.exec(before)?.[0] ?? '';
  const start = number.start - lead.length;
  const bare = raw === digits;
  if (digits.length > 15 || DATE.test(raw) || /\/\//.test(raw)) return undefined;
  const ahead = before.slice(0, before.length - lead.length).replace(LISTED, '');
  const after = text.slice(number.end, number.end + 14);
  const span = withExtension(text, { start, end: number.end });
  const written = `${lead}${raw}`;
  if (LABEL.test(after) && !bare && !/[\w/.-]$/.test(ahead)) return span;
  if (EXTENSION.test(after) && GROUPED.test(written) && !/\w$/.test(ahead)) return span;
  const isFirst = ALTERNATIVE.test(text.slice(number.end, number.end + 16));
  if (isGlued({ ...number, before: ahead }, isFirst ? '' : text)) return undefined;
  if (lead.includes('+')) return digits.length >= 8 && !raw.includes('/') ? span : undefined;
  if (NANP.test(written)) return span;
  if (NANP.test(raw)) return withExtension(text, { start: number.start, end: number.end });
  const isAddress = /^\d{1,3}(?:\.\d{1,3}){3}$/.test(raw);
  return PHONE_WORD.test(ahead) && (!bare || digits.length >= 9) && !isAddress ? span : undefined;
}

function withExtension(text: string, span: Span): Span {
  const extension = EXTENSION.exec(text.slice(span.end, span.end + 14));
  return extension ? { start: span.start, end: span.end + extension[0].length } : span;
}

/** ISO 13616: a country, two check digits, and as many more as the country's account numbers have. */
function findIban(text: string, at: number): Span | undefined {
  const start = at - 2;
  if (start < 0 || (start > 0 && isAlnum(text.charCodeAt(start - 1)))) return undefined;
  const end = endOfIban(text, start);
  return end === undefined ? undefined : { start, end };
}

const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}';
const BIRTH = new RegExp(
  String.raw`^(?:born|dob|d\.o\.b\.?|date[ _-]of[ _-]birth|birth[ _-]?(?:day|date))["'\\]{0,4}(?: (?:on|is|was|in)){0,2}[ :="'\\(]{1,8}(?<v>\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4}|\d{1,2}\.? ${MONTH},? \d{4}|${MONTH} \d{1,2},? \d{4})`,
  'i',
);

function findBirth(text: string, at: number): Span | undefined {
  if (at > 0 && isLetter(text.charCodeAt(at - 1))) return undefined;
  const match = BIRTH.exec(text.slice(at, at + 80));
  const value = match?.groups?.['v'];
  if (!match || value === undefined || isDigit(text.charCodeAt(at + match[0].length))) return undefined;
  return { start: at + match[0].length - value.length, end: at + match[0].length };
}

export const PERSONAL_RULES: readonly Rule[] = [
  {
    id: 'iban',
    kind: 'IBAN',
    trigger: 'number',
    find: findIban,
    examples: {
      hits: [
        { text: 'IBAN GB82 WEST 1234 5698 7654 32.', hidden: 'GB82 WEST 1234 5698 7654 32' },
        { text: 'AT61 1904 3002 3457 3201 paid late', hidden: 'AT61 1904 3002 3457 3201' },
        { text: 'to de89370400440532013000', hidden: 'de89370400440532013000' },
      ],
      // Ids whose check digits happen to be right.
      misses: [
        'GB83WEST12345698765432',
        'AB12',
        'dc131a5158af82df',
        'fb360d830fac88e6f69a0a39bf2af73d',
        'ed93ad59436277fbf45276315be2112b',
      ],
    },
  },
  {
    id: 'card',
    kind: 'CARD',
    trigger: 'number',
    find: findCard,
    examples: {
      hits: [
        { text: 'card 4111 1111 1111 1111 ok', hidden: '4111 1111 1111 1111' },
        { text: '378282246310005', hidden: '378282246310005' },
        { text: 'card 4111 1111 1111 1111 123', hidden: '4111 1111 1111 1111' },
        { text: 'card 4111111111111111 12/27', hidden: '4111111111111111' },
        { text: 'card 4111 1111 1111 1111 (123)', hidden: '4111 1111 1111 1111' },
        { text: 'card 4111-1111-1111-1111/123', hidden: '4111-1111-1111-1111' },
        { text: 'card 4111111111111111(123)', hidden: '4111111111111111' },
        { text: 'with 4111111111111111/123', hidden: '4111111111111111' },
        { text: 'with 4111111111111111/12/27.', hidden: '4111111111111111' },
        { text: 'with 123/4111 1111 1111 1111', hidden: '4111 1111 1111 1111' },
        { text: 'with 12/27/4111111111111111', hidden: '4111111111111111' },
        { text: 'it is 4111\t1111\t1111\t1111', hidden: '4111\t1111\t1111\t1111' },
        { text: 'it is 4111\n1111\n1111\n1111\n123', hidden: '4111\n1111\n1111\n1111' },
        { text: 'it is 4111\r\n1111\r\n1111\r\n1111', hidden: '4111\r\n1111\r\n1111\r\n1111' },
        { text: 'it is 4111  1111  1111  1111', hidden: '4111  1111  1111  1111' },
        { text: '4111111111111111   4111_1111_1111_1111', hidden: '4111_1111_1111_1111' },
        { text: 'it is 4111.1111.1111.1111.', hidden: '4111.1111.1111.1111' },
        { text: 'it is 4111_1111_1111_1111', hidden: '4111_1111_1111_1111' },
        { text: 'it is 4111/1111/1111/1111', hidden: '4111/1111/1111/1111' },
        { text: 'it is 3782  822463  10005', hidden: '3782  822463  10005' },
        { text: 'my card: 6759\t6498\t2643\t8453', hidden: '6759\t6498\t2643\t8453' },
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
      ],
    },
  },
  {
    id: 'ssn',
    kind: 'SSN',
    trigger: 'number',
    find: findSsn,
    examples: {
      hits: [
        { text: 'SSN 078-05-1120.', hidden: '078-05-1120' },
        { text: 'ssn: 078051120', hidden: '078051120' },
      ],
      misses: ['000-12-3456', '2024-05-1120', '078051120'],
    },
  },
  {
    id: 'phone',
    kind: 'PHONE',
    trigger: 'number',
    find: findPhone,
    examples: {
      hits: [
        { text: 'ring +44 20 7946 0833 today', hidden: '+44 20 7946 0833' },
        { text: 'at (415) 555-0168.', hidden: '(415) 555-0168' },
        { text: 'me (415-555-0168)', hidden: '415-555-0168' },
        { text: '+44 20 7946 0833 (2)', hidden: '+44 20 7946 0833' },
        { text: 'call 415-555-0168 (4111 1111)', hidden: '415-555-0168' },
        { text: 'ext 5 415-555-0168 12345', hidden: '415-555-0168' },
        { text: 'phone: 5550168123', hidden: '5550168123' },
        { text: 'at 415-555-2671/415-555-2672', hidden: '415-555-2671' },
        { text: 'at 415-555-2671/415-555-2672', hidden: '415-555-2672' },
        { text: 'call 4155552671 4155552672', hidden: '4155552671' },
        { text: 'call 4155552671 4155552672', hidden: '4155552672' },
        { text: 'call 4155552671, 4155552672', hidden: '4155552672' },
        { text: 'call 4155552671 415-555-0168 12345', hidden: '4155552671' },
        { text: 'at (415) 555-0168 12345', hidden: '(415) 555-0168' },
        { text: 'at 415-555-0168. 2 of them', hidden: '415-555-0168' },
        { text: 'call 4155552671. 415-555-0168', hidden: '4155552671' },
        { text: 'call 4155552671 4155552672ext 5 12345', hidden: '4155552671' },
        { text: String.raw`"call\n415-555-0168"`, hidden: '415-555-0168' },
      ],
      misses: [
        '1718893425123',
        '2024-01-21 18:28:22',
        '3f9a-312-555-0160-b',
        'version 4.15.555.0168',
        'id 312555016',
        'ids 312555016 4155552671',
        'a/415-555-2671/b',
        'a/415-555-2671/415-555-2672',
      ],
    },
  },
  {
    id: 'birth_date',
    kind: 'DOB',
    hints: ['born', 'dob', 'd.o.b', 'date of birth', 'date_of_birth', 'birth'],
    find: findBirth,
    examples: {
      hits: [
        { text: 'date of birth: 1984-03-09', hidden: '1984-03-09' },
        { text: 'born on March 9, 1984', hidden: 'March 9, 1984' },
      ],
      misses: ['born in the USA', 'built on 1984-03-09'],
    },
  },
];
