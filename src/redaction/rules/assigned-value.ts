import { isAlnum } from '../characters.ts';
import { matchAt } from '../match-at.ts';

/** What is assigned to a name: operators, quotes and blocks of code, JSON, YAML, INI, headers and URLs. */

/** A size or count of secrets is a number; what else stands under such a name (`SECRET_BYTES`) may be a secret. */
const NO_COUNT = String.raw`(?!(?:_[A-Z0-9]{1,16})?_?(?:attempts|bytes|chars|count|days|hours|limit|minutes|retries|seconds|size)\\{0,4}["']?(?:[ \t]{0,4}:[ \t]{0,4}[a-z]\w{0,15})?[ \t]{0,8}[:=][ \t]{0,8}\d{1,6}(?!\w))`;
/** Parts of names of what is told about a secret. */
const ABOUT_SECRET =
  'algorithm|at|attribute|blank|changed|column|context|created|date|desc|description|enabled|encoder|encoding|encryption|endpoint|error|expired|expires|expiry|field|file|form|format|hasher|help|hint|id|incorrect|invalid|label|len|length|max|mechanism|message|method|min|mismatch|missing|mode|msg|name|notice|param|parameter|path|placeholder|policy|prompt|redirect|regex|required|reset|route|rules?|selector|started|state|status|strength|subject|template|timeout|title|too|ttl|type|updated|uri|url|version|view|weak|wrong';
/**
 * What may stand between a key's sensitive word and the value; quotes may be escaped, as in nested JSON. The tag of a
 * marker is no type.
 */
const REST_OF_KEY = String.raw`${NO_COUNT}(?!\d?(?:_[A-Z0-9]{1,16})?_{0,2}(?:${ABOUT_SECRET})(?![A-Za-z0-9])|(?:_[A-Z0-9]{1,16}){2,5}_(?:${ABOUT_SECRET})(?![A-Za-z0-9_]))(?:s|value|key|id|_?(?:hash|string|text|prod|production|dev|test|staging|live|default|old|new|\d{1,3}))?(?:_[A-Z0-9]{0,16}){0,6}`;
const JOIN = String.raw`(?:\\{0,4}["'\`]\]?|\]|\[\d{0,4}\])?(?:[ \t]{0,8}\??:[ \t]{0,4}(?:&(?:'[a-z]{1,12} )?)?(?![a-z2-7]{10}(?:[a-z2-7]{6})?\])[A-Za-z<>.|\[\]]{1,40}(?=[ \t]{0,4}=(?!=)[ \t]{0,4}\S)|[ \t]{1,4}(?:as )?(?:string|String|str)(?=[ \t]{0,4}:?=))?[ \t]{0,24}(?<operator>=>|->|<-|\{(?=["'])|→|⇒|:{1,3}=|[+.?]=|\|\|=|&&=|\?\?=|!={1,2}|={1,3}|:|%3[AD]|,(?=[ \t]{0,16}(?:<<)?\\{0,4}["'])|(?:\.equals(?:IgnoreCase)?|\.set)?\((?=\\{0,4}["'])|>(?!\x60)(?:\r?\n)?)[ \t]{0,16}`;
/** A list of names and values, as of Kubernetes, HTTP archives and .NET: `"name": "DB_PASSWORD", "value": "…"`. */
const BESIDE = String.raw`(?:(?:\\{0,4}["'],?|\r?\n|\\{1,4}n)\s{0,40}\\{0,4}["']?value(?=\\{0,4}["']?[ \t]{0,8}[:=])|[ \t]{1,4}value(?==["'])|<\/key>\s{0,20}<string(?=>))?`;
/** What makes a string of a literal: a constructor, a prefix. */
const STRING_PREFIX = String.raw`(?:(?:new )?(?:String|SecretStr|SecureString|Secret|Buffer|Password)(?:(?:\.|::)(?!(?:(?:en|de)code|equals|includes|match|replace|split)\()\w{2,12})?\([ \t]?(?=["'])|(?:\[\]byte|\[\]rune|bytes|bytearray|atob|(?:base64\.)?b64decode)\((?=b?["'\x60]))?(?:(?!R"\()(?:[rbfuLN@$]{1,2}|u8|~[sS]|<<)(?=["'])|(?:_?T|TEXT|PSTR|F|AY_OBFUSCATE|xorstr_|skCrypt)\((?=["']))?`;

/** What YAML says of a value before it: its type, a name to repeat it by. */
const TAG = String.raw`(?:(?:!{1,2}[A-Za-z][\w/-]{0,24}|&[\w-]{1,32})[ \t]{1,4}(?=[^\s])){0,2}`;
/** Also of three signs, raw (Rust, Swift), of C++, Lua, Perl, Ruby and Elixir. */
const OPENING_QUOTE = String.raw`"{3}|'{3}|r?#{1,3}"|R"\(|\[\[|(?:qq?|%[qQ]|~[sS])[({]|\\{0,4}["'\`]`;

/** The head of a block of YAML: its text begins in the next line. */
const BLOCK = String.raw`(?<block>[|>][+-]?\d?[ \t]{0,4}(?:\r?\n|\\{1,4}n)[ \t]{1,16})?`;

export const ASSIGNED = new RegExp(
  String.raw`${REST_OF_KEY}${BESIDE}${JOIN}${TAG}${BLOCK}${STRING_PREFIX}(?<quote>${OPENING_QUOTE})?(?:(?:Bearer|Basic|Token)[ \t]{1,4})?`,
  'iy',
);
const END_OF_SENTENCE = '.:!?';
/** So much of a value decides whether it is one; only then its end is looked for. */
export const JUDGED = 100;
/** The characters of values in each kind of quotes, where a quote with a backslash is one of them, and where it is the end. */
const QUOTED = new Map([
  ...['"', "'", '`'].flatMap((quote): readonly (readonly [string, ValuePatterns])[] => [
    [quote, valuePatterns(String.raw`(?:[^${quote}\r\n\\]|\\[^\r\n])`)],
    [`\\${quote}`, valuePatterns(String.raw`[^${quote}\r\n\\]`)],
  ]),
  ['""', valuePatterns(String.raw`(?:[^"\r\n]|"(?!""))`)],
  ["''", valuePatterns(String.raw`(?:[^'\r\n]|'(?!''))`)],
  ['#"', valuePatterns(String.raw`(?:[^"\r\n]|"(?!#))`)],
  ['"(', valuePatterns(String.raw`(?:[^)\r\n]|\)(?!"))`)],
  ['[[', valuePatterns(String.raw`(?:[^\]\r\n]|\](?!\]))`)],
  ...['q', 'Q', 's', 'S'].flatMap((letter): readonly (readonly [string, ValuePatterns])[] => [
    [`${letter}(`, valuePatterns(String.raw`[^)\r\n]`)],
    [`${letter}{`, valuePatterns(String.raw`[^}\r\n]`)],
  ]),
]);
/** The first line of a block. */
const LINE = valuePatterns(String.raw`[^\r\n\\]`);
const BARE = valuePatterns(String.raw`[^\s"'\`<>,;&|(){}[\]\\]`);

/**
 * Separators and brackets within a password that is written without quotes: nothing that begins another item follows,
 * and brackets are closed before the password ends.
 */
const IN_PASSWORD =
  /(?:[,;|](?![\w.[\]-]{0,40}[=:])|&(?![\w.[\]-]{0,40}[=:;])|[([{](?=[^\s()[\]{}]{0,40}[)\]}]\w)|[)\]}](?=\w))[\w!@#$%^*][^\s"'`<>,;&|(){}[\]\\]{0,64}/y;
const MAX_SEPARATORS = 8;

interface ValuePatterns {
  readonly head: RegExp;
  readonly whole: RegExp;
}

function valuePatterns(character: string): ValuePatterns {
  return {
    head: new RegExp(`${character}{1,${JUDGED + 1}}`, 'y'),
    whole: new RegExp(`${character}{1,1024}`, 'y'),
  };
}

export interface Assigned {
  /** Its first JUDGED + 1 characters at most. */
  readonly value: string;
  readonly patterns: ValuePatterns;
  readonly start: number;
  readonly quoted: boolean;
  /** What opens it; '' for nothing. */
  readonly quote: string;
  /** All between the word and the value. */
  readonly joint: string;
  readonly operator: string;
  /** No blank on either side of the operator. */
  readonly isTight: boolean;
}

/**
 * The value that is assigned to the key whose sensitive word ends at `wordEnd`.
 * @param isPassword it may hold any character
 */
export function assignedAt(text: string, wordEnd: number, isPassword: boolean): Assigned | undefined {
  if (!mayBeAssigned(text, wordEnd)) return undefined;
  const match = matchAt(ASSIGNED, text, wordEnd);
  if (!match) return undefined;
  const { operator = '', block, quote = '' } = match.groups ?? {};
  const joint = match[0];
  const start = wordEnd + joint.length;
  const isTight = !isBlank(text.charCodeAt(wordEnd)) && !isBlank(joint.charCodeAt(joint.length - 1));
  const quoted = quote === '' ? undefined : QUOTED.get(quote.slice(-2));
  const patterns = quoted ?? (block === undefined ? BARE : LINE);
  const found = matchAt(patterns.head, text, start)?.[0];
  if (found === undefined) return undefined;
  const value = isPassword && patterns === BARE ? withSeparators(text, start, found) : found;
  if (patterns !== BARE) return { value, patterns, start, quoted: true, quote, joint, operator, isTight };
  if (value.length > JUDGED)
    return { value, patterns, start, quoted: false, quote, joint, operator, isTight };
  const bare = withoutEndOfSentence(value);
  return bare === ''
    ? undefined
    : { value: bare, patterns, start, quoted: false, quote, joint, operator, isTight };
}

/** Whether behind the key stands what may join it to a value. The pattern is far dearer, and most keys are words of a sentence. */
function mayBeAssigned(text: string, wordEnd: number): boolean {
  let at = wordEnd;
  while (isWord(text.charCodeAt(at)) && at < wordEnd + MAX_REST_OF_KEY) at++;
  const sign = text.charCodeAt(at);
  if (!isBlank(sign)) return JOINS.has(sign);
  const behind = at + MAX_BLANKS;
  while (isBlank(text.charCodeAt(at)) && at < behind) at++;
  return JOINS_APART.has(text.charCodeAt(at));
}

/** Longer than the pattern takes. */
const MAX_REST_OF_KEY = 120;
const MAX_BLANKS = 25;

function isWord(unit: number): boolean {
  return isAlnum(unit) || unit === 95;
}

function isBlank(unit: number): boolean {
  return unit === 32 || unit === 9;
}

const OPERATORS = '=-<{→⇒:+.?|&!%,(>';
const JOINS = new Set(Array.from(`${OPERATORS}\\"'\`[]\r\n`, (sign) => sign.charCodeAt(0)));
/** A type, `as` before one, or the name `value` may stand behind the blank. */
const JOINS_APART = new Set(Array.from(`${OPERATORS}AaSsVv`, (sign) => sign.charCodeAt(0)));

/** A word ends at a separator: what is no password has no digits or signs before it. */
function withSeparators(text: string, start: number, first: string): string {
  if (!/[^A-Za-z_.]/.test(first)) return first;
  let end = start + first.length;
  for (let i = 0; i < MAX_SEPARATORS; i++) {
    const more = matchAt(IN_PASSWORD, text, end)?.[0];
    if (more === undefined) break;
    end += more.length;
  }
  return text.slice(start, end);
}

function withoutEndOfSentence(value: string): string {
  let { length } = value;
  while (length > 0 && END_OF_SENTENCE.includes(value.charAt(length - 1))) length--;
  return value.slice(0, length);
}

/** So much behind a value of letters tells whether a clause ends there. */
export const REST = 40;

/** A value, bare, in quotes or in a block, and what it is judged by behind it. */
export const ANY_VALUE = String.raw`(?:\S{1,1024}|(?<=")[^"\r\n]{1,1024}|(?<=')[^'\r\n]{1,1024}|(?<=\x60)[^\x60\r\n]{1,1024}|(?<=n[ \t]{1,16}|\n[ \t]{1,16})[^\r\n]{1,1024})[^]{${REST}}`;

/** Where a value ends that was judged by its beginning. */
export function endOf(text: string, { value, patterns, start, quoted }: Assigned): number {
  if (value.length <= JUDGED) return start + value.length;
  const whole = matchAt(patterns.whole, text, start)?.[0] ?? value;
  return start + (quoted ? whole : withoutEndOfSentence(whole)).length;
}
