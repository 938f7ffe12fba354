import { decidedBy } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { isDigit } from '../characters.ts';

/** Dates of birth, behind the words that announce them in the languages of the announced passwords. */

const ENGLISH = String.raw`(?:born|dob|d\.o\.b\.?|date[ _-]?of[ _-]?birth|birth[ _-]?(?:day|date))["'\\]{0,4}(?: (?:on|is|was|in)){0,2}`;
const EUROPEAN = [
  String.raw`geburts(?:datum|tag)|geboren(?: (?:am|op))?|geb\.(?: am)?`,
  String.raw`date[ _](?:de[ _])?naissance|née? le`,
  String.raw`fecha[ _](?:de[ _])?nacimiento|nacid[oa] el(?: día)?`,
  String.raw`data[ _](?:di[ _])?nascita|nat[oa] il`,
  String.raw`data[ _](?:de[ _])?nascimento|nascid[oa] (?:em|a)`,
  String.raw`geboorte(?:datum|dag)`,
  String.raw`data[ _]urodzenia|urodz(?:ony|ona|\.)`,
  String.raw`дата[ _]рождения|родил(?:ся|ась)`,
].join('|');
const ASIAN = '出生(?:日期|年月日)|生年月日|생년월일';
const WORD = String.raw`(?:${ENGLISH}|(?:${EUROPEAN})["'\\]{0,4}(?: (?:is|ist|war|est|es|è|é|jest|dnia|był|była)){0,1}|(?:${ASIAN})["'\\]{0,4}(?:是|为|は|은|는)?)`;

const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}';
/** The names of months in other languages need no list behind such words. */
const ANY_MONTH = String.raw`\p{L}{3,12}\.?`;
const DATE = [
  String.raw`\d{4}[-./]\d{1,2}[-./]\d{1,2}`,
  String.raw`\d{1,2}[-./]\d{1,2}[-./]\d{2,4}`,
  String.raw`\d{1,2}(?:º|°|er|st|nd|rd|th)?\.? (?:de |of )?${ANY_MONTH},? (?:de |del )?\d{4}`,
  String.raw`${MONTH} \d{1,2}(?:st|nd|rd|th)?,? \d{4}`,
  String.raw`\d{4}\. ?\d{1,2}\. ?\d{1,2}`,
  String.raw`\d{4} ?[年년] ?\d{1,2} ?[月월] ?\d{1,2} ?[日일]`,
].join('|');

const BIRTH = new RegExp(String.raw`^${WORD}[ :="'\\(：]{0,8}(?<v>${DATE})`, 'iu');
/** The digit behind it would be part of it. */
const BIRTH_AFTER = new RegExp(`${BIRTH.source.slice(1)}[^]`, BIRTH.flags);
const MAX_LENGTH = 100;

function findBirth(text: string, at: number): Span | undefined {
  if (continuesWord(text, at)) return undefined;
  const match = BIRTH.exec(text.slice(at, at + MAX_LENGTH));
  const value = match?.groups?.['v'];
  if (!match || value === undefined || isDigit(text.charCodeAt(at + match[0].length))) return undefined;
  return { start: at + match[0].length - value.length, end: at + match[0].length };
}

/** In names in camel case a word begins with a capital. */
function continuesWord(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at);
  if (!/[\p{L}]$/u.test(before) || /\\[nrt]$/.test(before)) return false;
  return (
    !(/[a-z]$/.test(before) && /[A-Z]/.test(text.charAt(at))) && !ASIAN_WORD.test(text.slice(at, at + 8))
  );
}
const ASIAN_WORD = new RegExp(`^(?:${ASIAN})`);

export const BIRTH_RULES: readonly Rule[] = [
  {
    id: 'birth_date',
    kind: 'DOB',
    hints: [
      'born',
      'dob',
      'd.o.b',
      'date of birth',
      'date_of_birth',
      'dateofbirth',
      'birth',
      'geburts',
      'geboren',
      'geb.',
      'date de nai',
      'date_de_nai',
      'date_nai',
      'né le',
      'née le',
      'fecha de nac',
      'fecha_de_nac',
      'fecha_nac',
      'nacido el',
      'nacida el',
      'data di nas',
      'data_di_nas',
      'data_nas',
      'nato il',
      'nata il',
      'data de nas',
      'data_de_nas',
      'nascido ',
      'nascida ',
      'geboorte',
      'data urodz',
      'data_urodz',
      'urodz',
      'дата рож',
      'дата_рож',
      'родил',
      '出生日期',
      '出生年月日',
      '生年月日',
      '생년월일',
    ],
    find: decidedBy(BIRTH_AFTER, findBirth),
    examples: {
      hits: [
        { text: 'date of birth: 1984-03-09', hidden: '1984-03-09' },
        { text: 'born on March 9, 1984', hidden: 'March 9, 1984' },
        { text: '{"dateOfBirth":"1984-03-09"}', hidden: '1984-03-09' },
        { text: 'Geburtsdatum: 09.03.1984', hidden: '09.03.1984' },
        { text: 'geboren am 9. März 1984', hidden: '9. März 1984' },
        { text: 'née le 9 mars 1984 à Lyon', hidden: '9 mars 1984' },
        { text: 'fecha de nacimiento: 09/03/1984', hidden: '09/03/1984' },
        { text: 'nata il 9 marzo 1984', hidden: '9 marzo 1984' },
        { text: 'nascido em 9 de março de 1984', hidden: '9 de março de 1984' },
        { text: 'geboortedatum: 09-03-1984', hidden: '09-03-1984' },
        { text: 'urodzona 9 marca 1984', hidden: '9 marca 1984' },
        { text: 'дата рождения: 09.03.1984', hidden: '09.03.1984' },
        { text: '出生日期：1984年3月9日', hidden: '1984年3月9日' },
        { text: '生年月日：1984/03/09', hidden: '1984/03/09' },
        { text: '생년월일: 1984. 3. 9', hidden: '1984. 3. 9' },
      ],
      misses: [
        'born in the USA',
        'built on 1984-03-09',
        'stubborn 1984-03-09',
        'geboren in Wien',
        'rebirth of 3 stars 2024',
      ],
    },
  },
];
