import { wordsBefore } from '../characters.ts';
import { onlyWhere } from '../rule.ts';
import type { Find } from '../rule.ts';
import { announced } from './announcement.ts';
import type { Said } from './announcement.ts';
import { isTechnical } from './technical-words.ts';

/** What a talk is about is said before a secret in it: a sentence, a line or a turn earlier. */

/** So far back that is looked for. */
const MAX_TALK = 200;

const ABOUT_PASSWORDS = new RegExp(
  [
    'pass-?(?:wor[dt]|phrase|code|wd)|(?<![a-z\\d])(?:pw|pwd|psk|creds?|auth)(?![a-z\\d])|kennw|kenw|mots? de passe|mdp|contrase|palavra|wachtwoord',
    'credential|credencia|credenzial|zugangsdaten|anmeldedaten|identifiants|(?<!\\p{L})clave|senha|has[łl][oaeu]|парол|şifre|parola',
    'heslo|hesla|κωδικ|lösenord|adgangskode|kodeord|passord|salasana|memorable word|密码|密碼|口令|パスワード|비밀번호|비번|암호',
  ].join('|'),
  'u',
);
const ABOUT_LOGINS = new RegExp(
  [
    'log(?:ged|ging)?[ -]?(?:in|on)|sign(?:ed|ing)?[ -]?in|account|(?<![a-z])admin|anmeld|einlogg|zugang|konto|connect|accede|acceso|acced|entrar|accesso',
    'inlog|zalog|logow|вход|войти|логин|учетн|учётн|giriş|přihl|logga in|log på|logg inn|kirjaudu|登录|登陆|账号|帐号|ログイン|アカウント|로그인|계정',
  ].join('|'),
  'u',
);
const ABOUT_PINS = new RegExp(
  [
    '(?<![a-z])pin(?:s|-?code|-?kod|-?nummer|-number)?(?![a-z])|pinkode|pinkod|pincode|geheimzahl|telefónica|(?<![a-zа-я])пин(?![а-я])|暗証番号|핀 ?번호',
    'lock ?box|padlock|keypad|key ?safe|(?:door|gate|entry|alarm|garage) code',
  ].join('|'),
  'u',
);
const ABOUT_CODES =
  /(?<!\p{L})(?:sms|otp|tan)(?!\p{L})|code|(?<!\p{L})c[oó]digo|codice|(?<!\p{L})k[oó]d|код|κωδικ|验证码|驗證碼|校验码|動態|认证|認証|確認コード|인증|コード/u;
/** Of errors, parcels, money, places and programs there are codes too, and numbers of other things are asked for. */
const OTHER_CODES =
  /(?:error|err|status|exit|http|zip|post(?:al)?|country|area|promo|discount|coupon|voucher|product|order|booking|source|qr|bar|dress|fehler|bestell|artikel|produkt|post(?:en)?)[ -]?(?:code|nummer|number)|(?:order|parcel|tracking|invoice|ticket|case|customer|account|phone) (?:number|no|id)|code (?:d['’]erreur|postal|promo|source)|c[oó]digo (?:de error|postal|promocional|de erro)|codice (?:di errore|postale|fiscale)|kod (?:błędu|pocztowy)|код ошибки|错误代码|エラーコード|오류 코드/u;

const speaksOf =
  (subject: RegExp, reach = MAX_TALK) =>
  (text: string, at: number): boolean =>
    subject.test(wordsBefore(text, at, reach).toLowerCase());

export const speaksOfPasswords = speaksOf(ABOUT_PASSWORDS);
const speaksOfAccess = speaksOf(ABOUT_LOGINS);
export const speaksOfLogins = (text: string, at: number): boolean =>
  speaksOfAccess(text, at) || speaksOfPasswords(text, at);
export const speaksOfPins = speaksOf(ABOUT_PINS, 100);
export const speaksOfAnswers = speaksOf(
  /(?:security|secret|recovery) question|interac|e-?transfer|sicherheitsfrage|question (?:secrète|de sécurité)|pregunta (?:secreta|de seguridad)|domanda (?:segreta|di sicurezza)|pergunta (?:secreta|de segurança)|(?:geheime|beveiligings) ?vraag|pytanie (?:pomocnicze|zabezpieczające)|(?:секретн|контрольн)\p{L}{2,3} вопрос/u,
  120,
);
export function speaksOfCodes(text: string, at: number): boolean {
  const before = wordsBefore(text, at, MAX_TALK).toLowerCase();
  return ABOUT_CODES.test(before) && !OTHER_CODES.test(before);
}

/** As `announced`, where the talk before it is of such secrets. */
export function inTalk(
  speaks: (text: string, at: number) => boolean,
  source: string,
  valid: (said: Said) => boolean,
): Find {
  return onlyWhere(speaks, announced(source, valid));
}

/** Programs and systems that people name with their version. */
const PRODUCT =
  /^(?:android|angular|bash|chrome|clang|debian|edge|fedora|firefox|gcc|go|ios|ipad|iphone|java|jdk|jq|kotlin|llvm|macos|mariadb|mongo|mysql|node|npm|openssl|oracle|perl|php|pip|pnpm|psql|postgres|python|rails|react|redis|ruby|rust|safari|sqlite|swift|ubuntu|vue|win(?:dows)?|yarn)-?\d/i;
/** `port8443`: things that are numbered. */
const NUMBERED =
  /^(?:build|case|channel|cluster|column|core|device|disk|figure|file|group|host|id|issue|job|key|level|line|machine|node|order|page|phase|port|queue|row|section|server|shard|slot|stage|step|table|task|test|thread|ticket|user|version|vm|worker|zone)s?\d+$/i;
const SIGN_OF_PASSWORD = /[!#$%&*+=?^~@]/;

/** No word, version, path or time: letters with signs or digits in it as people put them into passwords. */
export function isMixed(value: string): boolean {
  if (value.length < 6 || !/\p{L}[^]*\p{L}[^]*\p{L}/u.test(value)) return false;
  if (
    isTechnical(value) ||
    PRODUCT.test(value) ||
    NUMBERED.test(value) ||
    /\d\.\d|^v\d|[/\\]|\.{2}|\.[a-z]{2,5}$|^[#@]|['’]/.test(value)
  )
    return false;
  if (/^[A-Z]{2,8}-?\d+$/.test(value)) return false;
  return SIGN_OF_PASSWORD.test(value.slice(0, -1)) ? !/^\w+=/.test(value) : /\d/.test(value);
}

/** The same, and no name that a number tells apart from others: `server12`, `step_3`, `retry-2`. */
export function isFirm(value: string): boolean {
  return isMixed(value) && !/^\p{Ll}+(?:[-_]\p{Ll}+)*[-_]?\d{1,2}$|^\p{Lu}\p{Ll}+[-_]?\d$/u.test(value);
}
