/**
 * Names that computing uses: of algorithms, encodings, protocols, parts of a grammar, products. Under a name for secrets
 * they say how something is made or where it lies (`secret: kubernetes`, `jwt.sign(payload, secret, "HS256")`).
 */

const WORDS = new Set(
  [
    // Kinds of authentication, and who does it.
    'auth0 basic bearer cert certificate cognito digest hmac idp kerberos keycloak ldap ldaps mtls negotiate ntlm oauth oidc',
    'okta openid pam passkey radius saml spnego sso tls totp webauthn',
    // Hashes, ciphers, encodings.
    'ascii bcrypt blake cbc chacha chacha20 crypt ctr deflate ecb ecdsa gcm gzip hex latin legacy pbkdf pepper plaintext',
    'poly1305 raw rsa scrypt sha sum salt unicode utf',
    // Where things lie.
    'aws azure cloud compose consul credentials creds database default docker environment filesystem gcp git github gitlab',
    'google hashicorp helm infisical ingress jenkins keychain keyring kubernetes manager memory mongodb mysql namespace openshift',
    'operator postgres postgresql redis registry root secrets server staging storage store sqlite terraform vault volume',
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
  /^_?(?:[A-Z][a-z]*\d{0,5})+(?:Alphabet|Class|Context|Details|Enum|Error|Event|Exception|Interface|List|Map|Params|Props|Result|Set|State|Array|Buffer|Bytes|Client|Config|Credentials?|Data|Factory|Field|Handler|Helper|Info|Key|Manager|Model|Object|Options?|Provider|Request|Response|Schema|Secret|Service|Session|Signature|Signer|Store|String|Token|Type|Value)\d?$/;

/** `exports.WebhookError`, `BatchUsage.InputTokens`. */
const MEMBER = /^(?:[a-z_]{2,30}|(?:[A-Z][a-z]{1,20}){1,5})(?:\.(?:[A-Z][a-z]{1,20}){1,5}\d?){1,4}$/;
/** `verifyWebhookSignature`: each word of it is longer than chance makes them. */
const CAMEL_WORDS = /^[a-z]{2,20}(?:[A-Z][a-z]{2,20}){1,6}$|^(?:[A-Z][a-z]{2,20}){2,7}$/;

export function isNameInCode(value: string): boolean {
  return TYPE_NAME.test(value) || MEMBER.test(value) || CAMEL_WORDS.test(value);
}

/** Each part of it is a name of computing. */
export function isTechnical(value: string): boolean {
  if (value.length > MAX_NAME) return false;
  if (TYPE_NAME.test(value) || MEMBER.test(value) || NUMBERED.test(value)) return true;
  const parts = value.split(/[-_./ ]/);
  return (
    parts.every((part) => WORDS.has(part.toLowerCase()) || NUMBERED.test(part) || /^\d{1,4}$/.test(part)) &&
    /[a-z]{2}/i.test(value)
  );
}

const MAX_NAME = 48;

/**
 * `run-2024-11-23-001`, `deploy-v2`, `hunter_review`: words in lower case and numbers, each whole. People give such names
 * to what a program should know again; what programs make up looks otherwise.
 */
export function isReadableId(value: string): boolean {
  if (value.length > MAX_NAME) return false;
  const parts = value.split(/[-_.:/]/);
  return (
    parts.length > 1 &&
    parts.every((part) => PART.test(part) || NUMBERED.test(part)) &&
    parts.some((part) => WORD.test(part))
  );
}

/** A word, perhaps with a short number in front or behind it, or a number of its own. */
const PART = /^(?:[a-z]{1,14}\d{0,2}|\d{1,8}|\d{1,2}[a-z]{2,14})$/;
const WORD = /^(?=[a-z]{0,3}[aeiouy])[a-z]{3,14}\d{0,2}$/;
