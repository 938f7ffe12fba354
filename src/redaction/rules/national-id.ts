import { MAX_ESCAPE, UNSPACED, wordsBefore } from '../characters.ts';
import { fitsAt, matchAt } from '../match-at.ts';
import { decidedBy } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { isOfThing } from './counted.ts';
import * as check from './id-checks.ts';

/** Numbers that states give to people, wherever they stand: by their forms and check digits. */

interface Form {
  /** Capitals before its first digit, where it is looked for. */
  readonly capitals?: string;
  /** From the first digit on. */
  readonly form: string;
  /** @param id without separators, in capitals */
  readonly valid?: (id: string) => boolean;
}

const IN_WORD = String.raw`(?![${UNSPACED}])[\p{L}\d_]`;
/** What no number goes on with. */
const END = String.raw`(?!${IN_WORD}|-[\p{L}\d])`;

/** How a number is written where nothing says what it is. */
const FORMS: readonly Form[] = [
  // Brazil: CPF, CNPJ
  { form: String.raw`\d{3}\.\d{3}\.\d{3}-\d\d`, valid: check.isCpf },
  { form: String.raw`\d\d\.\d{3}\.\d{3}\/\d{4}-\d\d`, valid: check.isCnpj },
  // Argentina: CUIT, CUIL
  { form: String.raw`(?:2[03-7]|3[034])-\d{8}-\d`, valid: check.isCuit },
  // Chile: RUT
  { form: String.raw`\d{1,2}\.\d{3}\.\d{3}-[\dK]`, valid: check.isRut },
  // Spain: DNI, and NIE for foreigners. Sizes in bytes end with a B.
  { form: String.raw`\d{8}-?[AC-HJ-NP-TV-Z]`, valid: check.isDni },
  // China
  {
    form: String.raw`[1-9]\d{5}(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx]`,
    valid: check.isChineseId,
  },
  // France: sex, year, month, department, commune, serial
  {
    form: String.raw`[12] ?\d\d ?(?:0[1-9]|1[0-2]|[2-4]\d) ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d(?!\.\d)`,
    valid: check.isNir,
  },
  // Russia: SNILS
  { form: String.raw`\d{3}-\d{3}-\d{3} \d\d`, valid: check.isSnils },
  // Pakistan: region, family and sex (NADRA); no check digit
  { form: String.raw`[1-7]\d{4}-\d{7}-\d` },
  // India: Aadhaar. With blanks it could be a row of figures.
  { form: String.raw`[2-9]\d{3}-\d{4}-\d{4}`, valid: check.isVerhoeff },
  // Belgium: date of birth, serial
  { form: String.raw`\d\d\.\d\d\.\d\d-\d{3}\.\d\d`, valid: check.isBelgian },
  // Norway
  { form: String.raw`\d{6} \d{5}`, valid: check.isNorwegian },
  // Finland
  { form: String.raw`\d{6}[-+A-FU-Y]\d{3}[\dA-FHJ-NPR-Y]`, valid: check.isFinnish },
  // Korea
  { form: String.raw`\d{6}-[1-8]\d{6}`, valid: check.isKorean },
  // Switzerland, with the country's code in ISO 3166 in front
  { form: String.raw`756\.\d{4}\.\d{4}\.\d\d`, valid: check.isAhv },
  // Germany: Steuer-ID in its groups, number of the pension insurance
  { form: String.raw`[1-9]\d \d{3} \d{3} \d{3}`, valid: check.isSteuerId },
  { form: String.raw`\d\d ?\d{6} ?[A-Z] ?\d{3}`, valid: check.isRvnr },
  // US: number of a taxpayer without a social security number (IRS); no check digit
  { form: String.raw`9\d\d-(?:5\d|6[0-5]|7\d|8[0-8]|9[0-2]|9[4-9])-\d{4}` },
  // GB: National Insurance number (HMRC, NIM39110); no check digit, so not where all letters could be of a number in hex
  {
    capitals: '(?=[A-Z]?[G-Z])(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]',
    form: String.raw`\d{6}[A-D]`,
  },
  // Italy: codice fiscale
  {
    capitals: '[A-Z]{6}',
    form: String.raw`\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]`,
    valid: check.isCodiceFiscale,
  },
  // Mexico: CURP
  { capitals: '[A-Z]{4}', form: String.raw`\d{6}[HMX][A-Z]{5}[A-Z\d]\d`, valid: check.isCurp },
];

const READ = FORMS.map(({ capitals = '', form, valid }) => ({
  capitals: new RegExp(`(?<!${IN_WORD}|[./@#$%\\\\-])${capitals}$`, 'u'),
  form: new RegExp(`${form}${END}`, 'uy'),
  valid,
}));
const ANY_FORM = new RegExp(`(?:${FORMS.map(({ form }) => form).join('|')})${END}`, 'uy');

function findNationalId(text: string, at: number): Span | undefined {
  if (!fitsAt(ANY_FORM, text, at)) return undefined;
  const before = wordsBefore(text, at, MAX_CAPITALS + MAX_ESCAPE);
  for (const { capitals, form, valid } of READ) {
    const raw = matchAt(form, text, at)?.[0];
    const lead = raw === undefined ? undefined : capitals.exec(before)?.[0];
    if (raw === undefined || lead === undefined) continue;
    const id = (lead + raw).replace(/[^\dA-Za-z]/g, '').toUpperCase();
    if (valid?.(id) === false) continue;
    const start = at - lead.length;
    return isOfThing(text, start) ? undefined : { start, end: at + raw.length };
  }
  return undefined;
}

const MAX_CAPITALS = 6;

export const NATIONAL_ID_RULES: readonly Rule[] = [
  {
    id: 'national_id',
    kind: 'SSN',
    trigger: 'number',
    find: decidedBy(ANY_FORM, findNationalId),
    examples: {
      hits: [
        'o CPF ⟦529.982.247-25⟧.',
        'for ⟦11010519491231002X⟧ on',
        'nir ⟦2 55 08 14 168 025 38⟧',
        'at ⟦112-233-445 95⟧,',
        'of ⟦35202-1234567-1⟧.',
        '公民身份号码是⟦11010519491231002X⟧的',
        'by ⟦2341-2341-2346⟧ now',
        'a ⟦11.222.333/0001-81⟧ de',
        'el ⟦20-05536168-2⟧ de',
        'el ⟦12.345.678-5⟧ de',
        'es el ⟦12345678Z⟧, si',
        'nr ⟦85.07.30-033.28⟧ en',
        'den ⟦010107 50160⟧ er',
        'on ⟦131052-308T⟧ ja',
        '번호 ⟦850912-1531192⟧ 입니다',
        'die ⟦756.9217.0769.85⟧ ist',
        'die ⟦86 095 742 719⟧ ist',
        'die ⟦15 070649 C 103⟧ ist',
        'has ⟦912-70-1234⟧ on',
        'has ⟦JK123456C⟧ on',
        'è ⟦RSSMRA85T10A562S⟧, ecco',
        'es ⟦HEGG560427MVZRRL04⟧.',
      ],
      misses: [
        '529.982.247-26',
        '110105194912310021',
        '112-233-445 96',
        '2341-2341-2345',
        '2 55 08 14 168 025 39',
        'v529.982.247-25',
        '11.222.333/0001-82',
        '20-05536168-3',
        '12.345.678-6',
        '12345678A',
        '16777216B',
        'x-12345678Z',
        '850912-1531193',
        '756.9217.0769.86',
        '131052-308U',
        'NK123456C',
        'AB123456C',
        'RSSMRA85T10A562T',
        '20250304-0017732',
        'population 65 929 970 489',
        'LOT GH123456A',
        'order 912-70-1234',
        'seq 00000023T',
        '"total": "11.111.111-1"',
      ],
    },
  },
];
