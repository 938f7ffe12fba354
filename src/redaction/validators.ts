/** Checks that tell a real value from something that only looks like one. */

/** ISO/IEC 7812-1 annex B. `digits` holds digits only. */
export function luhn(digits: string): boolean {
  let sum = 0;
  for (let i = digits.length - 1, double = false; i >= 0; i--, double = !double) {
    const digit = digits.charCodeAt(i) - 48;
    sum += double ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit;
  }
  return sum % 10 === 0;
}

/** ISO 7064 mod 97-10 over an IBAN without spaces (ISO 13616). */
export function mod97(iban: string): boolean {
  let rest = 0;
  for (const char of iban.slice(4) + iban.slice(0, 4)) {
    const value = parseInt(char, 36);
    rest = (value > 9 ? rest * 100 + value : rest * 10 + value) % 97;
  }
  return rest === 1;
}

/** Issuer ranges of the card networks, by length (ISO/IEC 7812 numbers as the networks publish them). */
export function isCardNumber(digits: string): boolean {
  const length = digits.length;
  if (length < 12 || length > 19 || /^(\d)\1+$/.test(digits) || !luhn(digits)) return false;
  const two = Number(digits.slice(0, 2));
  const four = Number(digits.slice(0, 4));
  if (digits.startsWith('4')) return length === 13 || length === 16 || length === 19;
  // Mir, from Russia, and Troy, from Turkey
  if ((four >= 2200 && four <= 2205) || four === 9792) return length >= 16;
  if ((two >= 51 && two <= 55) || (four >= 2221 && four <= 2720)) return length === 16;
  if (two === 34 || two === 37) return length === 15;
  if (four === 6011 || two === 64 || two === 65 || two === 62) return length >= 16;
  if (four >= 3528 && four <= 3589) return length >= 16;
  if (two === 30 || two === 36 || two === 38 || two === 39) return length === 14 || length >= 16;
  if (four === 1800 || four === 2131) return length === 15;
  return two === 50 || (two >= 56 && two <= 69);
}

/** Areas, groups and serials that the SSA never assigns. */
export function isSsn(area: string, group: string, serial: string): boolean {
  return area !== '000' && area !== '666' && !area.startsWith('9') && group !== '00' && serial !== '0000';
}

/**
 * Addresses that can belong to somebody: not private, loopback, link-local, shared or multicast (RFC 6890).
 * Documentation ranges count as public: they stand for real ones.
 */
export function isPublicIpv4(parts: readonly number[]): boolean {
  const [a = 0, b = 0, c = 0, d = 0] = parts;
  if (parts.length !== 4 || parts.some((part) => part > 255)) return false;
  if (a === 0 || a === 10 || a === 127 || a >= 224) return false;
  if (a === 172 && b >= 16 && b <= 31) return false;
  if (a === 192 && b === 168) return false;
  if (a === 169 && b === 254) return false;
  if (a === 100 && b >= 64 && b <= 127) return false;
  // Ids of X.500 in certificates (RFC 5280), where code writes them.
  if (a === 2 && b === 5 && (c === 4 || c === 29)) return false;
  return !(c === 0 && d === 0);
}

const COUNTS = new Uint16Array(256);

/** Shannon entropy in bits per character, of at most 65,535 of them; characters beyond Latin-1 share 256 places. */
function entropy(text: string): number {
  let first = 0xff;
  let last = 0;
  for (let i = 0; i < text.length; i++) {
    const place = text.charCodeAt(i) & 0xff;
    COUNTS[place] = (COUNTS[place] as number) + 1;
    first = Math.min(first, place);
    last = Math.max(last, place);
  }
  let sum = 0;
  for (let place = first; place <= last; place++) {
    const count = COUNTS[place] as number;
    if (count > 1) sum += count * Math.log2(count);
    COUNTS[place] = 0;
  }
  return Math.log2(text.length) - sum / text.length;
}

const PLACEHOLDER = new RegExp(
  [
    String.raw`^:?[*•·.xX#_\-?]{2,}$`, // ****, xxxx, ----, :**** of a user and a password
    String.raw`^(?:[<\[{(]|&(?:lt|#x3c|#60)(?:;|$)).{0,80}$`, // <token>, [REDACTED], {{ token }}
    String.raw`^:(?:[a-z_]{1,40}|[a-z]{1,2}\d{1,3}|[a-z_]{0,24}(?:pass(?:word)?|pw|pwd|secret|token|key|hash|param|value)_?\d)$`, // of SQL
    String.raw`^(?:#\{\w{1,40}\}#?|__(?=\w*(?:CRED|KEY|PASS|PW|SECRET|TOKEN))[A-Z][A-Z\d_]{1,60}__)$|[-_]x{3,}$`, // #{PW}#, __PW__, whsec_xxx
    String.raw`^[$%@][{(\w]|^\w{1,8}=\$\{[^{}]{1,80}\}$`, // ${VAR}, $VAR, %VAR%, v1=${VAR}
    String.raw`^(?!\w{2,5}[-_ ].*[a-z]\d[a-z])(?:your|my|the|an?|some|enter|insert|replace|change|put|add)[-_ ]|^(?:enter|insert|paste|put)your`,
    String.raw`(?:change[-_ ]?me(?!(?:19|20)\d\d$)|placeholder|^example[-_ ]|example[-_ ]?(?:key|token|secret|password)|redacted|dummy|not[-_]?set|fill[-_ ]?in)`,
    String.raw`[-_](?:here|goes[-_]here)$|^your[a-z]{0,20}(?:password|secret|token|key)(?:goes)?(?:here)?$`,
    String.raw`^AKIA[A-Z0-9]{9}EXAMPLE$|^wJalrXUtnFEMI/[\w/+]{12,20}EXAMPLEKEY$`, // the keys of AWS's documentation
    String.raw`^(?:null|nil|none|undefined|true|false|yes|no|string|str|number|int|integer|boolean|bool|object|bytes|any|text|unknown|empty|optional|required|default|example|sample|test|todo|tbd|n/a|password|passwd|secret|token|key|apikey|api_key|(?:x-)?api-key|bearer|basic|authorization|value|hidden|masked|invalid|missing|expired|wrong|incorrect|disabled|enabled|self|this)$`,
    String.raw`^!{0,2}(?:process\.env|os\.environ|env\.|import\.meta|secrets\.|vars\.|config\.|settings\.|self\.|this\.|args\.|options?\.|getenv)`,
    String.raw`xxxx|abcdefghijklmnopqrstuvwxyz|%\(\w{1,24}\)[sd]`,
    String.raw`\(\?(?:[:=!<P]|[imsux]{1,5}[):])|\\[dsw][*+]|[a-z\d_-]\](?:[*+]|\{\d)`, // of regular expressions
  ].join('|'),
  'i',
);

/** Names, types and stand-ins that people write where a value belongs. */
export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || /^(.)\1*$/.test(value);
}

/**
 * A key that says in a word that it is none. AWS marks every key of its documentation so
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html); chance writes seven letters into no key, and four only where
 * nothing sets them off and they are not there twice.
 */
export function saysItIsExample(key: string): boolean {
  return EXAMPLE.test(key);
}

const EXAMPLE =
  /EXAMPLE|Example|(?:^|[^A-Za-z0-9]|^A[KS]IA)(?:FAKE|fake)(?![a-z])|(?:FAKE|fake)(?:[^A-Za-z0-9]|$)|(FAKE|fake)[^]{0,64}\1/;

/** A call or an index has nothing glued to its end: what has is a value with brackets in it. `sig@entry=6` is a debugger's. */
const CODE =
  /^[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*[([](?![^()[\]\s]*[)\]]\w)|^[A-Za-z_$][\w$]*(?:\??\.[a-z_$][\w$]*)+$|^(?:[A-Za-z_$][\w$]*\.)*[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|=>|^(?:new|await|function|lambda)\b|^[A-Za-z_]\w*@entry=/;

/** In regular expressions: https://www.rfc-editor.org/rfc/rfc9562#section-4, in lower case. */
export const UUID = String.raw`[a-f\d]{8}(?:-[a-f\d]{4}){3}-[a-f\d]{12}`;
const IS_UUID = new RegExp(`^${UUID}$`, 'i');

export function isUuid(value: string): boolean {
  return IS_UUID.test(value);
}

/** An expression or a constant's name rather than a value. */
export function isCode(value: string): boolean {
  return CODE.test(value);
}

/** `, stream=None)`, `);`: what stands behind a text in quotes, seen from its last quote. Passwords begin with any sign. */
export function goesOnAsCode(value: string): boolean {
  return /^[,)\];]{1,4}(?:$|\s|[.?:+&|]|[A-Za-z_]\w{0,40} ?[=(])/.test(value);
}

/** The same of a text in quotes: names in code have no digit between their letters. */
export function isCodeInQuotes(value: string): boolean {
  return isCode(value) && !value.includes('?.') && (/[([]/.test(value) || !/[A-Za-z]\d[A-Za-z]/.test(value));
}

/** Base64 of lower case alone, by its length and end. */
export function isPadded(value: string): boolean {
  return (
    value.length >= 16 && /^[a-z]+={1,2}$/.test(value) && (value.length % 4 === 0 || value.endsWith('=='))
  );
}

/** `user=`, `userName=`: no value, but the name of the next one. Chance makes base64 without digits of more capitals. */
export function isNextName(value: string): boolean {
  return (
    (value.endsWith('=') || value.endsWith(':')) &&
    !isPadded(value) &&
    /^(?:[A-Za-z]?[a-z]{1,16}(?:_?[A-Z]?[a-z]{2,16}){0,3}|[A-Z_]{1,32}|[a-z]{2,16}(?:\.[a-z\d]{2,16}){1,4})[=:]$/.test(
      value,
    )
  );
}

/** Made by a generator rather than a person: letters and digits mixed, few repeats. */
export function isRandom(value: string): boolean {
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value)) {
    return value.length >= 20 && /[a-z]/.test(value) && /[A-Z]/.test(value) && entropy(value) > 3.8;
  }
  return entropy(value) >= (value.length >= 20 ? 3 : 2.5);
}
