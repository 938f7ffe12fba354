import { fitsAt } from '../match-at.ts';
import { EXTENSION, isGlued, numbersAt } from './digit-groups.ts';
import type { NumberText } from './digit-groups.ts';
import type { Rule, Span } from '../rule.ts';

/**
 * Telephone numbers: international ones (ITU-T E.164), national ones as E.123 and the national numbering plans write them,
 * and others where a word says what they are. Whether a number is assigned is not asked: nearly every one is, in some
 * country, and those that people make up are hidden as well.
 */

/** North American numbers in groups; the area code is bounded where nothing else says that it is a phone. */
const NANP = /^(?:(?:00)?1[ .-])?(?:\([2-9]\d\d\)[ .-]{0,2}|[2-9]\d\d[ .-]{1,2})\d{3}[ .-]\d{4}$/;
const GROUPED = /^(?:(?:00)?1[ .-])?(?:\(\d{3}\)[ .-]{0,2}|\d{3}[ .-])\d{3}[ .-]\d{4}$/;

/**
 * National numbers that look like nothing else. A trunk prefix 0 and an area code (E.123 7.1: most of Europe, Asia,
 * Africa, Australia); an area code in brackets; Denmark and Norway in pairs; nine digits in threes with dashes (Spain,
 * Poland, Portugal, Czechia); Russia's trunk prefix 8; groups of three, two and two; Brazilian and Chinese mobile phones;
 * the prefixes 00 and 011 before a country.
 */
const NATIONAL = new RegExp(
  [
    String.raw`^\(?0[1-9]\d{0,4}\)?[ /-]{1,3}\d{2,8}(?:[ /-]\d{2,5}){0,4}$`,
    String.raw`^\(?0[1-9]\d{0,3}\)?\.\d{2,4}(?:\.\d{2,4}){1,4}$`,
    String.raw`^\((?!19|20\d\d)\d{2,4}\) ?\d{3,5}[ -]\d{3,4}$`,
    String.raw`^(?!(?:19|2\d)-(?:0\d|1[0-2])-[0-3]\d-)\d\d-\d\d-\d\d-\d\d$`,
    String.raw`^[5-9]\d\d-\d{3}-\d{3}$`,
    String.raw`^8[ -]?\(?\d{3}\)?[ -]\d{3}-\d\d-\d\d$`,
    String.raw`^\d{2,3} \d{3} \d\d \d\d$`,
    String.raw`^\(?\d\d\)? 9\d{4}-\d{4}$`,
    String.raw`^1[3-9]\d([ -])\d{4}\1\d{4}$`,
    String.raw`^(?:00|011)[ .-]?[1-9]\d{0,2}[ .-]\(?\d{1,5}\)?(?:[ .-]\d{2,8}){1,5}$`,
  ].join('|'),
);
/** ZIP+4 of the United States. */
const ZIP = /^\d{5}-\d{4}$/;
const STATE = /(?:^|[^A-Za-z])[A-Z]{2}[\s#*/]{1,6}$/;
/** Rows of figures and dumps of memory stand in groups of four. */
const FOURS = /^\d{4}(?: \d{4}){2,}$/;
const DATE = /^(?:19|20)\d\d[-./]\d\d?[-./]\d\d?|^\d\d?[-./]\d\d?[-./](?:19|20)\d\d/;
/** Of a phone no group between dots is one digit, but for the first. */
const VERSION_LIKE = /\.\d\./;
const IP_LIKE = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/** Words for a telephone, in the languages that most is written in. */
const STRONG_WORDS =
  'phone|mobile|cell|tel|fax|sms|whatsapp|hotline|handy|mobil|rufnummer|portable|móvil|movil|celular|cellulare|mobiel|gsm|komórk[aięo]|тел|факс|моб|电话|電話|手机|携帯|전화|휴대폰|핸드폰|연락처|(?<!\\p{L})celu?(?!\\p{L})|puhelin|(?<!\\p{L})tlf(?!\\p{L})|κινητ|τηλ';
const OTHER_WORDS =
  'call(?:ed|back)?|(?<![A-Za-zÀ-ɏ])(?:text|bel(?:len)?)|dial|reach(?: me| us| him| her)?(?: at| on)?|contact|number|(?<!st)ring|nummer|numéro|numero|número|anruf|appel|llam|chiam|lig(?:ar|ue)|zadzwoń|numer|номер|звон|号码|番号|번호';
const FILLER = String.raw`[\p{L}\d_"'\\]{0,12}(?: (?:number|no|is|at|on|me|us|was|to|back|nr|her|him|ist|est|es|es el|é|il|unter|au|al|is het)\.?){0,3}[\s.:：?="'\\(+*]{0,8}`;
const PHONE_WORD = backwards(`(?:${STRONG_WORDS}|${OTHER_WORDS})${FILLER}`);
const NEAR_WORD = backwards(`(?:${STRONG_WORDS})${FILLER}`);
/** Read from the end of a text on: from its beginning each place would be tried. */
function backwards(source: string): RegExp {
  return new RegExp(`(?<=${source})`, 'iuy');
}

function endsWith(text: string, pattern: RegExp): boolean {
  return fitsAt(pattern, text, text.length);
}

/** Further back in the sentence. */
const FAR_WORD =
  /(?:\b[Cc]ontact:|\b(?:tele)?phone|\bmobile number|\bwhatsapp|\bhotline|\bfax|\bTelefon|\bHandy|téléphone|teléfono|телефон)(?!s\b)[^\d\n.!?;]{0,44}$/iu;
const WORD_BEHIND =
  /^\)?,? (?:is|was) (?:my|his|her|our|their|the) (?:\w{1,12} ){0,2}(?:phone|number|cell|mobile|fax)\b/i;
const LABEL = /^[ -]{0,2}(?:office|fax|mobile|home|cell|phone|tel|work)\b/i;
const BARE_LABEL = /^(?:-| ?\()(?:office|fax|mobile|home|cell|phone|tel|work)\b/i;

/** Other numbers in front, as in a list. */
const LISTED =
  /(?<![\w./@#$%-])(?!(?:19|20)\d\d[-./])(?:\+?\(?\d(?:[ .\-()]{0,2}\d){6,14}(?: ?\/ ?|[,;] ?)|\d{9,15}[ ,;/]{1,2}){1,2}$/;
const ENDS_LISTED = /\d[ ,;/]{1,3}$/;
const ALTERNATIVE = /^ ?\/ ?\d{3}([-.])\d{3}\1\d{4}(?!\w)/;

function findPhone(text: string, at: number): Span | undefined {
  for (const number of numbersAt(text, at)) {
    const phone = phoneOf(number, text);
    if (phone) return phone;
  }
  return undefined;
}

function phoneOf(number: NumberText, text: string): Span | undefined {
  const { raw, digits, before, end } = number;
  const lead = MAY_LEAD.has(before.at(-1)) ? (LEAD.exec(before)?.[0] ?? '') : '';
  const span = { start: number.start - lead.length, end };
  if (digits > MAX_DIGITS || DATE.test(raw) || raw.includes('//')) return undefined;
  const ahead = withoutListed(lead === '' ? before : before.slice(0, -lead.length));
  const after = text.slice(end, end + 14);
  const written = `${lead}${raw}`;
  const isBare = raw.length === digits;
  if (LABEL.test(after) && (!isBare || BARE_LABEL.test(after)) && !/[\w/.-]$/.test(ahead))
    return withExtension(text, span);
  if (EXTENSION.test(after) && GROUPED.test(written) && !/\w$/.test(ahead)) return withExtension(text, span);
  const isAlone = text[end] === '/' && isSpoken(number, written, ahead, text);
  if (isGlued(ahead, isAlone ? '' : text, end) || /[+~^]$/.test(ahead)) return undefined;
  if (lead.includes('+'))
    return digits >= 8 && (!raw.includes('/') || BEHIND_AREA.test(raw))
      ? withExtension(text, span)
      : undefined;
  if (OTHER_NUMBER.test(ahead.slice(-MAX_OTHER)) || DUMP.test(ahead.slice(-MAX_DUMP)) || UNIT.test(after))
    return undefined;
  if (NANP.test(written) || isNational(written, ahead)) return withExtension(text, span);
  if (lead !== '' && (NANP.test(raw) || isNational(raw, ahead)))
    return withExtension(text, { start: number.start, end });
  return isAnnounced(number, ahead, text) ? withExtension(text, span) : undefined;
}

/** As no part of a path is, so that a slash behind it is none of one. */
function isSpoken({ raw, end }: NumberText, written: string, ahead: string, text: string): boolean {
  return (
    written.includes('+') ||
    /[ (]/.test(raw) ||
    ALTERNATIVE.test(text.slice(end, end + 16)) ||
    endsWith(ahead, PHONE_WORD)
  );
}

/** One slash, behind the area code, as in Austria and Germany. */
const BEHIND_AREA = /^\d{1,3}[ -]?(?:\(0\)[ -]?)?\(?\d{2,5}\)? ?\/ ?\d[\d -]{3,14}$/;

/** What belongs to a number in front of its first digit, and the signs that end it. */
const LEAD = /(?:\+|\(\+?|\b00)$/;
const MAY_LEAD: ReadonlySet<string | undefined> = new Set('+(0');

function withoutListed(before: string): string {
  return ENDS_LISTED.test(before.slice(-4)) ? before.replace(LISTED, '') : before;
}

const MAX_DIGITS = 16;

/** What else is counted, measured and numbered in groups. */
const OTHER_NUMBER =
  /(?:^|[^\p{L}])(?:accessions?|articles?|art|bounds|build|bytes|case|checksums?|code|coordinates|counts?|dates?|dimensions|elapsed|ids?|indices|invoices?|isbn|issn|issues?|items?|lines?|lots?|matrix|models?|offsets?|orders?|pages?|parts?|ports?|positions?|ranges?|references?|ref|releases?|revisions?|rows?|serials?|sizes?|sku|tickets?|times?|timings?|timestamps?|tolerances?|tracking|values|vectors?|versions?)(?:[ _-](?:codes?|id|no|nr|numbers?))?(?: (?:is|was))?[\s.:#=(]{1,4}$|(?:project[ _-]?(?:number|no|id)["'\\]{0,4}[:=]?["'\\]{0,4}|(?:주문|송장|운송장|예약|접수) ?번호|(?:注文|追跡|予約)番号|(?:订单|訂單|运单|快递)(?:编号|編號|号码?)|(?:bestell|auftrags|rechnungs|sendungs|vorgangs|bestel|factuur|order)nummer|(?:n[uú]m[eé]ro|n[º°]) (?:de |do |da |d['’])?(?:commande|facture|suivi|pedido|factura|fatura|orden|ordine|fattura|encomenda)|numer (?:zamówienia|faktury|przesyłki)|номер (?:заказа|накладной|замовлення))(?:는|은|は|是|为)?[\s.:：#№=(]{0,4}$/iu;
/** Longer than any match. */
const MAX_OTHER = 32;
/** Two bytes in hex before it: a dump of memory. */
const DUMP = /(?:^|[^\p{L}\d])(?:[\da-f]{2} ){2}$/iu;
const MAX_DUMP = 8;
const UNIT =
  /^ (?:bits|bytes|cycles|entries|items|kb|lines|mb|ms|ns|px|rows|seconds|tokens|us|µs)(?![\p{L}\d])/iu;

function isNational(written: string, ahead: string): boolean {
  if (
    !NATIONAL.test(written) ||
    FOURS.test(written) ||
    (ZIP.test(written) && STATE.test(ahead)) ||
    /\d [\d.]{0,12}$|\d{4} $/.test(ahead)
  )
    return false;
  const digits = written.replace(/\D/g, '').length;
  const isAbroad = /^0(?:0|11)/.test(written);
  return digits >= 8 && digits <= (isAbroad ? MAX_DIGITS : 12) && (digits > 8 || !written.startsWith('0'));
}

function isAnnounced({ raw, digits, end }: NumberText, ahead: string, text: string): boolean {
  if (IP_LIKE.test(raw) || VERSION_LIKE.test(raw)) return false;
  const isBare = raw.length === digits;
  if (digits === 6) return SHORT.test(raw) && endsWith(ahead, PHONE_WORD);
  if (isBare && digits < 9) return endsWith(ahead, NEAR_WORD);
  if (endsWith(ahead, PHONE_WORD) || WORD_BEHIND.test(text.slice(end, end + 60))) return true;
  return !isBare && FAR_WORD.test(ahead);
}

/** Of small countries. */
const SHORT = /^\d\d \d\d \d\d$|^\d{3}[ -]\d{3}$/;

function withExtension(text: string, span: Span): Span {
  const extension = EXTENSION.exec(text.slice(span.end, span.end + 14));
  return extension ? { start: span.start, end: span.end + extension[0].length } : span;
}

export const PHONE_RULES: readonly Rule[] = [
  {
    id: 'phone',
    kind: 'PHONE',
    trigger: 'number',
    find: findPhone,
    examples: {
      hits: [
        'ring ⟦+44 20 7946 0833⟧ today',
        'at ⟦(415) 555-0168⟧.',
        'me (⟦415-555-0168⟧)',
        '⟦+44 20 7946 0833⟧ (2)',
        'call ⟦415-555-0168⟧ (4111 1111)',
        'ext 5 ⟦415-555-0168⟧ 12345',
        'phone: ⟦5550168123⟧',
        'at ⟦+49 (0) 30 90 18 20⟧',
        'or ⟦0049 30 901820⟧ abroad',
        'ask ⟦06-12345678⟧ or',
        'ask ⟦0664 123 45 67⟧ or',
        'ask ⟦0171 / 48 22 906⟧ or',
        'ask ⟦+49 (0) 171 / 48 22 906⟧ or',
        'tlf. ⟦91 23 45 67⟧,',
        'ask ⟦01.23.45.67.89⟧ or',
        'ask ⟦(03) 5387 6789⟧ or',
        'ask ⟦(11) 3456-7890⟧ or',
        'ask ⟦51-16-34-25⟧ or',
        'ask ⟦678-123-456⟧ or',
        'ask ⟦8 (495) 123-45-67⟧ or',
        'ask ⟦67 123 45 67⟧ or',
        'Mein Handy: ⟦0151 23456789⟧',
        '电话：⟦13812345678⟧',
        'телефон ⟦8 912 345 67 89⟧',
        'call me at ⟦92 34 70⟧',
        'Can she ring? ⟦71 123 456⟧',
        '⟦71 123 456⟧ is my new number',
        'the phone of our new office is ⟦45 678 901⟧',
        'at ⟦415-555-2671⟧/415-555-2672',
        'at 415-555-2671/⟦415-555-2672⟧',
        'call ⟦4155552671⟧ 4155552672',
        'call 4155552671 ⟦4155552672⟧',
        'call 4155552671, ⟦4155552672⟧',
        'call ⟦4155552671⟧ 415-555-0168 12345',
        'at ⟦(415) 555-0168⟧ 12345',
        'at ⟦415-555-0168⟧. 2 of them',
        'call ⟦4155552671⟧. 415-555-0168',
        'call ⟦4155552671⟧ 4155552672ext 5 12345',
        'at ⟦+43(0)5522/73 481-12⟧.',
        'mi cel es ⟦55 4821 9036⟧',
        String.raw`"call\n⟦415-555-0168⟧"`,
        'tel ⟦030 901820⟧ / 0171 4822906',
        'tel 030 901820 / ⟦0171 4822906⟧',
        'Tel.: ⟦0664 123 45 67⟧ / 0664 123 45 68',
        'Tel +49 30 901820/⟦+49 171 4822906⟧',
        'Tel ⟦0171/4822906⟧ / 030/901820',
        'phone: ⟦+44 20 7946 0833⟧ / 71 123 456',
        'phone: +44 20 7946 0833 / ⟦71 123 456⟧',
        'it is ⟦+14155550168⟧ / 12',
        'phone ⟦+1 415 555 0168⟧ - 12 calls',
        'call ⟦0664 1234567⟧ - 0664 1234568',
        'phone ⟦+44 20 7946 0833⟧/bob',
        'phone ⟦5550168123⟧/12',
        'Mein Handy: ⟦0151 23456789⟧ 2026-01-02',
        'ask ⟦(0171) / 48 22 906⟧ or',
        'tel ⟦0049 6221 / 1234567⟧ or',
        'tel ⟦0472/88/12/34⟧ or',
        'tel ⟦555 - 123 - 4567⟧ or',
        'tel ⟦030 901820 - 12⟧ or',
      ],
      misses: [
        '1718893425123',
        '2024-01-21 18:28:22',
        '3f9a-312-555-0160-b',
        'version 4.15.555.0168',
        'id 312555016',
        'ids 312555016 4155552671',
        'a/415-555-2671/b',
        '0100 0200 0300 0400',
        '24-01-15-10',
        'ISBN 0201-53082-1',
        'ports 60000-61000',
        '678 123 456 rows',
        'sum 0.123 456 789',
        'phone 12.05.24',
        'number 4 of 123 456 789',
        'a/415-555-2671/415-555-2672',
        'part no 678-123-456',
        'sizes 10 200 30 40',
        'took 0412 345 678 ns',
        'Boston, MA 02110-1301',
        'parse_string("324 234")',
        'the build number is 10.4.2.1187',
        '주문번호 20250304-0017732',
        'numéro de commande : 4501-2298716',
        'order number is 678-123-456',
        'Carl Nebel (1805-1855) was',
        'the label 1000-2000 and the context 1000-2000',
        'accession number 2022.128',
        'issue no. 2023-144',
        'passed 4821 / 9036 of them',
        'lines 0412 - 0498 are',
        'took 12 / 34 / 56 78 ns',
        'at 0833 2026-01-02',
        'a/0664 123 45 67/b',
        'phone call on 2024-01-15, 12345678',
        'see 612-345-678/2',
      ],
    },
  },
];
