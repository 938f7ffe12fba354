import type { Rule } from '../rule.ts';
import { isIdLike, isShortNumber } from './announced-id.ts';
import { isBirthDate } from './birth.ts';
import { NATIONAL_NAME } from './id-names.ts';
import { CELL_ENDS, INSERT_HINTS, inCopy, inCsv, inInsert, inTable } from './table-rows.ts';
import type { IsHidden } from './table-rows.ts';

/** Dates of birth and numbers of people in rows whose columns are named so. */

const BIRTH = [
  'date of birth|date_of_birth|dateofbirth|birth date|birth_date|birthdate|birthday|birth day',
  'geburtsdat|geburtstag|geb_datum|date de naissance|date_naissance|fecha de nacimiento|fecha_nacimiento',
  'data di nascita|data_nascita|data de nascimento|data_nascimento|geboortedat|data urodzenia|data_urodzenia',
  'дата рождения|дата народження|doğum tarih|datum narozen|födelsedat|fødselsdat|syntymäaika|出生日期|生年月日|생년월일',
]
  .join('|')
  .split('|');
const IDS =
  'passport|reisepass|pasaporte|passeport|passaporto|paspoort|ausweisn|national_id|national id|national insurance|medical_record|medical record|паспорт|护照号|旅券番号|여권번호'.split(
    '|',
  );
const SHORT_IDS = ['ssn', 'dni', 'nif', 'cpf', 'mrn', 'bsn', 'pesel'];

const atEndOfCell = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) => CELL_ENDS.map((end) => name + end));

const BIRTH_COLUMN = new RegExp(
  String.raw`^(?:[\p{L}\d]{1,24}[_ -])?(?:dob|d\.o\.b\.?|(?:${BIRTH.join('|')})\p{L}{0,8})$`,
  'iu',
);
const ID_COLUMN = new RegExp(
  String.raw`^(?:[\p{L}\d]{1,24}[_ -])?(?:(?:${NATIONAL_NAME}|ssn|护照|旅券番号|여권번호)\p{L}{0,12})(?:[_ .-]{0,2}(?:no|nr|num|number|nummer|id|número|numero|numéro|номер|号码?|#)\.?)?$`,
  'iu',
);

const isDate: IsHidden = (value) => isBirthDate(value);
const isId: IsHidden = (value) => isIdLike(value) && !isShortNumber(value);

const birthColumns = (name: string): IsHidden | undefined => (BIRTH_COLUMN.test(name) ? isDate : undefined);
const idColumns = (name: string): IsHidden | undefined => (ID_COLUMN.test(name) ? isId : undefined);

const BIRTH_HINTS = [...BIRTH, ...atEndOfCell(['dob'])];
const ID_HINTS = [...IDS, ...atEndOfCell(SHORT_IDS)];

export const TABLE_PEOPLE_RULES: readonly Rule[] = [
  {
    id: 'inserted_birth',
    kind: 'DOB',
    hints: INSERT_HINTS,
    wordStart: true,
    find: inInsert(birthColumns),
    examples: {
      hits: ["INSERT INTO users (name, dob) VALUES ('bob', '⟦1984-03-09⟧');"],
      misses: [
        "INSERT INTO users (name, made) VALUES ('bob', '1984-03-09');",
        "INSERT INTO users (name, dob) VALUES ('1984-03-09', NULL);",
      ],
    },
  },
  {
    id: 'inserted_id',
    kind: 'SSN',
    hints: INSERT_HINTS,
    wordStart: true,
    find: inInsert(idColumns),
    examples: {
      hits: ["INSERT INTO guests (name, passport_no) VALUES ('bob', '⟦C01X00T47⟧');"],
      misses: [
        "INSERT INTO guests (name, room) VALUES ('bob', 'C01X00T47');",
        "INSERT INTO guests (name, passport_no) VALUES ('bob', 'none');",
      ],
    },
  },
  {
    id: 'copied_birth',
    kind: 'DOB',
    hints: ['copy '],
    wordStart: true,
    find: inCopy(birthColumns),
    examples: {
      hits: ['COPY users (name, dob) FROM stdin;\nbob\t⟦1984-03-09⟧\n\\.\n'],
      misses: ['COPY users (name, made) FROM stdin;\nbob\t1984-03-09\n\\.\n'],
    },
  },
  {
    id: 'birth_of_csv',
    kind: 'DOB',
    hints: BIRTH_HINTS,
    find: inCsv(birthColumns),
    examples: {
      hits: [
        '\nname,dob,zone\nAnn,⟦1984-03-09⟧,eu\n',
        '\nname;Geburtsdatum\nAnn;⟦09.03.1984⟧\n',
        '\ndate_of_birth,name\n⟦1984-03-09⟧,Ann\n',
      ],
      misses: [
        '\nname,dob\nAnn,yes\n',
        '\nname,made\nAnn,1984-03-09\n',
        'ask for name, dob\nand zone, 1984-03-09\n',
      ],
    },
  },
  {
    id: 'birth_of_table',
    kind: 'DOB',
    hints: BIRTH_HINTS,
    find: inTable(birthColumns),
    examples: {
      hits: [
        '\n| Name | Date of birth |\n|---|---|\n| Ann | ⟦9 March 1984⟧ |\n',
        '\n name | dob\n------+------------\n ann  | ⟦1984-03-09⟧\n',
      ],
      misses: [
        '\n| Name | Date of birth |\n|---|---|\n| type | date |\n',
        '\n| Name | Made |\n|---|---|\n| Ann | 1984-03-09 |\n',
      ],
    },
  },
  {
    id: 'id_of_csv',
    kind: 'SSN',
    hints: ID_HINTS,
    find: inCsv(idColumns),
    examples: {
      hits: ['\nname,passport_number,city\nAnn,⟦C01X00T47⟧,Bonn\n', '\nname;dni\nAnn;⟦12345678⟧\n'],
      misses: [
        '\nname,passport\nAnn,yes\n',
        '\nname,room\nAnn,C01X00T47\n',
        '\nname,passport\nv,1.2.345678\n',
      ],
    },
  },
  {
    id: 'id_of_table',
    kind: 'SSN',
    hints: ID_HINTS,
    find: inTable(idColumns),
    examples: {
      hits: [
        '\n| Name | Passport no. |\n|---|---|\n| Ann | ⟦C01X00T47⟧ |\n',
        '\n│ name │ ssn       │\n├──────┼───────────┤\n│ ann  │ ⟦533380006⟧ │\n',
      ],
      misses: [
        '\n| Package | passport |\n|---|---|\n| x | 0.7.0 |\n',
        '\n| Name | Room |\n|---|---|\n| Ann | C01X00T47 |\n',
      ],
    },
  },
];
