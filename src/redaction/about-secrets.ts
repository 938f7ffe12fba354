/**
 * What stands under a sensitive name and only speaks of it: labels and messages for people, names of fields, and what a
 * schema says of a member. A secret may be any words, so that a text has to name the thing and have a label's or a
 * message's form, or be nothing but its name.
 */

const THING =
  'pass(?:words?|phrase|code|wd)|secrets?|tokens?|(?:api|access|secret|private)[ _-]keys?|credentials?|pin';
/** The word for a password, in the languages that translations are in. */
const WORD_FOR_PASSWORD = [
  'password|passwort|kennwort|mot de passe|contrase[ñn]a|senha|palavra[- ]passe|wachtwoord|hasł[oa]|парол[ьяю]|密码|密碼|パスワード|비밀번호|암호|패스워드',
  'heslo|hesla|kodeord|adgangskode|lösenord|passord|salasana|salasõna|parool|parol[aăe]?|lozinka|zaporka|geslo|jelszó|şifrə|şifre|slaptažodis|contrasenya',
  'contrasinal|парола|лозинка|κωδικός|סיסמה|كلمة المرور|كلمة السر|رمز عبور|पासवर्ड|পাসওয়ার্ড|รหัสผ่าน|mật khẩu|kata sandi|kata laluan|fjalëkalimi|lykilorð',
].join('|');

const LABEL = new RegExp(
  [
    // `Passwort`, `Contraseña:`, `new-password` of https://html.spec.whatwg.org/#autofill
    String.raw`^(?:${WORD_FOR_PASSWORD})[ ]?[:*：]?$|^(?:(?:current|new)-password|one-time-code)$`,
    // `wrong-password`, of errors and pages
    String.raw`^(?:change|expired|forgot|incorrect|invalid|missing|reset|update|weak|wrong)[-_]password$`,
    // `Show password`, `Forgot your password?`
    String.raw`^(?:please )?(?:(?:re-?)?enter|choose|confirm|create|change|forgot(?:ten)?|hide|no|repeat|reset|set|show|toggle)(?: [a-z]{1,12}){0,2} (?:${THING})[.?!…]?$`,
    // `Invalid vault password was provided from script`
    String.raw`^(?:incorrect|invalid|missing|unknown|wrong)(?: [a-z]{2,12}){0,2} (?:${THING})\b`,
    // `Password used to generate the key`
    String.raw`^(?:the |an? )?(?:${THING}) (?:used|needed|required|for use|to be used) (?:by|for|in|to|with) [\w ]{2,60}\.?$`,
    // `bcrypt hash of the password`
    String.raw`^(?:[\w-]{2,16} ){0,3}(?:hash|length|name|owner|type) of (?:the|an?|this|your) (?:[a-z]{2,12} )?(?:${THING})\.?$`,
  ].join('|'),
  'i',
);

/** `Password is required`, `can't be blank`, `must be at least 8 characters`. */
const MESSAGE = new RegExp(
  String.raw`^(?:(?:(?:the|this|your|new|current|an?) ){0,2}(?:${THING}|field|value)(?: field)? )?` +
    String.raw`(?:(?:is|are|was|were|must|should|can(?:not|['’]t)|may not|do(?:es)?(?: not|n['’]t)|has|have|needs?|cannot)\b[^"]{0,100}?\b` +
    String.raw`(?:blank|changed|characters?|common|contain|correct|digits?|empty|expired|incorrect|invalid|least|letters?|long|match|missing|most|null|required|revoked|short|similar|strings?|valid|weak|wrong)\b|too (?:short|long|weak|common)\b)`,
  'i',
);

/** `パスワードをリセット`: a sentence in signs that no field for passwords takes, naming it. */
const CJK_LABEL =
  /^(?=[^]*(?:密码|密碼|パスワード|비밀번호|암호|패스워드))[\s\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3！？：（）]+$/;

/** `required|string|min:8|confirmed`, of Laravel: what is asked of a field. */
const CONDITION =
  '(?:bail|confirmed|current_password|different|filled|max|min|nullable|present|required(?:_[a-z]{2,8})?|same|size|sometimes|string)(?::[\\w,.-]{1,40})?';
const VALIDATION = new RegExp(String.raw`^${CONDITION}(?:\|${CONDITION})+$`);

const TITLE = /^\p{Lu}[\p{L}\p{M}'’-]{0,30}(?: [\p{L}\p{M}'’-]{1,30}){1,5} ?[.?!:…]?$/u;
const NAMES_IT = new RegExp(String.raw`(?:^|[^\p{L}])(?:${WORD_FOR_PASSWORD})(?!\p{L})`, 'iu');
const OF_FORM =
  /(?:change|confirm(?:ation)?|current|forgot(?:ten)?|new|old|repeat|reset|update)[._-]?password$/i;
/** A key of a translation that says what its text is. */
const OF_TRANSLATION =
  /["'](?:[\w.-]{0,60}\.)?(?:description|hint|label|placeholder|tooltip)\.[\w.-]{0,40}$/i;

/**
 * `"reset-password": "Restablecer contraseña"`, `"form.label.password": "…"`: what a translation has for a key.
 * @param before the key, up to its end
 */
export function isTranslation(value: string, before: string): boolean {
  return (
    (OF_TRANSLATION.test(before) && (/\s/.test(value) || !/\d/.test(value))) ||
    (OF_FORM.test(before) && TITLE.test(value) && NAMES_IT.test(value))
  );
}

/** A label, a message or a condition, which people or programs are to read. */
export function isTextAboutSecrets(value: string): boolean {
  if (value.length > MAX_TEXT) return false;
  return LABEL.test(value) || MESSAGE.test(value) || VALIDATION.test(value) || CJK_LABEL.test(value);
}

const MAX_TEXT = 200;

/** What JSON Schema says of a value without giving one (https://json-schema.org/draft/2020-12/json-schema-validation). */
const SCHEMA_WORDS = new Set(
  [
    '$ref additionalProperties allOf anyOf description deprecated format items maxLength minLength nullable oneOf pattern',
    'enum maximum minimum properties readOnly required title type writeOnly',
  ].flatMap((line) => line.split(' ')),
);
const SCHEMA_TYPES: ReadonlySet<unknown> = new Set([
  'string',
  'number',
  'integer',
  'boolean',
  'object',
  'array',
  'null',
]);

/** What may be chosen, such as `read` and `write`: a value of another form may be the secret. */
function areWords(said: unknown): boolean {
  return (
    Array.isArray(said) &&
    said.every((item) => typeof item === 'string' && /^[a-z]{1,20}(?:[-_][a-z]{1,20}){0,3}$/.test(item))
  );
}

/** Whether a list or an object says what a secret must be, or what is wrong with one, and holds none. */
export function describesSecret(value: object): boolean {
  if (Array.isArray(value))
    return value.length > 0 && value.every((item) => typeof item === 'string' && isTextAboutSecrets(item));
  const entries = Object.entries(value);
  const types: readonly unknown[] = ['type' in value ? value.type : undefined].flat();
  const isTyped = (types.length > 0 && types.every((type) => SCHEMA_TYPES.has(type))) || '$ref' in value;
  return (
    isTyped && entries.every(([name, said]) => SCHEMA_WORDS.has(name) && (name !== 'enum' || areWords(said)))
  );
}
