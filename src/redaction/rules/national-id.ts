import { decidedBy } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';

/** Numbers that states, hospitals and insurers give to people: by their form and check digits, or by the word in front. */

/** How a number is written where nothing says what it is, and its check. */
const FORMS: readonly { readonly form: RegExp; readonly valid: (digits: string) => boolean }[] = [
  // Brazil, CPF: two digits mod 11 (Receita Federal).
  { form: /^\d{3}\.\d{3}\.\d{3}-\d\d(?![\w-])/, valid: isCpf },
  // China, citizen identity number: GB 11643, ISO 7064 mod 11-2 over region, date of birth and serial.
  {
    form: /^[1-9]\d{5}(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx](?!\w)/,
    valid: isChineseId,
  },
  // France, NIR: sex, year, month, department, commune, serial and 97 less the rest (INSEE).
  {
    form: /^[12] ?\d\d ?(?:0[1-9]|1[0-2]|[2-4]\d) ?\d\d ?\d{3} ?\d{3} ?\d\d(?![\w.-])/,
    valid: (digits) => 97 - (Number(digits.slice(0, 13)) % 97) === Number(digits.slice(13)),
  },
  // Russia, SNILS: weighted sum mod 101 (Pension Fund).
  { form: /^\d{3}-\d{3}-\d{3} \d\d(?![\w-])/, valid: isSnils },
  // Pakistan, CNIC: region, family and sex (NADRA); no check digit.
  { form: /^[1-7]\d{4}-\d{7}-\d(?![\w-])/, valid: () => true },
  // South Korea, RRN: date of birth, sex and a check digit mod 11; numbers issued since October 2020 have none.
  { form: /^\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])-[1-8]\d{6}(?![\w-])/, valid: isRrn },
  // India, Aadhaar: Verhoeff's check digit (UIDAI). With blanks it could be a row of figures.
  { form: /^[2-9]\d{3}-\d{4}-\d{4}(?![\w-])/, valid: isVerhoeff },
];

function isCpf(digits: string): boolean {
  if (/^(\d)\1+$/.test(digits)) return false;
  return [9, 10].every((length) => {
    let sum = 0;
    for (let i = 0; i < length; i++) sum += Number(digits[i]) * (length + 1 - i);
    return ((sum * 10) % 11) % 10 === Number(digits[length]);
  });
}

function isChineseId(number: string): boolean {
  let sum = 0;
  for (let i = 0; i < 17; i++) sum += Number(number[i]) * (2 ** (17 - i) % 11);
  return '10X98765432'[sum % 11] === number[17]?.toUpperCase();
}

function isRrn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < 12; i++) sum += Number(digits[i]) * ((i % 8) + 2);
  return (11 - (sum % 11)) % 10 === Number(digits[12]);
}

function isSnils(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < 9; i++) sum += Number(digits[i]) * (9 - i);
  return (sum % 101) % 100 === Number(digits.slice(9));
}

/** Multiplication of the dihedral group D5, and the permutation, of Verhoeff's scheme. */
function isVerhoeff(digits: string): boolean {
  let check = 0;
  for (let i = 0; i < digits.length; i++) {
    let digit = Number(digits[digits.length - 1 - i]);
    for (let k = 0; k < i % 8; k++) digit = Number('1576283094'[digit]);
    check = product(check, digit);
  }
  return check === 0;
}

function product(a: number, b: number): number {
  if (a < 5) return b < 5 ? (a + b) % 5 : ((a + b) % 5) + 5;
  return b < 5 ? ((a - b + 5) % 5) + 5 : (a - b + 5) % 5;
}

function findNationalId(text: string, at: number): Span | undefined {
  ANY_FORM.lastIndex = at;
  if (!ANY_FORM.test(text) || /[\w./@#$%-]$/.test(text.slice(Math.max(0, at - 1), at))) return undefined;
  const ahead = text.slice(at, at + 24);
  for (const { form, valid } of FORMS) {
    const raw = form.exec(ahead)?.[0];
    if (raw !== undefined && valid(raw.replace(/[^\dXx]/g, ''))) return { start: at, end: at + raw.length };
  }
  return undefined;
}

const ANY_FORM = new RegExp(FORMS.map(({ form }) => form.source.slice(1)).join('|'), 'y');

/** Ids that begin with letters of a name, by how many these are: what follows them, and the check of the whole. */
const LETTERED: readonly {
  readonly letters: number;
  readonly form: RegExp;
  readonly valid: (id: string) => boolean;
}[] = [
  // Italy, codice fiscale: name, date of birth and sex, place, check letter (decree of 23 December 1976).
  { letters: 6, form: /^\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z](?!\w)/, valid: isCodiceFiscale },
  // Mexico, CURP: name, date of birth, sex, state, consonants, check digit mod 10 (RENAPO).
  { letters: 4, form: /^\d{6}[HMX][A-Z]{2}[B-DF-HJ-NP-TV-Z]{3}[A-Z\d]\d(?!\w)/, valid: isCurp },
];
const ANY_LETTERED = new RegExp(LETTERED.map(({ form }) => form.source.slice(1)).join('|'));

/** What a letter or digit at an odd place of a codice fiscale counts, by its place in the alphabet. */
const ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

function isCodiceFiscale(id: string): boolean {
  let sum = 0;
  for (let i = 0; i < 15; i++) {
    const value = Number.parseInt(id.charAt(i), 36);
    const place = value < 10 ? value : value - 10;
    sum += i % 2 === 0 ? (ODD[place] ?? 0) : place;
  }
  return Number.parseInt(id.charAt(15), 36) - 10 === sum % 26;
}

const CURP_SIGNS = '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ';

function isCurp(id: string): boolean {
  let sum = 0;
  for (let i = 0; i < 17; i++) sum += CURP_SIGNS.indexOf(id.charAt(i)) * (18 - i);
  return (10 - (sum % 10)) % 10 === Number(id[17]);
}

/** `at` is where the digits begin. */
function findLetteredId(text: string, at: number): Span | undefined {
  const ahead = text.slice(at, at + 16);
  for (const { letters, form, valid } of LETTERED) {
    const start = at - letters;
    const rest = form.exec(ahead)?.[0];
    if (rest === undefined || start < 0 || /[\p{L}\d_]/u.test(text.charAt(start - 1))) continue;
    const id = text.slice(start, at) + rest;
    if (/^[A-Z]{4}/.test(id) && valid(id)) return { start, end: start + id.length };
  }
  return undefined;
}

/** What such numbers are called, with the words that follow. */
const CALLED = new RegExp(
  String.raw`(?:passport|reisepass(?:nummer)?|pasaporte|passaporto|paspoort(?:nummer)?|driver'?s? licen[cs]e|driving licen[cs]e|national insurance|nino|ni(?= n)|nhs|medical record|mrn|patient|medicare|medicaid|aadhaa?r|cpf|curp|pesel|bsn|burgerservicenummer|snils|cnic|national id(?:entity)?|identity card|personalausweis(?:nummer)?|steuer-id(?:entifikationsnummer)?|steuernummer|sozialversicherungsnummer|codice fiscale|dni|social insurance|tax id(?:entification)?|itin|swift|bic|sort code|routing|bank account)`,
  'i',
);
const ANNOUNCED = new RegExp(
  String.raw`${CALLED.source}(?:[ _]?(?:number|num|no|nr|card|code|id|record)){0,4}\.?["']? ?(?:is|was|ist|est|es|è|#|[:=：])?[ "'#:]{0,3}(?<v>[A-Z]{0,5}[ -]?\d[A-Z\d]{0,20}(?:[ ./-][A-Z\d]{1,8}){0,6}|[A-Z]{6}[A-Z\d]{2}(?:[A-Z\d]{3})?(?![a-z])|[A-Z]{4}\d{6}[A-Z\d]{3,8}|[A-Z]{6}\d\d[A-Z]\d\d[A-Z]\d{3}[A-Z])(?![\w@])`,
  'iy',
);
const NUMBER_CASE = /^[A-Z\d ./-]+$|^[a-z\d ./-]*\d$/;

function findAnnouncedId(text: string, at: number): Span | undefined {
  if (/[\p{L}\d]$/u.test(text.slice(Math.max(0, at - 1), at))) return undefined;
  ANNOUNCED.lastIndex = at;
  const match = ANNOUNCED.exec(text);
  let value = match?.groups?.['v'] ?? '';
  if (!match) return undefined;
  const start = at + match[0].length - value.length;
  // Words behind the number are not of it.
  value = /^(?:[A-Z\d]+|[ ./-](?=[A-Z]*\d|[A-Z]\b))*/.exec(value)?.[0].replace(/[ ./-]+$/, '') ?? '';
  const digits = value.replace(/\D/g, '').length;
  const isBank = /^(?:swift|bic)/i.test(match[0]) && /^[A-Z]{6}[A-Z\d]{2}(?:[A-Z\d]{3})?$/.test(value);
  if (
    !isBank &&
    (digits < MIN_DIGITS || value.length > MAX_ID || !NUMBER_CASE.test(value) || DATE.test(value))
  )
    return undefined;
  return { start, end: start + value.length };
}

const MIN_DIGITS = 5;
const MAX_ID = 30;
const DATE = /^(?:19|20)\d\d[-./]\d\d?[-./]\d\d?|^\d\d?[-./]\d\d?[-./](?:19|20)\d\d/;

export const NATIONAL_ID_RULES: readonly Rule[] = [
  {
    id: 'national_id',
    kind: 'SSN',
    trigger: 'number',
    find: decidedBy(ANY_FORM, findNationalId),
    examples: {
      hits: [
        { text: 'o CPF 529.982.247-25.', hidden: '529.982.247-25' },
        { text: 'for 11010519491231002X on', hidden: '11010519491231002X' },
        { text: 'nir 2 55 08 14 168 025 38', hidden: '2 55 08 14 168 025 38' },
        { text: 'at 112-233-445 95,', hidden: '112-233-445 95' },
        { text: 'of 35202-1234567-1.', hidden: '35202-1234567-1' },
        { text: 'by 2341-2341-2346 now', hidden: '2341-2341-2346' },
        { text: 'for 850101-1234566 in Seoul', hidden: '850101-1234566' },
      ],
      misses: [
        '529.982.247-26',
        '110105194912310021',
        '112-233-445 96',
        '2341-2341-2345',
        '2 55 08 14 168 025 39',
        'v529.982.247-25',
        '850101-1234565',
      ],
    },
  },
  {
    id: 'lettered_id',
    kind: 'SSN',
    trigger: 'number',
    find: decidedBy(ANY_LETTERED, findLetteredId),
    examples: {
      hits: [
        { text: 'for RSSMRA85T10A562S, who', hidden: 'RSSMRA85T10A562S' },
        { text: 'of HEGG560427MVZRRL04.', hidden: 'HEGG560427MVZRRL04' },
      ],
      misses: ['RSSMRA85T10A562T', 'HEGG560427MVZRRL05', 'XRSSMRA85T10A562S', 'RSSMRA85T10A562SX'],
    },
  },
  {
    id: 'announced_id',
    kind: 'SSN',
    hints: [
      'passp',
      'pasap',
      'passap',
      'paspoort',
      'reisepass',
      'licence',
      'license',
      'driver',
      'driving lic',
      'national i',
      'nino',
      'ni number',
      'ni no',
      'nhs',
      'medical rec',
      'mrn',
      'patient',
      'medica',
      'aadha',
      'cpf',
      'curp',
      'pesel',
      'bsn',
      'burgers',
      'snils',
      'cnic',
      'identity card',
      'personalausweis',
      'steuer',
      'sozialvers',
      'codice fis',
      'dni',
      'social ins',
      'tax id',
      'itin',
      'swift',
      'bic',
      'sort code',
      'routing',
      'bank acc',
    ],
    wordStart: true,
    find: decidedBy(ANNOUNCED, findAnnouncedId),
    examples: {
      hits: [
        { text: 'Passport number: C01X00T47, valid', hidden: 'C01X00T47' },
        { text: '{"passport_number":"C01X00T47"}', hidden: 'C01X00T47' },
        { text: 'passport no. 533380006 was', hidden: '533380006' },
        { text: 'MRN: 00482913;', hidden: '00482913' },
        { text: 'patient id 4829135 came', hidden: '4829135' },
        { text: 'national insurance number QQ 12 34 56 C.', hidden: 'QQ 12 34 56 C' },
        { text: 'NI number AB 12 34 56 C', hidden: 'AB 12 34 56 C' },
        { text: 'NHS number 943 476 5919', hidden: '943 476 5919' },
        { text: 'Aadhaar 2341 2341 2346', hidden: '2341 2341 2346' },
        { text: 'codice fiscale RSSMRA85T10A562S', hidden: 'RSSMRA85T10A562S' },
        { text: 'CURP: HEGG560427MVZRRL04', hidden: 'HEGG560427MVZRRL04' },
        { text: 'driving licence number MORGA657054SM9IJ', hidden: 'MORGA657054SM9IJ' },
        { text: 'BIC: DEUTDEFF500', hidden: 'DEUTDEFF500' },
        { text: 'sort code 20-00-00', hidden: '20-00-00' },
      ],
      misses: [
        'passport.js 0.7.0',
        'passport: 2024-01-15',
        'patient 3 of 12',
        'swift 5.10.1 toolchain',
        'MIT license 2.0',
        'routing table',
        'bic: the algorithm',
      ],
    },
  },
];
