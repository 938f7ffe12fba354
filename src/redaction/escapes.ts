import { rewritten } from './view.ts';
import type { View } from './view.ts';

/**
 * Characters written as codes: percent-encoding (RFC 3986, of UTF-8), character references of HTML, `\u0040`,
 * `\u{40}`, `\x40` and `\U00000040` of programming languages, with the backslash escaped once more or twice. Strings that code puts together are read as one.
 */
const CODE =
  /%[0-7][0-9a-f]|%[cd][0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-4](?:%[89ab][0-9a-f]){3}|&#(?:\d{1,7}|x[0-9a-f]{1,6});?|&[a-z]{2,8};|\\{1,4}(?:u[0-9a-f]{4}|u\{[0-9a-f]{1,6}\}|x[0-9a-f]{2}|U[0-9a-f]{8})|(?:"[ \t]{0,4}[+.]\s{0,16}"|'[ \t]{0,4}[+.]\s{0,16}')/gi;

/** Names in HTML of the ASCII characters that values and their surroundings are made of. */
const NAMED = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: ' ',
    commat: '@',
    period: '.',
    colon: ':',
    sol: '/',
    bsol: '\\',
    equals: '=',
    lowbar: '_',
    num: '#',
    excl: '!',
    dollar: '$',
    percnt: '%',
    plus: '+',
    ast: '*',
    quest: '?',
    lpar: '(',
    rpar: ')',
    lsqb: '[',
    rsqb: ']',
    comma: ',',
    semi: ';',
    tab: '\t',
    newline: '\n',
  }),
);

/** By the end of the name of a letter in HTML. */
const ACCENTS = new Map(
  Object.entries({
    grave: '\u0300',
    acute: '\u0301',
    circ: '\u0302',
    tilde: '\u0303',
    uml: '\u0308',
    ring: '\u030a',
    caron: '\u030c',
    cedil: '\u0327',
    ogon: '\u0328',
  }),
);
const ACCENTED = new RegExp(`^&([A-Za-z])(${[...ACCENTS.keys()].join('|')});$`);
/** Letters that are no others with an accent. */
const STRANGE = new Map(
  Object.entries({ szlig: 'ß', lstrok: 'ł', Lstrok: 'Ł', oslash: 'ø', Oslash: 'Ø', aelig: 'æ', AElig: 'Æ' }),
);

const MAX_CODE_POINT = 0x10_ff_ff;

/** The text with its codes read once; undefined when it has none. */
export function unescaped(text: string): View | undefined {
  return mayHaveEscapes(text) ? rewritten(text, CODE, decode) : undefined;
}

/** Whether a code stands in the text. */
export function hasEscapes(text: string): boolean {
  CODE.lastIndex = 0;
  return mayHaveEscapes(text) && CODE.test(text);
}

/** Fast searches spare nearly every text the pattern; a backslash before `n` or a quote is no reason for it. */
function mayHaveEscapes(text: string): boolean {
  if (text.includes('%') || text.includes('&')) return true;
  if ((text.includes('+') || text.includes(' . ')) && CONCATENATED.some((sign) => text.includes(sign)))
    return true;
  return text.includes('\\') && (text.includes('\\u') || text.includes('\\x') || text.includes('\\U'));
}

/** Between two strings of code, as it is mostly written. */
const CONCATENATED = [`" + `, `' + `, `"+`, `'+`, `" . "`, `' . '`];

function decode(code: string): string {
  if (/^["']/.test(code)) return '';
  if (code.startsWith('%'))
    return code.length === 3 ? character(parseInt(code.slice(1), 16), code) : ofUtf8(code);
  if (code.startsWith('\\')) return character(parseInt(code.replace(/^\\+.\{?/, ''), 16), code);
  const body = code.slice(1).replace(/;$/, '').toLowerCase();
  if (!body.startsWith('#')) return NAMED.get(body) ?? accented(code);
  return character(body.startsWith('#x') ? parseInt(body.slice(2), 16) : Number(body.slice(1)), code);
}

/** A character of several bytes; the code itself where the bytes are none. */
function ofUtf8(code: string): string {
  const char = Buffer.from(code.replaceAll('%', ''), 'hex').toString('utf8');
  return char.includes('\ufffd') ? code : char;
}

/** A letter with an accent, as `&ntilde;`, by its name in HTML; the code itself where it is another. */
function accented(code: string): string {
  const [, letter = '', accent = ''] = ACCENTED.exec(code) ?? [];
  const strange = STRANGE.get(code.slice(1, -1));
  return strange ?? (letter === '' ? code : (letter + (ACCENTS.get(accent) ?? '')).normalize('NFC'));
}

function character(point: number, code: string): string {
  return point <= MAX_CODE_POINT ? String.fromCodePoint(point) : code;
}
