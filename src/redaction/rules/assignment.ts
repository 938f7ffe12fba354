import type { Rule } from '../rule.ts';
import { isCode, isPlaceholder, isRandom } from '../validators.ts';

/** Values that are assigned to a key whose name says that they are secret: code, JSON, YAML, INI, headers, URLs. */

/** Words that end the name of a key whose value is a password: whatever stands there is hidden. */
export const PASSWORD_WORDS = [
  'password',
  'passwd',
  'passphrase',
  'passwort',
  'passcode',
  'pw=',
  'pw:',
  'pwd',
  'pass',
  'pasw',
];

/** Words that end the name of a key whose value is machine-made: it must look so. */
export const SECRET_WORDS = [
  'secret',
  'token',
  'apikey',
  'api_key',
  'api-key',
  'api key',
  'access_key',
  'access-key',
  'accesskey',
  'private_key',
  'private-key',
  'privatekey',
  'secretkey',
  'secret_key',
  'secret-key',
  'auth_key',
  'authkey',
  'auth',
  'credential',
  'signature',
  'sig=',
  'accountkey',
  'sharedaccesskey',
  'encryption_key',
  'signing_key',
  'master_key',
  'app_key',
  'appkey',
  'client_key',
  'license_key',
  'session',
  'sessionid',
  'cookie',
  'webhook',
  'bearer',
  'otp',
  'salt',
  '_key',
  '-key',
  'authorization',
  'jwt',
  'csrf',
  'pat=',
  '?key=',
  '&key=',
  'sessid',
  'connect.sid',
  '_pat',
];

/** What may stand between a key's sensitive word and the value; quotes may be escaped, as in nested JSON. */
const REST_OF_KEY = String.raw`(?:s|value|key|id|_?(?:hash|string|text|prod|production|dev|test|staging|live|default|old|new|\d{1,3}))?(?:_[A-Z0-9]{1,16}){0,2}`;
const JOIN = String.raw`(?:\\{0,4}["'\`]\]?)?(?:[ \t]{0,8}\??:[ \t]{0,4}[A-Za-z<>.|\[\]]{1,40}(?=[ \t]{0,4}=)|[ \t]{1,4}(?:string|String|str)(?=[ \t]{0,4}:?=))?[ \t]{0,8}(?:=>|:=|\+=|\?=|={1,3}|:|%3[AD]|,(?=[ \t]{0,4}\\{0,4}["'])|>(?:\r?\n)?)[ \t]{0,16}`;
const STRING_PREFIX = String.raw`(?:[rbfuL@$]{0,2}(?=["']))?`;

const ASSIGNED = new RegExp(
  String.raw`${REST_OF_KEY}${JOIN}${STRING_PREFIX}(\\{0,4}["'\`])?(?:(?:Bearer|Basic|Token)[ \t]{1,4})?`,
  'iy',
);
const QUOTED = new Map([
  ['"', /[^"\r\n\\]{1,1024}/y],
  ["'", /[^'\r\n\\]{1,1024}/y],
  ['`', /[^`\r\n\\]{1,1024}/y],
]);
const BARE = /[^\s"'`<>,;&|(){}[\]\\]{1,1024}/y;

interface Assigned {
  readonly value: string;
  readonly start: number;
  readonly quoted: boolean;
}

/** The value that is assigned to the key whose sensitive word ends at `wordEnd`. */
function assignedAt(text: string, wordEnd: number): Assigned | undefined {
  ASSIGNED.lastIndex = wordEnd;
  const match = ASSIGNED.exec(text);
  if (!match) return undefined;
  const quote = match[1];
  const start = wordEnd + match[0].length;
  const pattern = (quote === undefined ? undefined : QUOTED.get(quote.slice(-1))) ?? BARE;
  pattern.lastIndex = start;
  const value = pattern.exec(text)?.[0];
  if (value === undefined) return undefined;
  if (quote !== undefined) return { value, start, quoted: true };
  const trimmed = value.replace(/[.:!?]{1,4}$/, '');
  return trimmed.length === 0 ? undefined : { value: trimmed, start, quoted: false };
}

export function isPasswordValue({ value, quoted }: Assigned, next: string): boolean {
  if (value.length < 3 || isPlaceholder(value) || isCode(value + next)) return false;
  if (quoted) return !/^\s|\s$/.test(value) && (!/\s/.test(value) || value.length <= 64);
  return !/^[a-z]{1,20}$|^[A-Z][a-z]{0,20}$/.test(value) && !/^[/.]{1,2}[\w/.-]*$/.test(value);
}

export function isSecretValue({ value, quoted }: Assigned, next: string): boolean {
  if (value.length < 8 || /\s/.test(value) || isPlaceholder(value) || isCode(value + next)) return false;
  if (/^[\d.,_:+-]+$/.test(value) || /^(?:https?|file|s3|gs|arn|urn)[:/]/.test(value)) return false;
  if (/^[./~]|^[\w.-]+\/[\w.-]+\.[a-z]{1,5}$/.test(value)) return false;
  return value.length >= (quoted ? 8 : 12) ? isRandom(value) : isRandom(value) && /\d/.test(value);
}

/** Keys that hold a sensitive word and name something public. */
const PUBLIC_KEY_NAME =
  /(?:public|primary|foreign|partition|sort|cache|idempotency|routing|row|map|object|hot|index|unique|group|trace|span|max|min|next|page|stop|eos|pad|bos|unk|hash|etag|ssh)[_-]{0,1}(?:key|token)?$|(?:per|no|by)[_ -]$/i;

function isPublicName(text: string, at: number, wordEnd: number): boolean {
  return PUBLIC_KEY_NAME.test(text.slice(Math.max(0, at - 24), wordEnd));
}

export function assignment(
  words: readonly string[],
  valid: (value: Assigned, next: string) => boolean,
): Rule['find'] {
  const byLength = words.toSorted((a, b) => b.length - a.length);
  return (text, at) => {
    const ahead = text.slice(at, at + 20).toLowerCase();
    const word = byLength.find((candidate) => ahead.startsWith(candidate));
    if (!word) return undefined;
    const wordEnd = at + (/[=:]$/.test(word) ? word.length - 1 : word.length);
    const assigned = assignedAt(text, wordEnd);
    if (!assigned || isPublicName(text, at, wordEnd)) return undefined;
    const end = assigned.start + assigned.value.length;
    return valid(assigned, text.charAt(end)) ? { start: assigned.start, end } : undefined;
  };
}
