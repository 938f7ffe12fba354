import { textBefore } from '../characters.ts';
import { decidedBy, fakeHex, onlyWhere } from '../rule.ts';
import type { Found, Rule, Span } from '../rule.ts';
import { isRandom } from '../validators.ts';
import { isAboutSecrets } from './plain-words.ts';
import { hasMarkOfSecret, isActualValue } from './secret-value.ts';

/** Secrets in rows whose columns are named above them: statements of SQL, dumps, CSV, tables of Markdown. */

const PASSWORD = String.raw`(?:passw(?:or)?d|passphrase|passcode|passwort|kennwort|contrase[ñn]a|senha|wachtwoord|has[łl]o|pwd|pass|pw)`;
const KEY = String.raw`(?:secret|token|(?:api|access|private|auth|secret)[_ -]?key)`;
const COLUMN = new RegExp(
  String.raw`^["'\x60[]?(?:\w{0,24}[_ -])?(?:(?<password>${PASSWORD}(?:_?hash)?)|${KEY})["'\x60\]]?$`,
  'i',
);

/** So many rows and columns of a table are looked at. */
const MAX_ROWS = 64;
const MAX_COLUMNS = 24;

type Kinds = readonly ('password' | 'key' | undefined)[];

function kindsOf(columns: readonly string[]): Kinds {
  return columns.map((name) => {
    const match = COLUMN.exec(name.trim());
    if (!match) return undefined;
    return match.groups?.['password'] === undefined ? 'key' : 'password';
  });
}

function foundIn(spans: readonly Span[]): Found | undefined {
  const [first, ...more] = spans;
  return first && { ...first, more };
}

/** Columns of tokens are also those of texts. */
const isKey = (value: string): boolean => value.length >= 12 && isRandom(value) && isActualValue(value);

const TABLE = String.raw`[\w.\x60"[\]]{1,80}\s{0,2}\((?<columns>[^()]{3,400})\)`;
const INSERT = String.raw`(?:insert (?:ignore |or \w{4,8} |overwrite )?|replace |upsert )into ${TABLE}\s{0,8}(?:values?\s{0,4}\(|select )`;
const TEXT = String.raw`N?(?:'(?:[^'\\\n]|''|\\[^\n]){0,400}'|"(?:[^"\\\n]|\\[^\n]){0,400}")`;
/** Blanks belong to one part of it only, so that a statement of many values is read in one way. */
const VALUE = String.raw`(?:\s{0,8}${TEXT}\s{0,8}|[^,'"()]{0,216}(?:\([^()\n]{0,200}\)\s{0,8})?)`;
const ROW = String.raw`(?:${VALUE},){0,${MAX_COLUMNS - 1}}${VALUE}`;
const INSERT_HEAD = new RegExp(INSERT, 'iy');
const NEXT_VALUE = new RegExp(VALUE, 'iy');
const NEXT_ROW = /\)\s{0,8},\s{0,8}\(/y;
const TEXT_VALUE = /^\s{0,8}N?(["'])([^]{3,400})\1\s{0,8}$/i;

/** `(name, password) VALUES ('bob', '…'), ('ann', '…')` */
function findInserted(text: string, at: number): Found | undefined {
  INSERT_HEAD.lastIndex = at;
  const head = INSERT_HEAD.exec(text);
  const kinds = kindsOf(head?.groups?.['columns']?.split(',', MAX_COLUMNS) ?? []);
  if (!head || !kinds.some(Boolean)) return undefined;
  const spans: Span[] = [];
  let start = at + head[0].length;
  for (let row = 0; row < MAX_ROWS; row++) {
    for (const kind of kinds) {
      NEXT_VALUE.lastIndex = start;
      const found = NEXT_VALUE.exec(text)?.[0] ?? '';
      const [, quote = '', value = ''] = TEXT_VALUE.exec(found) ?? [];
      // A text that is not closed yet is no value.
      if (kind && value !== '' && isActualValue(value) && !isAboutSecrets(value)) {
        const from = start + found.indexOf(quote) + 1;
        spans.push({ start: from, end: from + value.length });
      }
      start += found.length;
      if (text.charAt(start) !== ',') break;
      start++;
    }
    NEXT_ROW.lastIndex = start;
    const next = NEXT_ROW.exec(text);
    if (!next) break;
    start += next[0].length;
  }
  return foundIn(spans);
}

/** The values of a line under the columns that hold secrets. */
function* inLine(
  line: string,
  at: number,
  separator: string,
  kinds: Kinds,
  isHidden: IsHidden,
): Generator<Span> {
  let start = at;
  for (const [i, cell] of line.split(separator).entries()) {
    const value = cell.trim().replace(/^(["'\x60])(.*)\1$/, '$2');
    const kind = kinds[i];
    if (kind && value.length >= 3 && isHidden(value, kind)) {
      const from = start + cell.indexOf(value);
      yield { start: from, end: from + value.length };
    }
    start += cell.length + separator.length;
  }
}

type IsHidden = (value: string, kind: 'password' | 'key') => boolean;

const COPY = new RegExp(String.raw`copy ${TABLE} from stdin[^\n]{0,80};\r?\n`, 'iy');
const OPEN_COPY = new RegExp(
  String.raw`copy ${TABLE} from stdin[^\n]{0,80};\r?\n(?:[^\\\n][^\n]{0,800}\n){0,${MAX_ROWS}}(?:[^\\\n][^\n]{0,800})?`,
  'i',
);

/** `COPY users (name, password) FROM stdin;`: rows of cells between tabs, up to `\.` */
function findCopied(text: string, at: number): Found | undefined {
  COPY.lastIndex = at;
  const head = COPY.exec(text);
  const kinds = kindsOf(head?.groups?.['columns']?.split(',') ?? []);
  if (!head || !kinds.some(Boolean)) return undefined;
  return foundIn(
    rowsFrom(
      text,
      at + head[0].length,
      '\t',
      kinds,
      (value) => value !== String.raw`\N` && isActualValue(value),
    ),
  );
}

/** Rows of as many cells as there are columns. */
function rowsFrom(text: string, from: number, separator: string, kinds: Kinds, isHidden: IsHidden): Span[] {
  const spans: Span[] = [];
  let start = from;
  for (let row = 0; row < MAX_ROWS; row++) {
    const end = text.indexOf('\n', start);
    const line = text
      .slice(start, end < 0 || end > start + MAX_LINE ? start + MAX_LINE : end)
      .replace(/\r$/, '');
    const cells = line.split(separator).length;
    // The last line may go on.
    if (cells !== kinds.length && (end >= 0 || cells < 2 || cells > kinds.length)) break;
    spans.push(...inLine(line, start, separator, kinds, isHidden));
    if (end < 0) break;
    start = end + 1;
    NEXT_ROW_OF_WIKI.lastIndex = start;
    start += NEXT_ROW_OF_WIKI.exec(text)?.[0].length ?? 0;
  }
  return spans;
}

const MAX_LINE = 800;
const CELL_OF_HEAD = String.raw`["']?[\p{L}\d_][\p{L}\d_ -]{0,31}["']?`;
const HEAD_BEFORE = new RegExp(
  String.raw`(?:^|\n)(?:${CELL_OF_HEAD}([,;\t]))(?:${CELL_OF_HEAD}\1){0,23}["']?(?:[\p{L}\d_]{1,24}[_ -])?$`,
  'u',
);
const WIKI_BEFORE =
  /(?:^|\n)(?:[ \t]{0,8}\|(?:[^|\r\n]{0,48}\|){0,23}|!(?:[^!\r\n]{0,48}!!){0,23})[ \t*]{0,8}(?:[\w-]{1,24}[_ -])?$/;
const LOOKED_BACK = 200;
const REST_OF_HEAD = /[^\r\n]{0,400}(?=\r?\n)/y;
const OPEN_TABLE = /[^\r\n]{0,400}(?:\r?\n(?:[^\r\n,;\t|]{0,200}[,;\t|][^\r\n]{0,800})?){0,66}/;

interface Head {
  readonly line: string;
  readonly start: number;
  /** Where the line behind it begins. */
  readonly next: number;
}

/** The line break and what stands between it and the hint. */
function lineBefore(text: string, at: number): string {
  const before = textBefore(text, at, LOOKED_BACK);
  return before.slice(Math.max(0, before.lastIndexOf('\n')));
}

/** The line that a hint stands in. */
function headAt(text: string, at: number): Head | undefined {
  const before = textBefore(text, at, LOOKED_BACK);
  const start = at - before.length + before.lastIndexOf('\n') + 1;
  REST_OF_HEAD.lastIndex = at;
  const rest = REST_OF_HEAD.exec(text)?.[0];
  if (rest === undefined) return undefined;
  const end = at + rest.length;
  return { line: text.slice(start, end), start, next: text.indexOf('\n', end) + 1 };
}

/** Under the first of the columns for secrets, for all of them. */
function findInCsv(text: string, at: number): Found | undefined {
  const separator = HEAD_BEFORE.exec(lineBefore(text, at))?.[1];
  const head = separator === undefined ? undefined : headAt(text, at);
  if (!head || separator === undefined) return undefined;
  const names = head.line.split(separator);
  const kinds = kindsOf(names);
  const isHead = names.every((name) => /^\s?["']?[\p{L}\d_ /-]{1,32}["']?$/u.test(name));
  if (!isHead || kinds.slice(0, text.slice(head.start, at).split(separator).length - 1).some(Boolean))
    return undefined;
  return foundIn(
    rowsFrom(text, head.next, separator, kinds, (value, kind) =>
      kind === 'key' ? isKey(value) : isActualValue(value) && !isAboutSecrets(value) && !/\s/.test(value),
    ),
  );
}

const RULE_OF_TABLE = /\|?[ \t]{0,4}:?-{1,64}:?[ \t]{0,4}\|[-:| \t]{0,400}\r?\n/y;
/** The first line of a table of AsciiDoc. */
const OPENS_TABLE = /(?:^|\n)\|===\r?\n$/;
/** Between two rows of MediaWiki. */
const NEXT_ROW_OF_WIKI = /\|-[^\r\n]{0,80}\r?\n/y;

/** How a table of a wiki is written: what separates the names of its columns, and where its first row is. */
function formAt(text: string, { line, start, next }: Head): Form | undefined {
  if (/^\s*\|\|/.test(line)) return { names: '||', cells: '|', first: next };
  if (line.startsWith('!')) {
    NEXT_ROW_OF_WIKI.lastIndex = next;
    const gap = NEXT_ROW_OF_WIKI.exec(text);
    return gap ? { names: '!!', cells: '||', first: next + gap[0].length } : undefined;
  }
  RULE_OF_TABLE.lastIndex = next;
  const rule = RULE_OF_TABLE.exec(text);
  if (rule) return { names: '|', cells: '|', first: next + rule[0].length };
  return OPENS_TABLE.test(textBefore(text, start, 8)) ? { names: '|', cells: '|', first: next } : undefined;
}

interface Form {
  readonly names: string;
  readonly cells: string;
  readonly first: number;
}

/** Values that are words may be what is said about the column. */
function findInWiki(text: string, at: number): Found | undefined {
  const head = WIKI_BEFORE.test(lineBefore(text, at)) ? headAt(text, at) : undefined;
  const form = head && formAt(text, head);
  if (!form) return undefined;
  const kinds = kindsOf(head.line.split(form.names).map((name) => name.replaceAll(/[*!\x60]/g, '')));
  if (kinds.slice(0, text.slice(head.start, at).split(form.names).length - 1).some(Boolean)) return undefined;
  return foundIn(
    rowsFrom(text, form.first, form.cells, kinds, (value, kind) =>
      kind === 'key' ? isKey(value) : hasMarkOfSecret(value) && isRandom(value) && !/\s/.test(value),
    ),
  );
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
];

export const TABLE_RULES: readonly Rule[] = [
  {
    id: 'inserted_secret',
    kind: 'SECRET',
    hints: [
      'insert into ',
      'insert ignore into ',
      'insert or ',
      'insert overwrite into ',
      'replace into ',
      'upsert into ',
    ],
    wordStart: true,
    find: decidedBy(
      new RegExp(
        String.raw`${INSERT}${ROW}(?:\)\s{0,8},\s{0,8}\(${ROW}){0,${MAX_ROWS - 1}}(?:\)\s{0,8},?\s{0,8})?`,
        'i',
      ),
      findInserted,
    ),
    examples: {
      hits: [
        { text: "INSERT INTO users (name, password) VALUES ('bob', 'driftwood');", hidden: 'driftwood' },
        {
          text: "insert into `app`.`keys` (id, api_key, made) values (7, 'driftwood', NOW())",
          hidden: 'driftwood',
        },
        { text: "REPLACE INTO users (name, pass) VALUES ('bob', 'driftwood');", hidden: 'driftwood' },
        {
          text: "INSERT INTO u (name, pw) VALUES ('bob', 'seashell'), ('ann', 'driftwood');",
          hidden: 'driftwood',
        },
        { text: "INSERT INTO u (name, pw) SELECT 'bob', 'driftwood';", hidden: 'driftwood' },
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
    find: decidedBy(OPEN_COPY, findCopied),
    examples: {
      hits: [
        {
          text: 'COPY users (id, name, password) FROM stdin;\n1\tbob\tdriftwood\n\\.\n',
          hidden: 'driftwood',
        },
      ],
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
    find: onlyWhere((text, at) => HEAD_BEFORE.test(lineBefore(text, at)), decidedBy(OPEN_TABLE, findInCsv)),
    examples: {
      hits: [
        { text: '\nusername,password\nbob,seashell\nann,driftwood\n', hidden: 'driftwood' },
        { text: '\nid;login;passwort;zone\n1;bob;driftwood;eu\n', hidden: 'driftwood' },
        { text: `\nname\tapi_key\nbob\t${fakeHex(32)}\n`, hidden: fakeHex(32) },
      ],
      misses: [
        '\nfield,password\nlength,required\n',
        '\nname,token\nthe,word\n',
        '\nuser,password\nIt goes on here\n',
        'so we ask for user, password\nand zone, driftwood\n',
      ],
    },
  },
  {
    id: 'secret_of_table',
    kind: 'SECRET',
    hints: COLUMN_HINTS,
    find: onlyWhere((text, at) => WIKI_BEFORE.test(lineBefore(text, at)), decidedBy(OPEN_TABLE, findInWiki)),
    examples: {
      hits: [
        { text: '\n| user | password |\n|---|---|\n| bob | dr1ftwood |\n', hidden: 'dr1ftwood' },
        {
          text: '\n| user | **Password** | zone |\n| :-- | --- | --- |\n| bob | seashe11 | eu |\n| ann | `dr1ftwood` | us |\n',
          hidden: 'dr1ftwood',
        },
        { text: '\n|| user || password ||\n| bob | dr1ftwood |\n', hidden: 'dr1ftwood' },
        {
          text: '\n! User !! Password\n|-\n| bob || seashe11\n|-\n| ann || dr1ftwood\n',
          hidden: 'dr1ftwood',
        },
        { text: '\n|===\n|User |Password\n|bob |dr1ftwood\n', hidden: 'dr1ftwood' },
      ],
      misses: [
        '\n| name | password |\n|---|---|\n| type | string |\n| length | 12 |\n',
        '\n| user | zone |\n|---|---|\n| bob | dr1ftwood |\n',
      ],
    },
  },
];
