import { signsBefore, textBefore } from '../characters.ts';
import { matchAt } from '../match-at.ts';
import { decidedBy, matching, onlyWhere } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { ANSWERED, isRequest } from './asked.ts';

/** Dates of birth, behind the words that announce them or in the answer to a question for them, and before `生まれ`. */

/** Nouns, behind which it may be said whose birth is meant. */
const NOUNS = [
  'dob|d.o.b|date of birth|birth date|birthdate|birthday|birth_date',
  'geburtsdat|geburtstag|geb.-dat|geburtsd',
  'date de naissance|date naissance|date de naiss|anniversaire',
  'fecha de nacimiento|fecha nacimiento|fecha de nac|fecha nac|f. nac|f. de nac|fec. nac|cumpleaños',
  'data di nascita|data nascita|compleanno',
  'data de nascimento|data nascimento|data de nasc|data nasc|aniversário',
  'geboortedat|geboortedag|verjaardag',
  'data urodzenia|data ur.|urodziny|urodzin:',
  'дата рождения|дату рождения|дата рожд|день рождения|д.р.|д. р.|рожд.',
  'дата народження|дату народження|день народження|дата на раждане|дата рођења',
  'doğum tarih|doğum günü|dogum tarih|dogum gunu',
  'datum narození|datum narozeni|dátum narodenia|datum narodenia|datum rođenja|datum rojstva',
  'ημερομηνία γέννησης|ημερομηνια γεννησης|ημ. γέννησης',
  'födelsedat|födelsedag|fødselsdat|fødselsdag|syntymäaika|syntymäpäivä',
  'születési|data nașterii|data naşterii|gimimo data|dzimšanas|sünniaeg|sünnikuup',
  'תאריך לידה|تاريخ الميلاد',
].join('|');
/** The date follows at once, or behind a place. */
const VERBS = [
  'born|(b. |geboren|geb.|geb am|né le|née le|né(e) le|né à|née à|né en|née en|nacido|nacida|nací el|nací en|nació el|nació en',
  'nato il|nata il|nato a|nata a|nato/a|nascido|nascida|nasci em|nasci a|nasceu em|nasceu a|urodzon|urodził|urodz.|ur. ',
  'родился|родилась|народився|народилася|народилась|роден|narozen|narodený|narodená|rođen|nar.',
  'γεννήθηκ|γεννημέν|född|født|syntynyt|synt.|születet|szül.|născut',
].join('|');
const ASIAN =
  '出生日期|出生年月|出生于|出生於|生日是|生日为|生日：|生日:|生年月日|誕生日|생년월일|생일은|생일:|생일이|출생일';

const literals = (list: string): readonly string[] => list.split('|');
const escaped = (list: string): string =>
  literals(list)
    .map((word) => word.replaceAll(/[.()+]/g, '\\$&').replaceAll(' ', '[ _-]?'))
    .join('|');
/** As in sentences, and as members of records are named. */
const spelt = (list: string): readonly string[] =>
  literals(list).flatMap((word) =>
    /\p{L} \p{L}/u.test(word) ? ['', '_', '-', ' '].map((joint) => word.replaceAll(' ', joint)) : [word],
  );

const MARKS = String.raw`["'\\*_)\]]{0,4}\.?`;
const SIGNS = String.raw`[ \t:="'\\(：*_>,-]{0,8}(?:[是为為はの는은이가]{0,2}[ 、，,]?)`;
const BEHIND_NOUN = String.raw`${MARKS}(?:[ \t]{1,2}[\p{L}.,’'-]{1,16}){0,4}?${SIGNS}`;
const BEHIND_VERB = String.raw`${MARKS}(?:[ \t]{1,2}(?:on|in|is|was|the|am|op|le|el|il|em|a|dnia|день|den|på|día)(?!\p{L})){0,3}${SIGNS}`;
/** `in Leeds on the`, `à Lyon le` */
const PLACE = String.raw` (?:(?:in|at|à|en|em|a|w|we|в|у|v|i|te) )?\p{Lu}[\p{L}\p{M}’'-]{1,24}(?:[ ,/-]{1,2}\p{Lu}[\p{L}\p{M}’'-]{1,24}){0,3}(?: ?\([^()\n\d]{2,24}\))?,?(?: (?:on|the|am|op|den|le|el|il|em|a|dnia|på|día)){0,2} `;

const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}';
/** The names of months in other languages need no list behind such words. */
const ANY_MONTH = String.raw`\p{L}{3,12}\.?`;
/** Of a day without a year. */
const KNOWN_MONTH =
  '(?:jan|f[eé]b|févr|m[aä]r|abr|apr|avr|ma[iyj]|mag|jun|juin|giu|jul|juil|lug|aug|août|ago|sep|set|[o0][ckt]t|out|nov|d[eéi][cz])\\p{L}{0,8}';
const ORDINAL = String.raw`(?:º|°|er|st|nd|rd|th|-го|-е|:e)?\.?`;
const DATE = [
  String.raw`\d{4} ?[年년] ?\d{1,2} ?[月월] ?\d{1,2} ?[日일号號]`,
  String.raw`(?:明治|大正|昭和|平成|令和)(?:\d{1,2}|元)年\d{1,2}月\d{1,2}日`,
  '[〇零一二三四五六七八九]{4}年[一二三四五六七八九十]{1,3}月[一二三四五六七八九十]{1,3}[日号]',
  String.raw`\d{4} ?[-./] ?\d{1,2} ?[-./] ?\d{1,2}`,
  String.raw`\d{1,2} ?[-./] ?\d{1,2} ?[-./] ?(?:\d{4}|\d{2})`,
  String.raw`\d{1,2}${ORDINAL} ?(?:de |of |di |d['’])?${ANY_MONTH},? ?(?:de |del |do )?\d{4}`,
  String.raw`\d{1,2}[ -]?${MONTH}[ -]?['’]?\d{2}`,
  String.raw`${MONTH}\.? (?:the )?\d{1,2}${ORDINAL},? \d{4}`,
  String.raw`\d{4}\.? ${ANY_MONTH} \d{1,2}`,
  String.raw`(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])`,
  String.raw`\d{1,2}${ORDINAL} (?:de |of )?${KNOWN_MONTH}(?!\p{L})`,
].join('|');

const WHOLE_DATE = new RegExp(`^(?:${DATE})$`, 'iu');
export const isBirthDate = (value: string): boolean => WHOLE_DATE.test(value);

const NOUN = `(?:(?:${escaped(NOUNS)})\\p{L}{0,8}|${escaped(ASIAN)})`;
const VERB = `(?:${escaped(VERBS)})\\p{L}{0,4}`;
const BIRTH = new RegExp(
  `(?:${NOUN}(?:${BEHIND_NOUN}|(?<asked>${ANSWERED}))|${VERB}${BEHIND_VERB})(?<v>${DATE})(?![\\d:])`,
  'iuy',
);
const BORN_AT = new RegExp(`${VERB}${PLACE}(?<v>${DATE})(?![\\d:])`, 'u');

/** What is wished on any day. */
const HAPPY = /happy $/i;

function findBirth(text: string, at: number): Span | undefined {
  if (continuesWord(text, at) || HAPPY.test(textBefore(text, at, 6))) return undefined;
  const match = matchAt(BIRTH, text, at);
  const value = match?.groups?.['v'];
  if (!match || value === undefined) return undefined;
  const end = at + match[0].length;
  if (match.groups?.['asked'] !== undefined && !isRequest(text, at, end - value.length)) return undefined;
  return { start: end - value.length, end };
}

/** In names in camel case a word begins with a capital. */
function continuesWord(text: string, at: number): boolean {
  const before = signsBefore(text, at);
  if (!/\p{L}$/u.test(before)) return false;
  return (
    !(/[a-z]$/.test(before) && /[A-Z]/.test(text.charAt(at))) && !ASIAN_WORD.test(text.slice(at, at + 8))
  );
}
const ASIAN_WORD = new RegExp(`^(?:${escaped(ASIAN)})`);

/** `1992年4月27日生まれ`, `1985년 9월 12일생입니다`: the day ends with the first sign of the hint. */
const DATE_BEFORE =
  /(?:\d{4} ?[年년]|(?:明治|大正|昭和|平成|令和)\d{1,2}年) ?\d{1,2} ?[月월] ?\d{1,2} ?[日일]$/;
const DATE_BEGUN =
  /(?:\d{4} ?[年년]|(?:明治|大正|昭和|平成|令和)\d{1,2}年)(?: ?\d{1,2} ?(?:[月월] ?(?:\d{1,2} ?)?)?)? ?$/;

function findBirthBefore(text: string, at: number): Span | undefined {
  const date = DATE_BEFORE.exec(text.slice(Math.max(0, at - 24), at + 1))?.[0];
  return date === undefined ? undefined : { start: at + 1 - date.length, end: at + 1 };
}

export const BIRTH_RULES: readonly Rule[] = [
  {
    id: 'birth_date',
    kind: 'DOB',
    hints: [...spelt(NOUNS), ...literals(VERBS), ...literals(ASIAN)],
    find: decidedBy(BIRTH, findBirth),
    examples: {
      hits: [
        'date of birth: ⟦1984-03-09⟧',
        'born on ⟦March 9, 1984⟧',
        '{"dateOfBirth":"⟦1984-03-09⟧"}',
        'Geburtsdatum: ⟦09.03.1984⟧',
        'geboren am ⟦9. März 1984⟧',
        'née le ⟦9 mars 1984⟧ à Lyon',
        'fecha de nacimiento: ⟦09/03/1984⟧',
        'nata il ⟦9 marzo 1984⟧',
        'nascido em ⟦9 de março de 1984⟧',
        'geboortedatum: ⟦09-03-1984⟧',
        'urodzona ⟦9 marca 1984⟧',
        'дата рождения: ⟦09.03.1984⟧',
        '出生日期：⟦1984年3月9日⟧',
        '生年月日：⟦1984/03/09⟧',
        '생년월일: ⟦1984. 3. 9⟧',
        'date of birth ⟦09MAR84⟧, passport',
        'Geburtsdatum der Mutter: ⟦9.3.1954⟧',
        'дата народження ⟦09.03.1984⟧',
        'doğum tarihim ⟦9 Mart 1984⟧',
        'ημερομηνία γέννησης: ⟦9 Μαρτίου 1984⟧',
        'datum narození ⟦9. března 1984⟧',
        'född den ⟦9 mars 1984⟧',
        'født ⟦9. marts 1984⟧',
        'syntymäaika: ⟦9.3.1984⟧',
        '誕生日は⟦昭和59年3月9日⟧です',
        'her birthday is ⟦9 March⟧',
        'Your date of birth, please?\nCaller: ⟦9th of March 1984⟧',
        '生年月日をお願いします。\nお客様：⟦1984年3月9日⟧です',
      ],
      misses: [
        'born in the USA',
        'built on 1984-03-09',
        'stubborn 1984-03-09',
        'geboren in Wien',
        'rebirth of 3 stars 2024',
        'the birthday module was read\nfile: 1984-03-09',
        'birthday 3 people',
        '"Happy Birthday Beddy" (2014-01-22)',
      ],
    },
  },
  {
    id: 'birth_at_place',
    kind: 'DOB',
    hints: literals(VERBS),
    find: onlyWhere((text, at) => !continuesWord(text, at), matching(BORN_AT)),
    examples: {
      hits: [
        'born in Leeds on ⟦9 March 1984⟧',
        'né à Lyon le ⟦9 mars 1984⟧',
        'nata a Reggio Emilia (RE) il ⟦09/03/1984⟧',
      ],
      misses: ['born in the cloud on 9 March 1984', 'né à Lyon', 'born at Acme, version 9.3.1'],
    },
  },
  {
    id: 'birth_behind',
    kind: 'DOB',
    hints: ['日生まれ', '日出生', '일생입', '일생이', '일생으', '일생 ', '일생.', '일 출생', '일출생'],
    find: decidedBy(/[日일]/, findBirthBefore),
    before: (text) => text.search(DATE_BEGUN),
    examples: {
      hits: ['私は⟦1984年3月9日⟧生まれです', '고객은 ⟦1984년 3월 9일⟧생입니다'],
      misses: ['1984年3月9日に', '9日生まれ変わる', '일생이 9일'],
    },
  },
];
