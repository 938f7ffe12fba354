import { matching, onlyWhere } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { hit, PARTICLE, SIGN, VERB } from './announcement.ts';

const CODE_NAME = [
  '(?:verification|confirmation|security|authentication|auth|one[- ]time|2fa|mfa|sms|two[- ]factor|login|access|reset|activation|backup) (?:code|pass(?:word|code)?|pin)',
  '(?:otp|totp|tan)(?: code)?',
  '(?:bestätigungs|verifizierungs|sicherheits|freischalt|einmal)[- ]?(?:code|passwort|kennwort)',
  "(?:code|código|codigo|codice) (?:de|di|d['’]) ?(?:vérification|verification|verificación|verificacion|verifica|verificação|verificacao|confirmation|confirmación|conferma|confirmação|sécurité|seguridad|sicurezza|segurança|authentification)",
  '(?:verificatie|bevestigings|beveiligings)code',
  'kod (?:weryfikacyjny|potwierdzający|bezpieczeństwa|sms)',
  'код(?: подтверждения| проверки| безопасности| из смс)',
  '(?:验证|驗證|确认|校验|動態|动态|安全)(?:码|碼)',
  '(?:認証|確認|検証)(?:コード|番号)',
  '(?:인증|확인) ?(?:번호|코드)',
];
const PIN_NAME = [
  '(?:code )?pin(?:[- ]?(?:code|nummer|number))?',
  'pincode',
  'ин-код',
  '暗証番号',
  '핀 ?번호',
  'geheimzahl',
];

/** A code of four to eight digits, perhaps in two groups; no year with a day, port or amount. */
const DIGITS = String.raw`\\{0,4}["'«„“「]?(?:[A-Z]-)?(?<v>\d{3}[ -]\d{3}|\d{4,8})(?![\w%-]|[.,:/]\d| (?:bits|bytes|characters|chars|entries|files|items|lines|ms|pages|rows|seconds|times|tokens|users|words)\b)`;
const JOINED = String.raw`(?:${SIGN}|${VERB}|${PARTICLE}|\\{0,4}["']${SIGN})`;

/** Sizes, times and ports: round numbers, powers of two, and the ports that everybody knows. */
const PLAIN_NUMBER =
  /^(?:[1-9]0{3,}|1024|2048|4096|8192|16384|32768|65536|80[08]\d|8443|3306|5432|6379|9090)$/;
const isNoPlainNumber = (value: string): boolean => !PLAIN_NUMBER.test(value);

/** Of chips, boards and alleys are other pins: a noun before the word says so, but for one of people, banks and doors. */
function isPinOfSomebody(text: string, at: number): boolean {
  if (/^(?:PIN|[^p])/.test(text.slice(at, at + 3))) return true;
  const noun = /([\p{L}]{2,20})[ _-]$/u.exec(text.slice(Math.max(0, at - 24), at))?.[1];
  return noun === undefined || WHOSE_PIN.test(noun);
}

const WHOSE_PIN = new RegExp(
  `^(?:${[
    'a|access|account|admin|alarm|and|app|atm|bank|banking|card|code|correct|credit|current|debit|default|device|door|enter|entered|gate',
    'her|his|is|keypad|lock|login|mobile|my|new|old|or|our|parental|personal|phone|security|sim|telephone|the|their|this|transaction|unlock',
    'use|used|user|voicemail|wallet|was|with|your|dein|deine|der|die|ihr|ihre|mein|meine|neue|code|le|mon|son|ton|votre|el|la|mi|su|tu',
    'il|mio|tuo|o|meu|minha|seu|sua|de|het|mijn|uw|moj|twoj|kod',
  ].join('|')})$`,
  'i',
);

/** Codes that are used once, PINs and seed phrases. */
export const ANNOUNCED_CODE_RULES: readonly Rule[] = [
  {
    id: 'one_time_code',
    kind: 'SECRET',
    hints: [
      'verification code',
      'confirmation code',
      'security code',
      'one-time ',
      '2fa code',
      'mfa code',
      'sms code',
      'otp',
      'tan:',
      'tan ist',
      'bestätigungs',
      'verifizierungs',
      'sicherheitsc',
      'freischalt',
      'einmalpass',
      'einmalcode',
      'code de ',
      "code d'",
      'código de ',
      'codigo de ',
      'codice di ',
      'verificatiec',
      'bevestigingsc',
      'beveiligingsc',
      'kod weryf',
      'kod potw',
      'kod bezp',
      'код подт',
      'код пров',
      'код безо',
      'код из',
      '验证码',
      '驗證碼',
      '确认码',
      '校验码',
      '动态码',
      '安全码',
      '認証コ',
      '認証番',
      '確認コ',
      '確認番',
      '인증번',
      '인증 번',
      '인증코',
      '인증 코',
      '확인 코',
      '확인코',
    ],
    // In small letters it is the tangent.
    find: onlyWhere(
      (text, at) => !text.startsWith('tan', at),
      matching(new RegExp(`(?:${CODE_NAME.join('|')})(?:${JOINED}| )${DIGITS}`, 'iu'), isNoPlainNumber),
    ),
    examples: {
      hits: [
        hit('Your verification code is ', '493817', '.'),
        hit('OTP: ', '493817'),
        hit('2FA code ', '493 817', ' entered'),
        hit('Votre code de vérification est ', '493817'),
        hit('您的验证码是', '493817', '，五分钟内有效'),
        hit('認証コードは', '493817', 'です'),
      ],
      misses: [
        'access code paths: 4',
        'security code review 2024-01-02',
        'otp.timeout=30',
        '验证码错误',
        'otp: 6000',
        'tan: 1234',
        'security code 1234 lines long',
      ],
    },
  },
  {
    id: 'pin',
    kind: 'SECRET',
    hints: [
      'pin:',
      'pin ',
      'pin=',
      'pin"',
      'pin-',
      'pincode',
      'pin_code',
      'pinnummer',
      'ин-код',
      '暗証番号',
      '핀번호',
      '핀 번호',
      'geheimzahl',
    ],
    find: onlyWhere(
      isPinOfSomebody,
      matching(
        new RegExp(`(?<![\\w])(?:${PIN_NAME.join('|')}|pin_code)${JOINED}${DIGITS}`, 'iu'),
        isNoPlainNumber,
      ),
    ),
    examples: {
      hits: [hit('PIN: ', '4931'), hit('The card PIN is ', '4931', '.'), hit('暗証番号は', '4931', 'です')],
      misses: [
        'pin the version to 2.1',
        'pin: 13',
        'spin: 1200 rpm',
        'pin is 3.3V',
        'GPIO pin: 1234',
        'pin=8080',
        'pin: 1024',
      ],
    },
  },
  {
    id: 'seed_phrase',
    kind: 'SECRET',
    hints: [
      'seed phrase',
      'recovery phrase',
      'secret phrase',
      'backup phrase',
      'mnemonic',
      'seed words',
      'recovery words',
    ],
    // BIP-39: twelve to twenty-four words of three to eight letters.
    find: matching(
      /(?:(?:seed|recovery|secret|backup) (?:phrase|words)|mnemonic(?: phrase)?)\\{0,4}["']?(?: is| was)?[ \t]{0,4}[:=]?[ \t]{0,4}(?:\r?\n[ \t]{0,8})?\\{0,4}["'`]?(?<v>[a-z]{3,8}(?:[ ,\n]{1,3}[a-z]{3,8}){11,23})(?![a-z])/i,
      (value) => !/\b(?:the|and|is|for|you|with|that|this|are|not|from|your)\b/i.test(value),
    ),
    examples: {
      hits: [
        hit('seed phrase: ', 'ripple dust marine cloud tower slogan ladder piano velvet jungle robot acid'),
      ],
      misses: [
        'seed phrase: twelve words that the wallet shows once and you write down on paper before it is used',
      ],
    },
  },
];
