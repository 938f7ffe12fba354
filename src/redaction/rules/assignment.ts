import { isTextAboutSecrets, isTranslation } from '../about-secrets.ts';
import { decidedBy } from '../rule.ts';
import type { Find } from '../rule.ts';
import {
  goesOnAsCode,
  isCode,
  isCodeInQuotes,
  isNextName,
  isPadded,
  isPlaceholder,
  isRandom,
  saysItIsExample,
} from '../validators.ts';
import { isKeyMaterial } from './secret-value.ts';
import {
  endsClause,
  isAboutSecrets,
  isNameOfCode,
  isPhrase,
  isPlainWord,
  isTypeOrName,
  isMadeUnique,
} from './plain-words.ts';
import {
  isNameInCode,
  isReadableId,
  isRole,
  isStepOfMethod,
  isTechnical,
  isVersion,
} from './technical-words.ts';
import { ANY_VALUE, ASSIGNED, assignedAt, endOf, JUDGED, REST, type Assigned } from './assigned-value.ts';
import { ENDS_OF_KEYS, PASSWORD_WORDS } from './secret-words.ts';

/** Values that are assigned to a key whose name says that they are secret: code, JSON, YAML, INI, headers, URLs. */

/** What an assigned value is judged by, besides itself. */
interface Around {
  /** The name up to its end, and what is before it in the line. */
  readonly before: string;
  /** What comes behind the value. */
  readonly rest: string;
}

/** A URL hides no more than its parts, which have rules of their own. */
function isAddress(value: string): boolean {
  return /^[a-z][a-z0-9+.-]{1,20}:\/\//i.test(value);
}

/** What comes after `pass:` in a report: `12/12`, `98.5%`. */
function isScore(value: string): boolean {
  return /^\d{1,6}\/\d{1,6}$|^\d{1,3}(?:\.\d{1,3})?%$/.test(value);
}

const COMPARISON = /^[!=]==?$/;
/** Names of settings: `DB_PASSWORD`, `spring.datasource.password`. */
const SETTING = /(?:^|[^\w.])(?:[A-Z][A-Z\d_]{2,64}|[a-z][\w-]*(?:\.[\w-]+){2,8})$/;
/** A brace or bracket is open: of an object or a call, whose values are expressions. */
const OPEN = /[{(][^{}()\r\n]*$/;
/** `pass` is also a word of tests and reports. */
const PASS = /(?:^|[^a-z])pass$/i;
/** Of a file in quotes, or of what AWS has. */
const PATH =
  /^(?:~|\.{1,2}|\/(?:app|data|dev|etc|home|mnt|opt|proc|run|secrets|srv|tmp|Users|usr|var))\/[\w./-]{1,90}$|^[\w./-]{1,90}\/[\w-]{1,40}\.(?:cfg|conf|crt|env|erb|html?|j2|json|key|md|pem|php|pug|py|tmpl|twig|txt|xml|ya?ml)$|^(?:file:\/{3}|arn:aws[a-z-]{0,8}:)/;
/** `"pbkdf2-password`: in quotes, with a part in front. */
const IS_PACKAGE = /["'][@\w./]+[-/]\w+$/;
/** What a shell calls the folder that it is in. */
const IS_FOLDER = /(?:^|[^\w-])(?:OLD)?PWD$/;
const CJK = /[\u3041-\u30ff\u4e00-\u9fff\uac00-\ud7a3]/;
const ACCOUNT = /(?:user|login|name|account|\bid)\b/i;
/** Elements whose text is for people. */
const SHOWN_ELEMENT = /<(?:label|th|td|button|option|a|span|p|h\d|div|legend|li|strong|b|summary)\b[^<>]*$/i;

/** Whether a value of letters only is a value, and no word of a sentence, type, or name of a variable. */
function isAssignedWord({ value, operator, isTight }: Assigned, { before, rest }: Around): boolean {
  if (COMPARISON.test(operator) || value.length < 4) return false;
  // Nobody writes a sentence without blanks.
  if (isTight && operator !== ':' ? isTypeOrName(value) : isAboutSecrets(value, before + operator))
    return false;
  if (operator.startsWith('>')) return rest.startsWith('</') && !SHOWN_ELEMENT.test(before);
  if (rest.startsWith('<')) return false;
  const isSetting = SETTING.test(before);
  if (isPassAlone(before) && !isTight && !isSetting && !ACCOUNT.test(before)) return false;
  if (isTight) {
    if (operator === ':' && rest.startsWith('}')) return true;
    if (!isSetting && (/^[,)]/.test(rest) || isNameOfCode(value))) return false;
    return operator === '=' || operator.startsWith('%3') || endsClause(rest);
  }
  if (!endsClause(rest)) return false;
  if (operator === ':' || operator === '=>') return !isNameOfCode(value) && !OPEN.test(before);
  if (isNameOfCode(value) && rest.startsWith(';')) return false;
  // Of a line of settings: no program gives a variable a name with a dash.
  if (
    operator === '=' &&
    /^[ \t]{0,16}[\w.-]{1,64}$/.test(before) &&
    (value.includes('-') || isOfAccount(before))
  )
    return /^[ \t]{0,8}(?:\r?\n|$)/.test(rest);
  if (isLineOfSettings(operator, before)) return /^[ \t]{0,8}(?:\r?\n|$)/.test(rest);
  return isSetting || /^(?::{2,3}=|\?=)$/.test(operator);
}

export function isPasswordValue(assigned: Assigned, around: Around): boolean {
  const { value, quoted } = assigned;
  if (value.length < 3 || isPlaceholder(value) || isNameItself(value, around.before)) return false;
  if (quoted ? isCodeInQuotes(value) : isCode(value) || isNextName(value)) return false;
  // Of a shell: `${DB_PASSWORD:?must be set}`
  if (/^[?+]/.test(value) && /\$\{\w{1,64}$/.test(around.before)) return false;
  if (quoted) {
    if (/^\s|\s$/.test(value) || isBehindText(assigned, around) || isTextAboutSecrets(value)) return false;
    if (isTranslation(value, around.before) || UNION.test(around.rest)) return false;
    if (
      (isVersion(value) && IS_PACKAGE.test(around.before)) ||
      PATH.test(value) ||
      (IS_FOLDER.test(around.before) && /^[/~]|^[a-z]:\\/i.test(value))
    )
      return false;
    if (CJK.test(value) && PASS.test(around.before)) return false;
    if (/[,(]$/.test(assigned.operator) && (/\s/.test(value) || isAboutSecrets(value))) return false;
    return /\s/.test(value) ? value.length <= 64 && !isPassAlone(around.before) : true;
  }
  if (isCode(value + around.rest.charAt(0)) || isAddress(value) || isScore(value)) return false;
  if (/^ \/ \S/.test(around.rest) && IN_PAIR.test(around.before)) return false;
  if (isTextAboutSecrets(value) || isRedirected(assigned, around)) return false;
  if (SHORT_NAME.test(around.before) && isMeasured(assigned)) return false;
  if (isRole(value + around.rest) || isStepOfMethod(around.before + assigned.operator + value)) return false;
  if (isPassOfWork(around.before)) return false;
  // `pass: 212`: so many tests
  if (
    /^\d{1,5}$/.test(value) &&
    isPassAlone(around.before) &&
    !assigned.isTight &&
    !ACCOUNT.test(around.before)
  )
    return false;
  if (isPlainWord(value)) return isAssignedWord(assigned, around);
  if (isTechnical(value) || isMadeUnique(value)) return false;
  if (COMPARISON.test(assigned.operator) && /^[A-Za-z_][A-Za-z_.]*\d?$/.test(value))
    return /\d/.test(value) && !isTypeOrName(value.slice(0, -1));
  return !/^[/.]{1,2}[\w/.-]*(?::r[ow])?$/.test(value);
}

/** `password: 'right' | 'wrong'`: a type. */
const UNION = /^(["'])[ \t]?\|[ \t]?\1\w/;

/** `id/pw: bob / …`: behind the name of a pair the user comes first. */
const IN_PAIR = /[A-Za-z]{2,12}\/[A-Za-z]{2,10}$/;

/** `OAUTHBEARER: "OAUTHBEARER"`, `connect(db_pass=db_pass)`: a name that stands for itself. */
function isNameItself(value: string, before: string): boolean {
  return value.length >= 6 && before.endsWith(value) && !/[\w$-]$/.test(before.slice(0, -value.length));
}

/** `getpass(prompt='Password: ', stream=None)`: the quote ends the text that the name stands in. */
function isBehindText({ value, quote, joint }: Assigned, { before }: Around): boolean {
  return goesOnAsCode(value) && (before + joint).split(quote).length % 2 === 1;
}

/** `remotepass`, `smtp_password`: a setting of a program, which has no variables. */
function isOfAccount(before: string): boolean {
  const whose = before.trim().replace(/[_.-]?(?:pass(?:word|wd)?|pwd|pw)$/i, '');
  return whose !== '' && whose !== before.trim() && WHOSE.test(whose);
}

/** `mongo_pwd := tangerine`: what begins a line and names an account is of no block of code, whose lines are indented. */
function isLineOfSettings(operator: string, before: string): boolean {
  return (
    /^(?::=|->|→|⇒)$/.test(operator) &&
    /^[\w.-]{1,64}$/.test(before) &&
    (isOfAccount(before) || (/[_.-]/.test(before) && STRONG_NAME.test(before)))
  );
}

/** `echo $PW > file` */
function isRedirected({ operator }: Assigned, { before }: Around): boolean {
  return operator.startsWith('>') && /\$\{?\w{1,64}$/.test(before);
}

/** Also names of powers, status words and modulations: `pw = 3.5`, `PSW: 0x80`, `psk > 100`. */
const SHORT_NAME = /(?:^|[^a-z])(?:pw|psw|psk)$/i;

function isMeasured({ value, operator }: Assigned): boolean {
  if (/^[->]>?$/.test(operator) && /^[\d.]+$/.test(value)) return true;
  return /^(?:0x[\da-f]{1,16}|\d{1,4}\.\d+|\d{1,4}(?:\.\d+)?[km]?w|\d{0,2}[bdq]?psk|\d{0,4}qam\d{0,4})$/i.test(
    value,
  );
}

/** `pass`, and neither `db_pass` nor `smtppass`. */
function isPassAlone(before: string): boolean {
  return PASS.test(before) && !WHOSE.test(before.slice(0, -'pass'.length).replace(/[_-]$/, ''));
}

/** `second pass: inlining`: what is passed is the noun in front of it. */
function isPassOfWork(before: string): boolean {
  const noun = /([A-Za-z]{2,24})[ _-]pass$/i.exec(before.slice(-29))?.[1];
  return noun !== undefined && !/^pass/i.test(noun) && !WHOSE.test(noun) && !ACCOUNT.test(before);
}

/** Names that only secrets have. `token` and the like are also names of harmless things. */
const STRONG_NAME =
  /(?:secret|api[_ -]?key|access[_-]?key|private[_-]?key|secret[_-]?key|auth[_-]?key|(?:api|auth|access|refresh|bearer|bot)[_-]?token|authorization|bearer)$/i;

/** Shorter words under a name for machine-made secrets are settings. */
const MIN_WORD = 8;

export function isSecretValue(assigned: Assigned, around: Around): boolean {
  const { value, quoted } = assigned;
  if (quoted && OF_PHRASE.test(around.before) && /(?: [^ ]{1,40}){2}/.test(value)) return isPhrase(value);
  if (value.length < 8 || /\s/.test(value) || isNameItself(value, around.before)) return false;
  if (isPlainWord(value)) {
    if (
      isMixedCase(value) &&
      value.length >= 20 &&
      ((quoted && STRONG_NAME.test(around.before)) || !(isNameInCode(value) || around.rest.startsWith('(')))
    )
      return !isPlaceholder(value) && !isCode(value) && isRandom(value);
    if (value.length < MIN_WORD || !STRONG_NAME.test(around.before) || isPlaceholder(value)) return false;
    if (isCode(value) || isAboutSecrets(value, quoted ? undefined : around.before + assigned.operator))
      return false;
    return quoted
      ? !COMPARISON.test(assigned.operator) && !isNameOfCode(value)
      : isAssignedWord(assigned, around);
  }
  if (isPadded(value)) return true;
  // Most values that are none fail here, before anything that costs.
  if (!/\d/.test(value) && !isMixedCase(value)) return false;
  if (isPlaceholder(value) || isCode(value) || isCode(value + around.rest.charAt(0))) return false;
  if (
    /^[\d.,_:+-]+$|^0x[\da-f]{1,8}$/i.test(value) ||
    isAddress(value) ||
    /^(?:s3|gs|arn|urn)[:/]/.test(value)
  )
    return false;
  if (isPath(value) || IS_SETTING.test(value) || saysItIsExample(value)) return false;
  if (IN_NAME_OF_RESOURCE.test(around.before)) return false;
  if (isTechnical(value) || isNameInCode(value) || isNamed(value, around.before)) return false;
  return value.length >= (quoted ? 8 : 12) ? isRandom(value) : isRandom(value) && /\d/.test(value);
}

/** Names of secrets that people choose. */
const OF_PHRASE =
  /(?:secret|(?:secret|signing|encryption|master|shared|cookie|session)[ _-]?(?:key|token))$/i;

/** `v1=…`, `StrictHostKeyChecking=no` */
const IS_SETTING = /^[a-z]{1,3}=|^[A-Z][a-z]{2,20}[A-Za-z]{2,40}=(?:no|off|on|yes|true|false)$/;
/** `arn:aws:secretsmanager:…:secret:name`, `urn:ietf:params:oauth:…` */
const IN_NAME_OF_RESOURCE = /\b(?:arn:aws|urn(?::|%3A))[\w.:%-]{0,90}$/i;

/** Of a path the parts are words; base64 can begin with its sign. */
function isPath(value: string): boolean {
  if (/^\/[\w+/]{31,}={0,2}$/.test(value))
    return !value.split('/').some((part) => part.length >= 16 && isKeyMaterial(part));
  return /^[./~]|^[\w.-]+\/[\w.-]+\.[a-z]{1,5}$/.test(value);
}

/** A name that people gave to what is no secret itself: a session of work, a kind of signature. */
function isNamed(value: string, before: string): boolean {
  return (
    !STRONG_NAME.test(before) &&
    !(IS_LOGIN.test(before) && USER_AND_PASSWORD.test(value)) &&
    (isReadableId(value) || (!TOKEN.test(before) && /^[a-z]{5,}\d{1,4}$/.test(value)))
  );
}

/** `auth: admin:driftwood9` */
const IS_LOGIN = /(?:auth|credentials?)$/i;
const USER_AND_PASSWORD = /^[\w.@-]{2,64}:(?=[a-z]*\d)[a-z\d]{6,64}$/;
const TOKEN = /(?:token|jwt|_pat|otp)$/i;

function isMixedCase(value: string): boolean {
  return /[A-Z]/.test(value) && /[a-z]/.test(value);
}

/** Keys that hold a sensitive word and name something public. */
const PUBLIC_KEY_NAME =
  /(?:public|primary|foreign|partition|sort|cache|idempotency|routing|row|map|object|hot|index|unique|group|trace|span|max|min|next|page|stop|eos|pad|bos|unk|hash|etag|ssh)[_-]{0,1}(?:key)?(?:token)?$|existing[_-]?secret$|(?:per|no|by)[_ -]$/i;

function isPublicName(text: string, at: number, wordEnd: number): boolean {
  return PUBLIC_KEY_NAME.test(text.slice(Math.max(0, at - 24), wordEnd));
}

export function assignment(
  words: readonly string[],
  valid: (value: Assigned, around: Around) => boolean,
): Find {
  const byLength = words.toSorted((a, b) => b.length - a.length);
  const byFirst = new Map<string, string[]>();
  for (const word of byLength) byFirst.set(word.charAt(0), [...(byFirst.get(word.charAt(0)) ?? []), word]);
  const keyLengths = new Map(words.map((word) => [word, keyOf(word).length]));
  const whole = new RegExp(`(?:${byLength.map(keyPattern).join('|')})${ASSIGNED.source}${ANY_VALUE}`, 'i');
  return decidedBy(whole, (text, at) => {
    const ahead = text.slice(at, at + 20).toLowerCase();
    const word = byFirst.get(ahead.charAt(0))?.find((candidate) => ahead.startsWith(candidate));
    if (!word) return undefined;
    const wordEnd = at + (keyLengths.get(word) ?? 0);
    const assigned = assignedAt(text, wordEnd, words === PASSWORD_WORDS);
    if (!assigned) return undefined;
    const isLong = assigned.value.length > JUDGED;
    const judged = isLong ? { ...assigned, value: assigned.value.slice(0, JUDGED) } : assigned;
    const behind = assigned.start + assigned.value.length;
    const around = {
      before: lineBefore(text, wordEnd),
      rest: isLong ? '' : text.slice(behind, behind + REST),
    };
    // Most values are too short for a secret.
    if (!valid(judged, around) || isPublicName(text, at, wordEnd) || isOtherWord(text, at, word))
      return undefined;
    if (assigned.operator === ',' && !isArgument(text, at)) return undefined;
    if (assigned.operator.endsWith('(') && !isSetter(text, at, assigned.operator)) return undefined;
    return { start: assigned.start, end: endOf(text, assigned) };
  });
}

/** Words that end as a name of a secret does: `compass`, `bypass`, `trespass`, `basalt`, `obsession`. */
function isOtherWord(text: string, at: number, word: string): boolean {
  if (ENDS_OF_KEYS.includes(word)) return !NAMES_KEY.test(text.slice(Math.max(0, at - 12), at + word.length));
  if (!PARTS_OF_WORDS.has(word)) return false;
  const glued = GLUED.exec(text.slice(Math.max(0, at - 24), at))?.[0] ?? '';
  const isBoundary = /[a-z]$/.test(glued) && /[A-Z]/.test(text.charAt(at));
  return glued !== '' && !isBoundary && !WHOSE.test(glued);
}

/** Other keys are those of sections, versions, regions, devices. */
const NAMES_KEY =
  /(?:(?:activat|applicat|authenticat|authorizat|decrypt|encrypt|ingest|integrat|subscript)ion|service|license|signing|write|master|shared|deploy)key$/i;

const PARTS_OF_WORDS = new Set([
  'pass',
  'salt',
  'session',
  'pwd',
  'otp',
  'psk ',
  'psk=',
  'psk:',
  'psk"',
  'psw ',
  'psw=',
  'psw:',
]);
const GLUED = /[A-Za-z]{1,24}$/;
/** Whose password it is, where the words are written as one: `dbpass`, `PGPASS`, `SMTPPASS`. */
const WHOSE =
  /(?:archive|become|bind|broker|camera|chap|connect|connection|cpanel|eap|enable|ftps|hive|imaps|jdbc|jenkins|jira|kafka|mqtt|mx|odbc|pap|panel|peer|printer|radius|relay|router|sender|site|snmp|sonar|sudo|trap|vault|wallet|wordpress|wp|db|data|user|usr|usuario|admin|adm|root|my|our|sql|pg|postgres|oracle|smtp|imap|pop|mail|ftp|sftp|ssh|wifi|wpa|vpn|login|auth|new|cur|current|default|test|web|api|app|sys|svc|service|key|store|trust|proxy|ldap|redis|mongo|rabbit|mq|amqp|http|https|rpc|ssl|tls|cert|ca|host|server|client|master|super|sudo|enc|zip|pdf|pem|account|acct|private|priv|basic|net|ad|sa|ora|sso|bot|php|jsp?|asp|bucket|hash|ssh|open|gpg|pgp|rdp|vnc|sip|snmp|wlan|bind|reg|net|registry|docker|git|github|nexus|repo|remote|local|backup|dev|prod|stage|staging)$/i;

/**
 * `set("password", "x")`: the first of the arguments of a call, in quotes, and no check, text for people, or list of
 * names. `at` is where the sensitive word begins.
 */
function isArgument(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 80), at);
  return (
    FILLS.test(before) ||
    /\{[a-z]?[\w-]{0,40}$/.test(before) ||
    (/\w\(\s{0,8}\\{0,4}["'\x60][\w.:-]{0,40}$/.test(before) && !NO_SETTER.test(before))
  );
}

/**
 * `setPassword("x")`, `.password("x")`, `ALTER USER app PASSWORD('x')`, `password.equals("x")`: a call whose name says that
 * it takes the value, or compares with it. `at` is where the sensitive word begins.
 */
function isSetter(text: string, at: number, operator: string): boolean {
  const before = text.slice(Math.max(0, at - 40), at);
  return operator !== '(' || (SETTER.test(before) && !OF_TEST.test(before));
}

/** `t.pass('done')`: of a test. */
const OF_TEST =
  /(?:^|[^\w.])(?:assert|chai|expect|t|tap|test)\.$|(?:keyring|keytar)\.set_?$|(?:change|reset|set|update)_?[Uu]ser_?$/;
const SETTER =
  /(?:^|[^A-Za-z])(?:set|with|change|update|basic)_?(?:[A-Z][a-z]{0,12}|[a-z]{1,12}_){0,3}$|(?:^|[\w)])\s{0,40}\.$|\b(?:user|role|login|set)\b[^()\n]{0,40} $|= $/i;

/** `page.fill('#password', 'x')`: a field of a page, by its id. */
const FILLS = /(?:fill|type|input|enter|set_?value)(?:_?text)?\(\s{0,8}\\{0,4}["'\x60]#[\w-]{0,40}$/i;
const NO_SETTER =
  /(?:^|[^A-Za-z])(?:t|tr|i18n|translate|gettext|expect\w*|assert\w*|equals?|replace(?:all)?|register|label|it|test|describe|type|match|has|pick|omit|field|input|rename|alias|with_?column|lookup|\w{0,24}(?<!\b(?:add|bind|put|set|update|with)\w{0,16})(?:attributes|columns|fields|keys|names|params|parameters|variables))\(\s{0,8}\\{0,4}["'\x60][\w.:-]{0,40}$/i;

function keyPattern(word: string): string {
  return keyOf(word).replaceAll(/[.?]/g, String.raw`\$&`);
}

const BEFORE = 100;

function lineBefore(text: string, end: number): string {
  const before = text.slice(Math.max(0, end - BEFORE), end);
  return before.slice(before.lastIndexOf('\n') + 1);
}

/** The signs behind some words only say where the word ends. */
function keyOf(word: string): string {
  return word.replace(/[=:"'\\\] ]{1,2}$/, '');
}
