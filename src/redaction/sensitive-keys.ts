/** What the name of an attribute or of a JSON member says about its value. */
export type KeyClass = 'plain' | 'password' | 'secret' | 'token' | 'phone' | 'personal-number';

export interface KeyOptions {
  /** Names whose values are never taken whole; compared in snake case. */
  readonly safeKeys?: readonly string[];
  /** Further names whose values are always taken whole. */
  readonly sensitiveKeys?: readonly string[];
}

const PASSWORD = new RegExp(
  `(?:^|_)(?:${[
    'password|passwd|passphrase|passcode|pwd|pin_code|pincode|cvv|cvc|user_pass|db_pass|seed_phrase|recovery_phrase|mnemonic',
    'passwort|kennwort|losungswort|mot_de_passe|motdepasse|mdp|contraseña|contrasena|clave_de_acceso|senha|palavra_passe',
    'wachtwoord|hasło|haslo|пароль|пин_код',
  ].join('|')})$|(?:密码|密碼|口令|パスワード|暗証番号|비밀번호|암호)$`,
  'u',
);
const SECRET =
  /(?:^|_)(?:secret|secrets|apikey|api_key|xapi_key|authorization|private_key|client_secret|secret_key|access_key|signing_key|encryption_key|master_key|account_key|shared_access_key|credential|credentials|cookie|set_cookie|bearer|otp|totp_secret|connection_string|conn_str|jwt|session_token|webhook_url|secret_access_key|one_time_code|verification_code|mfa_code|geheimnis|geheimer_schlüssel|api_schlüssel|clé_api|clé_secrète|clave_api|clave_secreta|chiave_api|chiave_segreta|chave_api|chave_secreta|api_sleutel|klucz_api|api_ключ|секретный_ключ)$|(?:密钥|密鑰|秘密鍵|apiキー|비밀키|api_?키|验证码|認証コード|인증번호)$/u;
const TOKEN = /(?:^|_)token$/;
/** Tokens of a language model, of a pager, of a grammar: no credentials. */
const PLAIN_TOKEN =
  /(?:^|_)(?:next|page|continuation|stop|eos|bos|pad|unk|mask|cls|sep|special|first|last|per|to_first|of|input|output|prompt|completion|cached|reasoning|total|max|min|start|end|new|current|decoded|sync|resume|cursor)_token$/;
const PHONE = /(?:^|_)(?:phone|phone_number|mobile|mobile_number|cell|cell_phone|telephone|tel|fax|msisdn)$/;
const PERSONAL_NUMBER =
  /(?:^|_)(?:ssn|social_security_number|tax_id|national_id|passport_number|card_number|credit_card|iban|mrn|medical_record_number|account_number|bank_account|kontonummer|kartennummer|personalausweis|numéro_de_compte|número_de_cuenta|numero_di_conto|número_da_conta|rekeningnummer|numer_konta|pesel|cpf|cnpj|curp|dni|nif|nie|cuit|cuil|bsn|oib|codice_fiscale|steuer_id|national_insurance_number|nhs_number|aadhaar|aadhaar_number|nric|drivers?_licen[cs]e(?:_number)?|social_insurance_number|sozialversicherungsnummer|burgerservicenummer|personnummer|fødselsnummer|henkilötunnus|tc_kimlik_no|rodné_číslo|инн|снилс|номер_сч[её]та)$|(?:银行账号|银行卡号|口座番号|계좌_?번호)$/u;

/** The names of each class of values. Those of tokens are looked at after them, for they have exceptions. */
export const CLASSES: readonly (readonly [KeyClass, RegExp])[] = [
  ['password', PASSWORD],
  ['secret', SECRET],
  ['phone', PHONE],
  ['personal-number', PERSONAL_NUMBER],
];

/** `X-Api-Key`, `apiKey`, `gen_ai.api key` → `x_api_key`, `api_key`, `gen_ai_api_key`. */
function snakeCase(key: string): string {
  return key
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]{2,16})([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\d]{1,64}/gu, '_');
}

/** Only the end of a name decides: `api_key_id`, `password_policy`, `max_tokens` are plain. */
export function classifyKey(key: string, options: KeyOptions = {}): KeyClass {
  const name = snakeCase(key.slice(-MAX_KEY));
  if (options.safeKeys?.some((safe) => snakeCase(safe) === name)) return 'plain';
  if (options.sensitiveKeys?.some((sensitive) => snakeCase(sensitive) === name)) return 'password';
  const known = CLASSES.find(([, names]) => names.test(name))?.[0];
  return known ?? (TOKEN.test(name) && !PLAIN_TOKEN.test(name) ? 'token' : 'plain');
}

/** Longer names are judged by their end. */
const MAX_KEY = 256;
