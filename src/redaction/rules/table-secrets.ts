import { fakeHex } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { isRandom } from '../validators.ts';
import { isAboutSecrets, isPlainWord } from './plain-words.ts';
import { hasMarkOfSecret, isActualValue } from './secret-value.ts';
import { INSERT_HINTS, CELL_ENDS, inCopy, inCsv, inInsert, inTable } from './table-rows.ts';
import type { IsHidden } from './table-rows.ts';

/** Secrets in rows whose columns are named so. */

const PASSWORD = String.raw`(?:passw(?:or)?d|passphrase|passcode|passwort|kennwort|contrase[ñn]a|senha|wachtwoord|has[łl]o|pwd|pass|pw)`;
const KEY = String.raw`(?:secret|token|(?:api|access|private|auth|secret)[_ -]?key)`;
const COLUMN = new RegExp(
  String.raw`^(?:\w{0,24}[_ -])?(?:(?<password>${PASSWORD}(?:_?hash)?)|(?<pin>pin(?:[_ -]?(?:code|number))?)|${KEY})$`,
  'i',
);
/** Who logs in, or where: what stands beside it is what logs in. */
const ACCOUNT =
  /^(?:[\p{L}\d]{1,16}[_ -])?(?:user(?:[_ -]?(?:name|id))?|login|e-?mail|account|benutzer(?:name)?|nutzer|utilisateur|identifiant|usuario|utente|usuário|utilizador|gebruiker(?:snaam)?|użytkownik|пользователь|логин|host(?:name)?|server|ssid)$/iu;
const PERSON =
  /^(?:(?:full|first|last)[_ -]?)?name$|^(?:card|device|customer|holder|employee)(?:[_ -]?(?:id|no|number|name))?$/i;
/** In India a PIN is the code of a place. */
const PLACE = /^(?:city|state|district|town|village|address|country|area|region|taluk)$/i;

/** Columns of tokens are also those of texts. */
const isKey: IsHidden = (value, source) =>
  isActualValue(value) && (source === 'statement' || isLongAndRandom(value));
const isLongAndRandom = (value: string): boolean => value.length >= 12 && isRandom(value);

const isPin: IsHidden = (value, _source, names) =>
  /^\d{4,8}$/.test(value) &&
  names.some((name) => ACCOUNT.test(name) || PERSON.test(name)) &&
  !names.some((name) => PLACE.test(name));

const isPassword: IsHidden = (value, source, names) => {
  if (value === String.raw`\N` || !isActualValue(value)) return false;
  if (source === 'statement' || source === 'dump') return true;
  if (/\s/.test(value)) return false;
  if (source === 'csv') return true;
  if (hasMarkOfSecret(value) && isRandom(value)) return true;
  // What a program prints is a value; so is what stands beside an account.
  return (
    value.length >= 5 &&
    (source === 'output' || names.some((name) => ACCOUNT.test(name))) &&
    (isPlainWord(value) ? !isAboutSecrets(value, '') : hasMarkOfSecret(value))
  );
};

function secretColumns(name: string): IsHidden | undefined {
  const groups = COLUMN.exec(name)?.groups;
  if (!groups) return undefined;
  if (groups['password'] !== undefined) return isPassword;
  return groups['pin'] === undefined ? isKey : isPin;
}

const COLUMN_HINTS = [
  'password',
  'passwd',
  'passwort',
  'kennwort',
  'passphrase',
  'contrase',
  'senha',
  'wachtwoord',
  'pwd',
  'secret',
  'token',
  'api_key',
  'apikey',
  'api key',
  // As they end a cell: `pass` and `pin` begin many words.
  ...['pass', 'pin'].flatMap((name) => CELL_ENDS.map((end) => name + end)),
  'pin code',
  'pin_code',
];

export const TABLE_RULES: readonly Rule[] = [
  {
    id: 'inserted_secret',
    kind: 'SECRET',
    hints: INSERT_HINTS,
    wordStart: true,
    find: inInsert(secretColumns),
    examples: {
      hits: [
        "INSERT INTO users (name, password) VALUES ('bob', '⟦driftwood⟧');",
        "insert into `app`.`keys` (id, api_key, made) values (7, '⟦driftwood⟧', NOW())",
        "REPLACE INTO users (name, pass) VALUES ('bob', '⟦driftwood⟧');",
        "INSERT INTO u (name, pw) VALUES ('bob', 'seashell'), ('ann', '⟦driftwood⟧');",
        "INSERT INTO u (name, pw) SELECT 'bob', '⟦driftwood⟧';",
      ],
      misses: [
        "INSERT INTO users (name, password) VALUES ('bob', ?);",
        "INSERT INTO users (password, name) VALUES ($1, 'bob');",
        "INSERT INTO tokens (id, zone) VALUES (1, 'driftwood');",
        'insert into users (name, password) select a, b from c',
      ],
    },
  },
  {
    // https://www.postgresql.org/docs/current/sql-copy.html
    id: 'copied_secret',
    kind: 'SECRET',
    hints: ['copy '],
    wordStart: true,
    find: inCopy(secretColumns),
    examples: {
      hits: ['COPY users (id, name, password) FROM stdin;\n1\tbob\t⟦driftwood⟧\n\\.\n'],
      misses: [
        'COPY users (id, name) FROM stdin;\n1\tdriftwood\n',
        'copy users (id, password) from the list',
      ],
    },
  },
  {
    id: 'secret_of_csv',
    kind: 'SECRET',
    hints: COLUMN_HINTS,
    find: inCsv(secretColumns),
    examples: {
      hits: [
        '\nusername,password\nbob,seashell\nann,⟦driftwood⟧\n',
        '\nid;login;passwort;zone\n1;bob;⟦driftwood⟧;eu\n',
        `\nname\tapi_key\nbob\t⟦${fakeHex(32)}⟧\n`,
        '\npassword,user\n⟦driftwood⟧,bob\n',
        '\nuser,pin\nbob,⟦4711⟧\n',
      ],
      misses: [
        '\nfield,password\nlength,required\n',
        '\nname,token\nthe,word\n',
        '\nuser,password\nIt goes on here\n',
        '\nname,city,pin\nbob,Pune,411001\n',
        '\nboard,pin\nuno,4711\n',
        'password, user\ndriftwood, bob\n',
        'so we ask for user, password\nand zone, driftwood\n',
      ],
    },
  },
  {
    id: 'secret_of_table',
    kind: 'SECRET',
    hints: COLUMN_HINTS,
    find: inTable(secretColumns),
    examples: {
      hits: [
        '\n| user | password |\n|---|---|\n| bob | ⟦dr1ftwood⟧ |\n',
        '\n| user | **Password** | zone |\n| :-- | --- | --- |\n| bob | seashe11 | eu |\n| ann | `⟦dr1ftwood⟧` | us |\n',
        '\n|| user || password ||\n| bob | ⟦dr1ftwood⟧ |\n',
        '\n! User !! Password\n|-\n| bob || seashe11\n|-\n| ann || ⟦dr1ftwood⟧\n',
        '\n|===\n|User |Password\n|bob |⟦dr1ftwood⟧\n',
        '\n| Host | Pass |\n|---|---|\n| db.lan | ⟦driftwood⟧ |\n',
        '\n| User | PIN |\n|---|---|\n| bob | ⟦4711⟧ |\n',
        '\n+----+-----------+\n| id | pass      |\n+----+-----------+\n| 1  | ⟦driftwood⟧ |\n',
        '\n id | password\n----+-----------\n  1 | ⟦driftwood⟧\n',
        '\n┃ User ┃ Password  ┃\n┡━━━━━━╇━━━━━━━━━━━┩\n│ bob  │ ⟦driftwood⟧ │\n',
      ],
      misses: [
        '\n| name | password |\n|---|---|\n| type | string |\n| length | 12 |\n',
        '\n| user | zone |\n|---|---|\n| bob | dr1ftwood |\n',
        '\n| Feature | Password |\n|---|---|\n| SSO | sometimes |\n',
        '\n| User | Password |\n|---|---|\n| ops | required |\n',
        '\n| Pin | Use |\n|---|---|\n| 1024 | reset |\n',
      ],
    },
  },
];
