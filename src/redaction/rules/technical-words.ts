import { isLetter } from '../characters.ts';

/**
 * Names that computing uses: of algorithms, encodings, protocols, parts of a grammar, products. Under a name for secrets
 * they say how something is made or where it lies (`secret: kubernetes`, `jwt.sign(payload, secret, "HS256")`).
 */

const WORDS = new Set(
  [
    // Kinds of authentication, and who does it.
    'auth0 basic bearer cert certificate cognito digest hmac idp kerberos keycloak ldap ldaps mtls negotiate ntlm oauth oidc',
    'okta openid pam passkey pkce radius saml scram spnego sso tls totp webauthn x509',
    // Hashes, ciphers, encodings.
    'ascii bcrypt binary blake cbc chacha chacha20 crypt ctr deflate ecb ecdsa gcm gzip hex latin legacy pbkdf pepper plaintext',
    'poly1305 raw rsa scrypt sha sum salt unicode utf',
    // Where things lie.
    'aws azure cloud compose consul credentials creds database default docker environment filesystem gcp git github gitlab',
    'google hashicorp helm infisical ingress jenkins keychain keyring kubernetes manager memory mongodb mysql namespace openshift',
    'operator postgres postgresql production redis registry root secrets server staging storage store sqlite terraform vault volume',
    // Parts of a grammar, of a text for a model, of a message.
    'brace bracket bytelevel colon comma comment dedent dot end eof eol identifier indent keyword label literal lparen message',
    'newline number operator paren punctuation quote rparen semicolon slash space symbol template unigram whitespace word wordpiece',
    // What tokens, sessions and fields are of.
    'access agent age budget cache client cluster column count country created csrf data deleted email enum expired expires firewall format',
    'group header hours html id image index interactive invalid issuer item iteration job json key keys language lifetime limit list',
    'locale lookup mail mandatory max merge metadata method mode model month name owner page path payload phone pipeline policy',
    'pool post prefix primary profile project provider public query read refresh repository request resource response role route',
    'rotation rounds row run schema scope second secondary select service slug sort step stream strict subject suffix table tag',
    'team temporary tenant test tests through timestamp title total tree undefined update updated upload uri url usage username',
    'utility uuid values version view webhook write xml yaml zone',
    // The same in other languages, where keys of dictionaries and examples are.
    'beschreibung cadena descripcion descripción nombre nome pflichtfeld texto usuario usuário valor valore wert',
  ].flatMap((line) => line.split(' ')),
);

/** `HS256`, `utf-8`, `AES-256-GCM`, `oauth2`, `pbkdf2`: a name of the trade with its number. */
const NUMBERED =
  /^(?:aes|argon|aws|base|blake|cl|cp|crc|des|ec|ed|es|float|gpt|hs|http|ietf|int|ipv|iso|k8s|latin|md|oauth|o|p|pbkdf|pkcs|ps|rfc|ripemd|rs|rsa|s3|saml|secp|sha|ssl|tls|uint|utf|uuid|v|word2vec|x|xchacha)[-_]?\d{0,5}(?:id|[dhik]|sum|crypt|bit|be|le)?$/i;

/** Names of types end so: `OAuth2Client`, `Base64String`. */
const TYPE_NAME =
  /^_?(?:[A-Z][a-z]*\d{0,5})+(?:Alphabet|Class|Context|Details|Enum|Error|Event|Exception|Interface|List|Map|Params|Props|Result|Set|State|Array|Buffer|Bytes|Callback|Client|Config|Credentials?|Data|Factory|Field|Handler|Helper|Info|Key|Manager|Model|Object|Options?|Provider|Request|Response|Schema|Secret|Serializer|Service|Session|Signature|Signer|Store|String|Token|Type|Value)\d?$/;

/** `exports.WebhookError`, `BatchUsage.InputTokens`. */
const MEMBER = /^(?:[a-z_]{2,30}|(?:[A-Z][a-z]{1,20}){1,5})(?:\.(?:[A-Z][a-z]{1,20}){1,5}\d?){1,4}$/;
/** What types and functions lie in: a module, perhaps with its number, an import that a compiler named. */
const MODULE = /^(?:[a-z_]{2,30}|[A-Z][A-Za-z]{1,30}|[A-Za-z]{2,30}(?:_[a-z]{2,20}){1,4}_\d)$/;
/** `verifyWebhookSignature`: each word of it is longer than chance makes them. */
const CAMEL_WORDS = /^[a-z]{2,20}(?:[A-Z][a-z]{2,20}){1,6}$|^(?:[A-Z][a-z]{2,20}){2,7}$/;

/** Words of names that are shorter than those by which chance is told. */
const SHORT_WORDS = /(?<=[a-z])(?:As|At|By|Id|In|Is|JS|Of|On|Or|To)(?=[A-Z]|$)|^(?:No|JS)(?=[A-Z])/g;

export function isNameInCode(value: string): boolean {
  if (TYPE_NAME.test(value) || isMember(value)) return true;
  return isOfLetters(value) && CAMEL_WORDS.test(value.replaceAll(SHORT_WORDS, ''));
}

function isOfLetters(value: string): boolean {
  for (let i = 0; i < value.length; i++) if (!isLetter(value.charCodeAt(i))) return false;
  return true;
}

/** `http2.ClientHttp2Session`, `cryptography.x509.Certificate`: what belongs to something, each part a name of code. */
function isMember(value: string): boolean {
  if (!value.includes('.')) return false;
  if (MEMBER.test(value)) return true;
  const modules = value.split('.');
  const own = modules.pop() ?? '';
  if (
    !modules.every(
      (part) => MODULE.test(part) || NUMBERED.test(part) || WORDS.has(part) || CAMEL_WORDS.test(part),
    )
  )
    return false;
  if (/^(?:[A-Z]{2,20}|[a-z]{2,20}(?:_[a-z]{2,20}){1,5})$/.test(own))
    return CAMEL_WORDS.test(modules.at(-1) ?? '');
  return TYPE_NAME.test(own) || CAMEL_WORDS.test(own) || /^(?:[A-Z]{1,5}[a-z]{2,20}){1,10}$/.test(own);
}

/** Each part of it is a name of computing. */
export function isTechnical(value: string): boolean {
  if (value.length > MAX_NAME) return false;
  if (TYPE_NAME.test(value) || isMember(value) || NUMBERED.test(value)) return true;
  return everyPart(value, '-_./ ', isTechnicalPart) && /[a-z]{2}/i.test(value);
}

function isTechnicalPart(part: string): boolean {
  return everyPart(part, '+', isTechnicalWord) || /^\d{1,4}$/.test(part);
}

function isTechnicalWord(word: string): boolean {
  return WORDS.has(word.toLowerCase()) || NUMBERED.test(word);
}

/** Of what stands between the signs: mostly its first part is none already. */
function everyPart(value: string, signs: string, isMet: (part: string) => boolean): boolean {
  let start = 0;
  for (let end = 0; end <= value.length; end++) {
    if (end < value.length && !signs.includes(value.charAt(end))) continue;
    if (!isMet(value.slice(start, end))) return false;
    start = end + 1;
  }
  return true;
}

const MAX_NAME = 48;

/**
 * `run-2024-11-23-001`, `deploy-v2`, `hunter_review`: words in lower case and numbers, each whole. People give such names
 * to what a program should know again; what programs make up looks otherwise.
 */
export function isReadableId(value: string): boolean {
  if (value.length > MAX_NAME) return false;
  let parts = 0;
  let hasWord = false;
  const isReadable = everyPart(value, '-_.:/', (part) => {
    parts++;
    hasWord ||= WORD.test(part);
    return PART.test(part) || NUMBERED.test(part);
  });
  return isReadable && parts > 1 && hasWord;
}

/**
 * `bkat_v2_cluster_name_for_all_builds`, `fk-Orders-CustomerId-2024`: behind the prefix that vendors give their keys as
 * well, three words at least, each whole and long enough to be one. Capitals begin words.
 */
export function isNameOfWords(value: string): boolean {
  if (value.length > MAX_NAME_OF_WORDS) return false;
  const words = value.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
  let whole = 0;
  const behind = words.replace(/^[a-z\d]{1,10}[-_.]/, '');
  return (
    everyPart(behind, '-_.', (part) => (WHOLE.test(part) && ++whole > 0) || SHORT.test(part)) && whole >= 3
  );
}

const MAX_NAME_OF_WORDS = 96;
const WHOLE = /^(?=[a-z]{0,3}[aeiouy])[a-z]{3,16}\d?$/;
/** Words that names of things are joined with, and numbers. */
const SHORT =
  /^(?:\d{1,4}|v\d{1,2}|a|an|as|at|by|db|fk|fn|go|id|if|in|io|is|it|js|ms|no|of|on|or|ok|pk|qa|to|ts|ui|up|vs|px|html|css|http|https|sql|jwt|ssl|tls|xml|csv|pdf)$/;

/** A word, perhaps with a short number in front or behind it, or a number of its own. */
const PART = /^(?:[a-z]{1,14}\d{0,2}|\d{1,8}|\d{1,2}[a-z]{2,14})$/;
const WORD = /^(?=[a-z]{0,3}[aeiouy])[a-z]{3,14}\d{0,2}$/;

/** `"pbkdf2-password": "^1.2.1"`: of a package. */
export function isVersion(value: string): boolean {
  return /^[~^]?\d{1,3}\.\d{1,4}\.\d{1,4}(?:-[a-z]{2,8}\.\d{1,3})?$/.test(value);
}

/** ``:type passphrase: :py:data:`bytes` ``, of reStructuredText. */
export function isRole(text: string): boolean {
  return /^:(?:c|cpp|js|py|std):[a-z]{3,9}:|^:?(?:attr|class|data|doc|exc|func|meth|mod|obj|paramref|ref|term):\x60/.test(
    text,
  );
}

/** `signInWithEmailAndPassword:onComplete:failure`: a method, and how far it went. */
export function isStepOfMethod(text: string): boolean {
  return /[a-z]AndPassword:[a-z][A-Za-z]{1,30}(?::[a-z][A-Za-z]{1,30})?$/.test(text);
}
