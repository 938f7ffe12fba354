import { matching } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { cased, hit, PARTICLE, SIGN, VERB } from './announcement.ts';

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
const DIGITS = String.raw`\\{0,4}["'«„“「]?(?:[A-Z]-)?(?<v>\d{3}[ -]\d{3}|\d{4,8})(?![\w%-]|[.,:/]\d)`;
const JOINED = String.raw`(?:${SIGN}|${VERB}|${PARTICLE}|\\{0,4}["']${SIGN})`;

/** Codes that are used once, PINs and seed phrases. */
export const ANNOUNCED_CODE_RULES: readonly Rule[] = [
  {
    id: 'one_time_code',
    kind: 'SECRET',
    hints: cased([
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
    ]),
    find: matching(new RegExp(`(?:${CODE_NAME.join('|')})(?:${JOINED}| )${DIGITS}`, 'iu')),
    examples: {
      hits: [
        hit('Your verification code is ', '493817', '.'),
        hit('OTP: ', '493817'),
        hit('2FA code ', '493 817', ' entered'),
        hit('Votre code de vérification est ', '493817'),
        hit('您的验证码是', '493817', '，五分钟内有效'),
        hit('認証コードは', '493817', 'です'),
      ],
      misses: ['access code paths: 4', 'security code review 2024-01-02', 'otp.timeout=30', '验证码错误'],
    },
  },
  {
    id: 'pin',
    kind: 'SECRET',
    hints: cased([
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
    ]),
    find: matching(new RegExp(`(?<![\\w])(?:${PIN_NAME.join('|')}|pin_code)${JOINED}${DIGITS}`, 'iu')),
    examples: {
      hits: [hit('PIN: ', '4931'), hit('The card PIN is ', '4931', '.'), hit('暗証番号は', '4931', 'です')],
      misses: ['pin the version to 2.1', 'pin: 13', 'spin: 1200 rpm', 'pin is 3.3V'],
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
