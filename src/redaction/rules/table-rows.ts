import { textBefore } from '../characters.ts';
import { fitsAt, lengthAt, matchAt } from '../match-at.ts';
import { decidedBy, onlyWhere, withHead } from '../rule.ts';
import type { Find, Found, Span } from '../rule.ts';

/** Rows whose columns are named above them: statements of SQL, dumps, CSV, tables of wikis, programs and terminals. */

/** So many rows and columns of a statement are looked at. */
const MAX_ROWS = 64;
const MAX_COLUMNS = 24;

/** What a table was made for: words in one of documents may be what is said about the column. */
export type Source = 'statement' | 'dump' | 'csv' | 'document' | 'output';

/** Whether a value is to be hidden. `names` are those of all columns. */
export type IsHidden = (value: string, source: Source, names: readonly string[]) => boolean;

/** What a rule hides below a column of this name. */
export type Columns = (name: string) => IsHidden | undefined;

interface Table {
  readonly source: Source;
  readonly columns: Columns;
  readonly names: readonly string[];
  readonly hides: readonly (IsHidden | undefined)[];
}

const MARKS_OF_NAME = /^["'\x60[*!\s]{1,8}|["'\x60\]*!\s]{1,8}$/g;

function tableOf(columns: Columns, source: Source, names: readonly string[]): Table | undefined {
  const bare = names.map((name) => name.replace(MARKS_OF_NAME, ''));
  const hides = bare.map(columns);
  return hides.some(Boolean) ? { source, columns, names: bare, hides } : undefined;
}

const isToHide = ({ source, names, hides }: Table, column: number, value: string): boolean =>
  hides[column]?.(value, source, names) === true;

function foundIn(spans: readonly Span[]): Found | undefined {
  const [first, ...more] = spans;
  return first && { ...first, more };
}

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
function findInserted(text: string, at: number, columns: Columns): Found | undefined {
  const head = matchAt(INSERT_HEAD, text, at);
  const table =
    head && tableOf(columns, 'statement', head.groups?.['columns']?.split(',', MAX_COLUMNS) ?? []);
  if (!table) return undefined;
  const spans: Span[] = [];
  let start = at + head[0].length;
  for (let row = 0; row < MAX_ROWS; row++) {
    for (const column of table.names.keys()) {
      const found = matchAt(NEXT_VALUE, text, start)?.[0] ?? '';
      // A text that is not closed yet is no value.
      const [, quote = '', value = ''] = TEXT_VALUE.exec(found) ?? [];
      if (value !== '' && isToHide(table, column, value)) {
        const from = start + found.indexOf(quote) + 1;
        spans.push({ start: from, end: from + value.length });
      }
      start += found.length;
      if (text.charAt(start) !== ',') break;
      start++;
    }
    const next = matchAt(NEXT_ROW, text, start);
    if (!next) break;
    start += next[0].length;
  }
  return foundIn(spans);
}

/** The values of a line that are to be hidden. */
function* inLine(cells: readonly string[], at: number, separator: string, table: Table): Generator<Span> {
  let start = at;
  for (const [column, cell] of cells.entries()) {
    const value = bareValue(cell);
    if (value.length >= 3 && isToHide(table, column, value)) {
      const from = start + cell.indexOf(value);
      yield { start: from, end: from + value.length };
    }
    start += cell.length + separator.length;
  }
}

const bareValue = (cell: string): string => cell.trim().replace(/^(["'\x60])(.*)\1$/, '$2');

/** What stands between separators; one in quotes, as in CSV, or behind a backslash, as in Markdown, is none. */
function cellsOf(line: string, separator: string): readonly string[] {
  const pieces = line.split(separator);
  const goesOn = separator === '|' ? ENDS_ESCAPED : OPEN_QUOTE;
  if (!line.includes(separator === '|' ? '\\|' : '"')) return pieces;
  const cells: string[] = [];
  let open: string | undefined;
  for (const piece of pieces) {
    const cell: string = open === undefined ? piece : open + separator + piece;
    open = goesOn.test(cell) ? cell : undefined;
    if (open === undefined) cells.push(cell);
  }
  return open === undefined ? cells : [...cells, open];
}

const ENDS_ESCAPED = /\\$/;
const OPEN_QUOTE = /^ ?"(?:[^"]|"")*$/;

const COPY = new RegExp(String.raw`copy ${TABLE} from stdin[^\n]{0,80};\r?\n`, 'iy');
const OPEN_COPY = new RegExp(
  String.raw`copy ${TABLE} from stdin[^\n]{0,80};\r?\n(?:[^\\\n][^\n]{0,800}\n){0,${MAX_ROWS}}(?:[^\\\n][^\n]{0,800})?`,
  'i',
);

/** `COPY users (name, password) FROM stdin;`: rows of cells between tabs, up to `\.` */
function copied(text: string, at: number, columns: Columns): Below | undefined {
  const head = matchAt(COPY, text, at);
  const table = head && tableOf(columns, 'dump', head.groups?.['columns']?.split(',') ?? []);
  if (!table) return undefined;
  const first = at + head[0].length;
  return { head: { start: at, end: first }, rows: rowsFrom(text, first, '\t', table) };
}

interface Rows {
  readonly spans: readonly Span[];
  /** The text ends before anything else than a row has begun. */
  readonly goOn: boolean;
}

/** The rows below a head. Cells that a row has too few or too many of are its last ones. */
function rowsFrom(text: string, from: number, separator: string, table: Table): Rows {
  const spans: Span[] = [];
  for (let start = from; ;) {
    start += lengthAt(BETWEEN_ROWS, text, start);
    const end = text.indexOf('\n', start);
    const line = text
      .slice(start, end < 0 || end > start + MAX_LINE ? start + MAX_LINE : end)
      .replace(/\r$/, '');
    const cells = cellsOf(line, separator);
    const mayBeRow = isRow(table, cells) || (end < 0 && table.hides[0] !== undefined);
    if (mayBeRow && !isHead(table, cells)) spans.push(...inLine(cells, start, separator, table));
    else if (end >= 0) return { spans, goOn: false };
    if (end < 0) return { spans, goOn: true };
    start = end + 1;
  }
}

/** A sentence has blanks behind its commas. */
function isRow({ names, source }: Table, cells: readonly string[]): boolean {
  if (cells.length === names.length) return true;
  return cells.length > 1 && !(source === 'csv' && cells.some((cell, i) => i > 0 && /^ \S/.test(cell)));
}

/** Of another table, which has its own rows. */
const isHead = ({ columns, hides }: Table, cells: readonly string[]): boolean =>
  cells.some((cell, i) => hides[i] && (columns(bareValue(cell)) || /^copy .*\)/i.test(cell)));

const MAX_LINE = 800;
const CELL_OF_HEAD = String.raw`["']?[\p{L}\d_][\p{L}\d_ -]{0,31}["']?`;
const HEAD_BEFORE = new RegExp(
  String.raw`(?:^|\n)(?:${CELL_OF_HEAD}([,;\t]))(?:${CELL_OF_HEAD}\1){0,47}["']?(?:[\p{L}\d_]{1,24}[_ -])?$`,
  'u',
);
const TABLE_BEFORE =
  /(?:^|\n)(?:[ \t]{0,8}(?:[^|│┃\r\n]{0,48}[|│┃]){0,47}|!(?:[^!\r\n]{0,48}!!){0,23})[ \t*]{0,8}(?:[\w-]{1,24}[_ -])?$/;
const LOOKED_BACK = 400;
const REST_OF_HEAD = /[^\r\n]{0,400}(?=\r?\n)/y;
const OPEN_TABLE = /[^\r\n]{0,400}(?:\r?\n(?:[^\r\n,;\t|+│┃┼╇╪]{0,200}[,;\t|+│┃┼╇╪][^\r\n]{0,800})?){0,66}/;

/** A head, and what stands below it. */
interface Below {
  readonly head: Span;
  readonly rows: Rows;
}

interface Head {
  readonly line: string;
  readonly start: number;
  /** Where the line behind it begins. */
  readonly next: number;
}

/** The line break and what stands between it and the hint. */
function lineBefore(text: string, at: number): string {
  const before = textBefore(text, at, LOOKED_BACK);
  const start = before.lastIndexOf('\n');
  // It may begin further back.
  return start < 0 && at > LOOKED_BACK ? '\r' : before.slice(Math.max(0, start));
}

/** The line that a hint stands in. */
function headAt(text: string, at: number): Head | undefined {
  const before = textBefore(text, at, LOOKED_BACK);
  const start = at - before.length + before.lastIndexOf('\n') + 1;
  const rest = matchAt(REST_OF_HEAD, text, at)?.[0];
  if (rest === undefined) return undefined;
  const end = at + rest.length;
  return { line: text.slice(start, end), start, next: text.indexOf('\n', end) + 1 };
}

/** Another column before it would have found it. */
const isFirst = (table: Table, before: string, separator: string): boolean =>
  !table.hides.slice(0, before.split(separator).length - 1).some(Boolean);

/** A first name, and what separates it from the next one, unless the text ends before. */
const FIRST_OF_CSV = /[\p{L}\d_ -]{1,32}["']?(?:$|([,;\t])(?! ))/uy;
const FIRST_OF_TABLE = /[\p{L}\d_-]{1,32}[ \t"*\x60]{0,32}(?:$|[|│┃])/uy;
const LINE_START = /(?:^|\n)[ \t"']{0,8}(?:[\p{L}\d_]{1,24}[_ -])?$/u;

/** The rest of a cell: most words for secrets stand in sentences and code, which is seen here at little cost. */
const REST_OF_CELL = /[\p{L}\d_ .-]{1,48}["'*\x60 \t]{0,48}(?:$|[,;\t|│┃!\r\n])/uy;
const endsAsCell = (text: string, at: number): boolean => fitsAt(REST_OF_CELL, text, at);

/** What separates the names of the line; '' where the text ends before that can be told. */
function separatorAt(text: string, at: number): string | undefined {
  if (!endsAsCell(text, at)) return undefined;
  const before = lineBefore(text, at);
  const separator = HEAD_BEFORE.exec(before)?.[1];
  if (separator !== undefined || !LINE_START.test(before)) return separator;
  const first = matchAt(FIRST_OF_CSV, text, at);
  return first ? (first[1] ?? '') : undefined;
}

function csvAt(text: string, at: number, columns: Columns): Below | undefined {
  const separator = separatorAt(text, at);
  const head = separator === undefined ? undefined : headAt(text, at);
  if (!head || separator === undefined || separator === '') return undefined;
  const names = head.line.split(separator);
  if (!names.every((name) => /^\s?["']?[\p{L}\d_ /-]{1,32}["']?$/u.test(name))) return undefined;
  const table = tableOf(columns, 'csv', names);
  if (!table || !isFirst(table, text.slice(head.start, at), separator)) return undefined;
  return {
    head: { start: head.start, end: head.next },
    rows: rowsFrom(text, head.next, separator, table),
  };
}

const RULE_OF_TABLE = /[|+]?[ \t]{0,4}:?[-=]{1,64}:?[ \t]{0,4}[|+][-=:|+ \t]{0,400}\r?\n/y;
/** Drawn by a program in a terminal. */
const DRAWN_RULE = /[├╞┡]?[─═━]{1,64}[┼╪╇][─═━┼╪╇┤╡┩]{0,400}\r?\n/y;
/** The first line of a table of AsciiDoc, and how long it is with the line breaks. */
const MAX_OPENING = 8;
const OPENS_TABLE = /(?:^|\n)\|===\r?\n$/;
/** Between two rows of MediaWiki. */
const NEXT_ROW_OF_WIKI = /\|-[^\r\n|]{0,80}\r?\n/y;
/** The same, or a line that a program draws. */
const BETWEEN_ROWS = /(?:\|-[^\r\n|]{0,80}|[ \t]{0,8}[+├╞][-=─━═+┼╪┤╡]{1,400})\r?\n/y;

/** How a table is written: what separates the names of its columns, and where its first row is. */
interface Form {
  readonly names: string;
  readonly cells: string;
  readonly first: number;
  readonly source: Source;
}

function formAt(text: string, { line, start, next }: Head): Form | undefined {
  if (/^\s*\|\|/.test(line)) return { names: '||', cells: '|', first: next, source: 'document' };
  if (line.startsWith('!')) {
    const gap = lengthAt(NEXT_ROW_OF_WIKI, text, next);
    return gap > 0 ? { names: '!!', cells: '||', first: next + gap, source: 'document' } : undefined;
  }
  const drawn = /[│┃]/.exec(line)?.[0];
  const rule = matchAt(drawn === undefined ? RULE_OF_TABLE : DRAWN_RULE, text, next)?.[0];
  if (rule !== undefined) {
    const source = drawn !== undefined || rule.includes('+') ? 'output' : 'document';
    return { names: drawn ?? '|', cells: drawn === undefined ? '|' : '│', first: next + rule.length, source };
  }
  return OPENS_TABLE.test(textBefore(text, start, MAX_OPENING))
    ? { names: '|', cells: '|', first: next, source: 'document' }
    : undefined;
}

/** Whether the line may name the columns of a table, as far as can be told already. */
function mayBeHead(text: string, at: number): boolean {
  if (!endsAsCell(text, at)) return false;
  const before = lineBefore(text, at);
  if (!TABLE_BEFORE.test(before)) return false;
  if (LINE_START.test(before) && !fitsAt(FIRST_OF_TABLE, text, at)) return false;
  const head = headAt(text, at);
  if (!head) return text.indexOf('\n', at) < 0;
  return formAt(text, head) !== undefined || text.indexOf('\n', head.next) < 0;
}

function tableAt(text: string, at: number, columns: Columns): Below | undefined {
  const head = endsAsCell(text, at) && TABLE_BEFORE.test(lineBefore(text, at)) ? headAt(text, at) : undefined;
  const form = head && formAt(text, head);
  if (!form) return undefined;
  const table = tableOf(columns, form.source, head.line.split(form.names));
  if (!table || !isFirst(table, text.slice(head.start, at), form.names)) return undefined;
  const start = Math.max(0, head.start - MAX_OPENING);
  return { head: { start, end: form.first }, rows: rowsFrom(text, form.first, form.cells, table) };
}

export const INSERT_HINTS = [
  'insert into ',
  'insert ignore into ',
  'insert or ',
  'insert overwrite into ',
  'replace into ',
  'upsert into ',
];

/** What stands behind a short name of a column, so that it is no beginning of a word. */
export const CELL_ENDS = [',', ';', '\t', ' |', '|', '"', '  ', '\n', '\r'];

/** As far as `open` matches to the end of the text, more may come. */
function findBelow(open: RegExp, belowAt: (text: string, at: number) => Below | undefined): Find {
  return withHead(
    decidedBy(open, (text, at) => foundIn(belowAt(text, at)?.rows.spans ?? [])),
    (text, at) => {
      const found = belowAt(text, at);
      return found?.rows.goOn === true ? found.head : undefined;
    },
  );
}

export const inInsert = (columns: Columns): Find =>
  withHead(
    decidedBy(
      new RegExp(
        String.raw`${INSERT}${ROW}(?:\)\s{0,8},\s{0,8}\(${ROW}){0,${MAX_ROWS - 1}}(?:\)\s{0,8},?\s{0,8})?`,
        'i',
      ),
      (text, at) => findInserted(text, at, columns),
    ),
  );

export const inCopy = (columns: Columns): Find =>
  findBelow(OPEN_COPY, (text, at) => copied(text, at, columns));

export const inCsv = (columns: Columns): Find =>
  onlyWhere(
    (text, at) => separatorAt(text, at) !== undefined,
    findBelow(OPEN_TABLE, (text, at) => csvAt(text, at, columns)),
  );

export const inTable = (columns: Columns): Find =>
  onlyWhere(
    mayBeHead,
    findBelow(OPEN_TABLE, (text, at) => tableAt(text, at, columns)),
  );
