import { endsEscape, isAlnum, isDigit, isLetter } from '../characters.ts';
import type { Rule, Span } from '../rule.ts';
import { isCardNumber, isSsn, mod97 } from '../validators.ts';

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

/** Seven to nineteen digits with the separators people use, and what leads to them. */
function numberAt(text: string, at: number): NumberText | undefined {
  DIGIT_GROUPS.lastIndex = at;
  const match = DIGIT_GROUPS.exec(text);
  if (!match) return undefined;
  const end = at + match[0].length;
  if (/^\w/.test(text.charAt(end)) && !EXTENSION.test(text.slice(end, end + 14))) return undefined;
  return {
    start: at,
    end,
    raw: match[0],
    digits: match[0].replace(/\D/g, ''),
    before: endsEscape(text, at) ? '' : text.slice(Math.max(0, at - 40), at),
  };
}

/** Part of an id, a path, a version or a decimal number. */
function isGlued(number: NumberText, text: string): boolean {
  const before = number.before.slice(-1);
  const after = text.slice(number.end, number.end + 2);
  return /[\w/\-.@#$%]/.test(before) || /^[-./:@][A-Za-z0-9]/.test(after);
}

/** A card number in groups, where more digits may follow: a check value, a date, another card. */
const GROUPED_CARD = /^(?:\d{4}([ -])\d{4}\1\d{4}\1\d{4}|\d{4}([ -])\d{6}\2\d{5}|\d{13,19})(?!\d)/;

function findCard(text: string, at: number): Span | undefined {
  return findWholeCard(text, at) ?? findLeadingCard(text, at);
}

function findLeadingCard(text: string, at: number): Span | undefined {
  const before = text.slice(Math.max(0, at - 2), at);
  const raw = GROUPED_CARD.exec(text.slice(at, at + 20))?.[0];
  if (raw === undefined || /[\w.@#$%/]$|\w-$/.test(before)) return undefined;
  const end = at + raw.length;
  // What follows must be more digits in the same writing; anything else was judged as a whole.
  if (!/^[ -]\d/.test(text.slice(end, end + 2)) || !isCardNumber(raw.replace(/\D/g, ''))) return undefined;
  return { start: at, end };
}

function findWholeCard(text: string, at: number): Span | undefined {
  const number = numberAt(text, at);
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
  const number = numberAt(text, at);
  if (!number) return undefined;
  const { raw, digits, before } = number;
  const lead = /(?:\+|\(\+?|\b00)$/.exec(before)?.[0] ?? '';
  const start = number.start - lead.length;
  const bare = raw === digits;
  if (digits.length > 15 || DATE.test(raw) || /\/\//.test(raw)) return undefined;
  const ahead = before.slice(0, before.length - lead.length);
  const after = text.slice(number.end, number.end + 14);
  const span = withExtension(text, { start, end: number.end });
  const written = `${lead}${raw}`;
  if (LABEL.test(after) && !bare && !/[\w/.-]$/.test(ahead)) return span;
  if (EXTENSION.test(after) && GROUPED.test(written) && !/\w$/.test(ahead)) return span;
  if (isGlued({ ...number, before: ahead }, text)) return undefined;
  if (lead.includes('+')) return digits.length >= 8 && !raw.includes('/') ? span : undefined;
  if (NANP.test(written)) return span;
  const isAddress = /^\d{1,3}(?:\.\d{1,3}){3}$/.test(raw);
  return PHONE_WORD.test(ahead) && (!bare || digits.length >= 9) && !isAddress ? span : undefined;
}

function withExtension(text: string, span: Span): Span {
  const extension = EXTENSION.exec(text.slice(span.end, span.end + 14));
  return extension ? { start: span.start, end: span.end + extension[0].length } : span;
}

/** ISO 13616: two letters, two check digits, up to 30 more, in one run or in groups of four. */
function findIban(text: string, at: number): Span | undefined {
  const start = at - 2;
  if (start < 0 || !isLetter(text.charCodeAt(start)) || !isLetter(text.charCodeAt(start + 1)))
    return undefined;
  if (start > 0 && isAlnum(text.charCodeAt(start - 1))) return undefined;
  const match = /^[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])/i.exec(
    text.slice(start, start + 45),
  );
  if (!match) return undefined;
  const iban = match[0].replace(/ /g, '').toUpperCase();
  return iban.length >= 15 && mod97(iban) ? { start, end: start + match[0].length } : undefined;
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
      hits: [{ text: 'IBAN GB82 WEST 1234 5698 7654 32.', hidden: 'GB82 WEST 1234 5698 7654 32' }],
      misses: ['GB83WEST12345698765432', 'AB12'],
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
      ],
      misses: ['4111 1111 1111 1112', 'order 1718893425123', '0.4111111111111111'],
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
        { text: 'phone: 5550168123', hidden: '5550168123' },
        { text: String.raw`"call\n415-555-0168"`, hidden: '415-555-0168' },
      ],
      misses: [
        '1718893425123',
        '2024-01-21 18:28:22',
        '3f9a-312-555-0160-b',
        'version 4.15.555.0168',
        'id 312555016',
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
