import { signsBefore } from '../characters.ts';
import { matchAt } from '../match-at.ts';
import { decidedBy, matching, onlyWhere } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { luhn } from '../validators.ts';
import { ANSWERED, isRequest } from './asked.ts';
import { COUNTED } from './counted.ts';
import * as check from './id-checks.ts';
import { CJK_NAME, CJK_NAMES, NATIONAL_NAME, NATIONAL_NAMES, OTHER_NAMES } from './id-names.ts';

/** Numbers that states, hospitals and insurers give to people, behind their names or asked for by them. */

const NUMBER_WORD =
  'number|num|no|nr|n|n\\.?[º°]|№|nummer|numer|numeru|numero|número|numéro|numărul|номер|номера|numarası|numaram|numaranız|numara|αριθμός|číslo|cislo|száma|szám|broj|id|code|card|karte|carta|record|document|certificate';
const VERB_WORD =
  'is|was|reads|ist|war|lautet|est|était|es|era|é|è|e|jest|to|brzmi|er|är|on|este|je|είναι|είν|это|це|as|-|–|—';
const OWNER_WORD =
  'of|for|the|my|his|her|their|your|our|mein|meine|ihr|ihre|sein|seine|von|für|de|del|do|da|di|du|della|la|le|el|il|o|mon|ma|mi|su|meu|minha|seu|suo|sua|van|mijn|uw|mój|moja|mojego|moje|мой|моя|мій|моє|серия|серії|серія|и|та|μου|σας|του|της|min|mit|mitt|din|benim|minun|můj|môj';

const words = (list: string, most: number): string =>
  String.raw`(?:[ \t_./-]{1,2}(?:${list})(?![\p{L}\d])\.?){0,${most}}`;
const QUOTES = String.raw`[\\"'*\x60)\]>]{0,4}`;
const SIGN = String.raw`${QUOTES}[ \t]{0,3}(?:[:：=#]|[-=]>)?[ \t]{0,3}[\\"'#:*\x60(]{0,4}`;

/** Capitals and digits, in groups; the check sign of Hong Kong's stands in brackets. */
const VALUE = String.raw`(?<v>[A-Z]{0,5}[ -]?\d[A-Z\d]{0,20}(?:(?!${COUNTED})(?: ?№ ?|[ ./-])[A-Z\d]{1,8}){0,6}(?:\([A-Z\d]\))?|[A-Z]{4,6}\d{2,6}[A-Z\d]{3,10}|[A-Z]{6}[A-Z\d]{2}(?:[A-Z\d]{3})?)(?![\p{L}\p{M}\d_@]|${COUNTED})`;
const ANY_WORD = String.raw`(?:[ \t]\p{L}{2,14})`;

/** From a name to its number: words for one, verbs, and whose it is. */
const SHORT_JOINT = String.raw`\.?${words(`${NUMBER_WORD}|${VERB_WORD}|${OWNER_WORD}`, 4)}${SIGN}`;
/** The same with other words between. */
const JOINT = String.raw`\.?${words(`${NUMBER_WORD}|${VERB_WORD}|${OWNER_WORD}`, 4)}(?:["'\x60](?=[ \t]\p{L}))?${ANY_WORD}{0,2}?${words(`${VERB_WORD}|${NUMBER_WORD}`, 2)}${SIGN}`;

const ANNOUNCED = new RegExp(
  String.raw`(?:(?:${NATIONAL_NAME})[\p{L}\p{M}]{0,20}(?!\d)(?:${JOINT}|(?<asked>${ANSWERED}))|(?:patient|swift|bic|routing|bank account)${words(NUMBER_WORD, 4)}${words(VERB_WORD, 1)}${SIGN})${VALUE}`,
  'iuy',
);

/** Words of the sentence before and behind the number are not of it. */
const WORD_BEFORE = /^[a-z]{1,5}[ -](?=\d)/;
const OF_VALUE = /^(?:[A-Z\d]+|(?: ?№ ?|[ ./-])(?=[A-Z]*\d|[A-Z]\b))*(?:\([A-Z\d]\))?/;
const NUMBER_CASE = /^[A-Z\d ./()№-]+$|^[a-z\d ./-]*\d$/;
const BIC = /^[A-Z]{6}[A-Z\d]{2}(?:[A-Z\d]{3})?$/;
const DATE = /^(?:19|20)\d\d[-./]\d\d?[-./]\d\d?(?!\d)|^\d\d?[-./]\d\d?[-./](?:19|20)\d\d(?!\d)/;
const MAX_ID = 30;

function findAnnouncedId(text: string, at: number): Span | undefined {
  if (isInWord(text, at)) return undefined;
  const match = matchAt(ANNOUNCED, text, at);
  const found = match?.groups?.['v']?.replace(WORD_BEFORE, '');
  if (!match || found === undefined) return undefined;
  const start = at + match[0].length - found.length;
  const groups = OF_VALUE.exec(found)?.[0].replace(/[ ./-]+$/, '') ?? '';
  // Another number follows, and both together are longer than any.
  const value = groups.length > MAX_ID ? groups.replace(/ .*/, '') : groups;
  if (/^(?:swift|bic)/i.test(match[0]) && BIC.test(value)) return { start, end: start + value.length };
  if (match.groups?.['asked'] !== undefined && !isRequest(text, at, start)) return undefined;
  if (isShortNumber(value) && !OF_HOSPITALS.test(match[0])) return undefined;
  return isIdLike(value) ? { start, end: start + value.length } : undefined;
}

/** What states give has seven digits at least, or letters; numbers of hospitals may be short. */
export const isShortNumber = (value: string): boolean => /^\d{1,6}$/.test(value);
const OF_HOSPITALS = /^(?:mrn|medical|patient|member)/i;
/** Of a release, or a decimal number. */
const VERSION = /^\d{1,2}\.\d{1,2}\.\d+$|^\d+\.\d+$/;
/** What lists name that everybody can read: flaws, standards, patents. */
const LISTED = /^(?:CVE|CWE|DLA|DSA|DIN|IEC|ISO|PEP|RFC)[ -]|^(?:DE|EP|US|WO) ?\d{5,}(?:[ABCU]\d)?$/;

/** Five digits, or four among letters. */
export function isIdLike(value: string): boolean {
  const digits = value.replace(/\D/g, '').length;
  const isLong = digits >= 5 || (digits === 4 && /^[A-Z\d]{8,}$/.test(value));
  return (
    isLong &&
    value.length <= MAX_ID &&
    NUMBER_CASE.test(value) &&
    !DATE.test(value) &&
    !VERSION.test(value) &&
    !LISTED.test(value)
  );
}

/** In a word, or behind the end of a strand of DNA: `5' UTR`. */
function isInWord(text: string, at: number): boolean {
  return /[\p{L}\d]$|[35]['′’] ?$/u.test(signsBefore(text, at));
}

const CJK_JOINT = String.raw`(?:[ :：=「『"'“（(\t]|[字号號]|码|碼|番号|번호|증|뒷자리|です|の|は|が|是|为|為|는|은|이|가|를|을){0,8}`;
const IN_CJK = String.raw`(?:${CJK_NAME})(?:${CJK_JOINT}|(?<asked>${ANSWERED}))(?<v>[A-Za-z]{0,2}\d[\dA-Za-z]{0,18}(?:[ -]\d{2,8}[A-Za-z]?){0,3}(?:\([A-Za-z\d]\))?)(?![A-Za-z\d_@]|${COUNTED})`;
const ANNOUNCED_IN_CJK = new RegExp(IN_CJK, 'uy');

function findIdInCjk(text: string, at: number): Span | undefined {
  const match = matchAt(ANNOUNCED_IN_CJK, text, at);
  const value = match?.groups?.['v'];
  if (!match || value === undefined || !isIdLike(value.toUpperCase())) return undefined;
  const end = at + match[0].length;
  const isAsked = match.groups?.['asked'] !== undefined;
  return isAsked && !isRequest(text, at, end - value.length) ? undefined : { start: end - value.length, end };
}

interface ShortName {
  readonly id: string;
  /** Hints, each with what stands behind the name, which is part of many words. */
  readonly names: readonly string[];
  /** One of them is an everyday word of some language: a text that grows would wait for whatever follows it. */
  readonly isWord?: true;
  readonly form: string;
  /** @param id without separators, in capitals */
  readonly valid?: (id: string) => boolean;
  readonly hit: string;
  readonly misses: readonly string[];
}

/** Short names that are also other words: the form of the number decides, and its check digit where others look the same. */
const SHORT_NAMES: readonly ShortName[] = [
  {
    // Canada, ESDC
    id: 'sin',
    names: ['sin', 'nas'],
    isWord: true,
    form: String.raw`[1-9]\d{2}(?:[ -]?\d{3}){2}`,
    valid: luhn,
    hit: 'my SIN is ⟦130 692 544⟧',
    misses: ['SIN 130 692 545', 'sin 123456'],
  },
  {
    // India, Income Tax Department: the fourth letter says whose it is
    id: 'pan',
    names: ['pan'],
    isWord: true,
    form: String.raw`[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]`,
    hit: 'PAN card no: ⟦ABCPD1234E⟧',
    misses: ['PAN ABCDD1234E', 'pan abcpd1234e', 'pan 12345'],
  },
  {
    id: 'nip',
    names: ['nip'],
    form: String.raw`\d{3}-\d{3}-\d\d-\d\d|\d{3}-\d\d-\d\d-\d{3}|\d{10}`,
    valid: check.isNip,
    hit: 'NIP firmy to ⟦526-104-08-28⟧',
    misses: ['nip 526-104-08-29', 'nip 1234567'],
  },
  {
    // Mexico, SAT; documents of the IETF have four digits
    id: 'rfc',
    names: ['rfc'],
    form: String.raw`[A-ZÑ&]{3,4}[ -]?\d{6}[ -]?[A-Z\d]{3}`,
    hit: 'mi RFC es ⟦GODE561231GR8⟧',
    misses: ['RFC 5280', 'rfc gode561231gr8'],
  },
  {
    id: 'rut',
    names: ['rut', 'run'],
    isWord: true,
    form: String.raw`\d{1,2}\.?\d{3}\.?\d{3}-[\dK]`,
    valid: check.isRut,
    hit: 'su RUT es ⟦12345678-5⟧',
    misses: ['run 12345678-6', 'run 1234567'],
  },
  {
    // US, IRS: of employers and of taxpayers
    id: 'tin',
    names: ['ein', 'tin', 'fein'],
    isWord: true,
    form: String.raw`\d\d-\d{7}|\d{3}-\d\d-\d{4}|9\d{8}`,
    hit: 'TIN: ⟦12-3456789⟧',
    misses: ['ein 12-345678', 'ein 123456789'],
  },
  {
    id: 'pps',
    names: ['pps'],
    form: String.raw`\d{7} ?[A-W][A-IW]?`,
    valid: check.isPps,
    hit: 'my PPS is ⟦1234567FA⟧',
    misses: ['1234567T pps', 'pps 1234567A'],
  },
  {
    // Singapore, ICA
    id: 'fin',
    names: ['fin'],
    isWord: true,
    form: String.raw`[STFGM]\d{7}[A-Z]`,
    hit: 'FIN no. ⟦G1234567X⟧',
    misses: ['fin 1234567', 'fin A1234567X'],
  },
  {
    id: 'nie',
    names: ['nie', 'cif'],
    form: String.raw`[A-HJ-NP-SUVWXYZ][ -]?\d{7}[ -]?[A-Z\d]`,
    hit: 'mi NIE es ⟦X-1234567-L⟧',
    misses: ['nie 1234567', 'nie wieder 12345678'],
  },
  {
    // Brazil, Uruguay, Colombia: identity cards with dots
    id: 'dotted_id',
    names: ['rg', 'ci', 'c.i.', 'cc', 'c.c.', 'd.n.i.', 'id'],
    isWord: true,
    form: String.raw`\d{1,2}\.\d{3}\.\d{3}(?:-[\dX])?|[1-3]\.\d{3}\.\d{3}\.\d{3}`,
    hit: 'RG ⟦12.345.678-9⟧',
    misses: ['rg 12345678', 'CC 1.234.567.8', 'id 1.2.3'],
  },
  {
    // Czechia and Slovakia: date of birth, 50 more in the month for women
    id: 'rodne_cislo',
    names: ['rč', 'r.č.', 'r. č.', 'rc', 'rod. č.'],
    form: String.raw`\d\d(?:[05]\d|[16][0-2])[0-3]\d\/?\d{3,4}`,
    hit: 'RČ: ⟦736028/5163⟧',
    misses: ['rc 12345', 'rc 991328/5163'],
  },
  {
    id: 'id_number',
    names: ['id number', 'id no', 'id num', 'id-number', 'rsa id', 'sa id'],
    form: String.raw`\d{6} ?\d{4} ?[0-2][089]\d`,
    valid: check.isSouthAfrican,
    hit: 'ID number: ⟦8001015009087⟧',
    misses: ['ID number: 8001015009088', 'id number 1718893425123'],
  },
  {
    // Norway
    id: 'fnr',
    names: ['fnr', 'f.nr.', 'dnr'],
    form: String.raw`\d{6} ?\d{5}`,
    valid: check.isNorwegian,
    hit: 'Fnr. ⟦010107 50160⟧',
    misses: ['fnr 01010750161'],
  },
];

/** What stands behind a short name. */
const BEHIND_NAME = [' ', ':', '.', '=', '"', '-', '/', '：'];

function shortNameRule({ id, names, isWord, form, valid, hit, misses }: ShortName): Rule {
  const name = names.map((literal) => literal.replaceAll('.', String.raw`\.`)).join('|');
  const joint = isWord === true ? SHORT_JOINT : JOINT;
  const isValid = (value: string): boolean =>
    !/[a-z]/.test(value) && valid?.(value.replace(/[^A-Z\d]/g, '')) !== false;
  return {
    id: `announced_${id}`,
    kind: 'SSN',
    hints: names.flatMap((literal) => BEHIND_NAME.map((sign) => literal + sign)),
    wordStart: true,
    find: onlyWhere(
      (text, at) => !isInWord(text, at),
      matching(
        new RegExp(String.raw`(?:${name})${joint}(?<v>${form})(?![\p{L}\d_@]|[-.\/]\d)`, 'iu'),
        isValid,
      ),
    ),
    examples: { hits: [`${hit}, so`], misses },
  };
}

export const ANNOUNCED_ID_RULES: readonly Rule[] = [
  {
    id: 'announced_id',
    kind: 'SSN',
    hints: [...NATIONAL_NAMES, ...OTHER_NAMES],
    wordStart: true,
    find: decidedBy(ANNOUNCED, findAnnouncedId),
    examples: {
      hits: [
        'Passport number: ⟦C01X00T47⟧, valid',
        '{"passport_number":"⟦C01X00T47⟧"}',
        '{"passport_number" is "⟦C01X00T47⟧"}',
        'passport no. ⟦533380006⟧ was',
        'MRN: ⟦00482913⟧;',
        'hetu ⟦010180-123A⟧ AT61 1904 3002 3457 3201 paid',
        'patient id ⟦4829135⟧ came',
        'national insurance number ⟦QQ 12 34 56 C⟧.',
        'NHS number ⟦943 476 5919⟧',
        'Medicare number ⟦1EG4-TE5-MK73⟧',
        'Aadhaar ⟦2341 2341 2346⟧',
        'codice fiscale ⟦RSSMRA85T10A562S⟧',
        'CURP: ⟦HEGG560427MVZRRL04⟧',
        'driving licence number ⟦MORGA657054SM9IJ⟧',
        'BIC: ⟦DEUTDEFF500⟧',
        'Mein Personalausweis hat die Nr. ⟦L01X00T47⟧',
        'mi DNI es ⟦12.345.678⟧ y',
        'o NIF da empresa é ⟦123456789⟧.',
        'Mit CPR-nummer er ⟦010180-1234⟧',
        'henkilötunnukseni on ⟦010180-123A⟧',
        'T.C. kimlik numaram ⟦10000000146⟧',
        'το ΑΦΜ μου είναι ⟦123456789⟧',
        'мой ИНН: ⟦500100732259⟧',
        'паспорт серия ⟦4509 № 123456⟧',
        'dowód osobisty ⟦ABC 123456⟧',
        'PESEL córki mamy ⟦88031414912⟧',
        '¿Me da su DNI, por favor?\nCliente: sí, ⟦12345678⟧',
        'Could I have your passport or NHS number?\n[14:02] Ann: it is ⟦943 476 5919⟧.',
      ],
      misses: [
        'passport.js 0.7.0',
        'passport: 2024-01-15',
        'patient 3 of 12',
        'swift 5.10.1 toolchain',
        'MIT license 2.0',
        'routing table',
        'bic: the algorithm',
        'sort code 20-00-00',
        'DNI: 15/01/1984',
        'za kilka dni 120000 osób',
        'the passport module took 12345 ms',
        'passport 2.0.12345',
        'the DNI is checked\nresult: 12345678',
        'patente EP1234567',
        'nss: fix CVE-2024-6602',
        'CVR: 0.12345',
        "the 5' UTR: 10234-10567",
        'Medicare covers 65000000 people',
      ],
    },
  },
  {
    id: 'announced_id_cjk',
    kind: 'SSN',
    hints: CJK_NAMES,
    find: decidedBy(ANNOUNCED_IN_CJK, findIdInCjk),
    examples: {
      hits: [
        '我的身份证号码是⟦11010519491231002X⟧。',
        '护照号：⟦E12345678⟧',
        'マイナンバーは⟦1234 5678 9018⟧です',
        '주민등록번호 ⟦850912-1531193⟧ 입니다',
        '여권번호는 ⟦M12345678⟧',
        '주민등록번호 부탁드립니다.\n고객: ⟦850912-1531193⟧ 입니다',
      ],
      misses: ['身份证号码错误', 'マイナンバー 2024年', '주민등록번호 13자리', '個人番号は123456桁です'],
    },
  },
  ...SHORT_NAMES.map(shortNameRule),
];
