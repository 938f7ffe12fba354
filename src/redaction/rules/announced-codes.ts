import { withoutEscapes, wordsBefore } from '../characters.ts';
import { matchAt } from '../match-at.ts';
import { decidedBy, listOf, matching, onlyWhere } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { OF_WHAT, PARTICLE, SIGN, VERB } from './announcement.ts';

const CODE_NAME = [
  '(?:verification|confirmation|security|authentication|auth|one[-_ ]?time|2fa|mfa|sms|two[- ]factor|login|access|reset|activation|backup|unlock|entry|door|gate|alarm)[-_ ]?(?:code|pass(?:word|code)?|pin)',
  '(?:otp|totp|tan)(?:[-_ ]?code)?',
  '(?:bestätigungs|verifizierungs|sicherheits|freischalt|einmal|zugangs)[- ]?(?:code|passwort|kennwort)',
  "(?:code|código|codigo|codice) (?:de|di|d['’]) ?(?:vérification|verification|verificación|verificacion|verifica|verificação|verificacao|confirmation|confirmación|conferma|confirmação|sécurité|seguridad|sicurezza|segurança|authentification|accès|acceso|accesso|acesso)",
  '(?:verificatie|bevestigings|beveiligings|toegangs)code',
  'kod (?:weryfikacyjny|potwierdzający|bezpieczeństwa|dostępu|sms)',
  'код(?: подтверждения| проверки| безопасности| доступа| из смс)',
  '(?:验证|驗證|确认|校验|動態|动态|安全)(?:码|碼)',
  '(?:認証|確認|検証)(?:コード|番号)',
  '(?:인증|확인) ?(?:번호|코드)',
];
/** Whose code it is says that it is one of those, if a verb follows. */
const YOUR_CODE = [
  '(?:your|my|the sms) code (?:is|was)',
  '(?:ihr|dein|mein) code (?:ist|lautet)',
  '(?:votre|ton|mon) code est',
  '(?:su|tu|mi) c[oó]digo es',
  '(?:il (?:suo|tuo|mio) )codice è',
  '(?:seu|meu) código é',
  '(?:uw|je|mijn) code is',
  '(?:twój|mój) kod to',
  '(?:ваш|твой|мой) код',
];
const PIN_NAME = [
  '(?:code )?pin(?:[- ]?(?:code|nummer|number))?',
  'pincode',
  'ин-код',
  '暗証番号',
  '핀 ?번호',
  'geheimzahl',
  'puk(?:[- ]?code)?',
  'пин',
];

/** A code of four to eight digits, perhaps in two groups; no year with a day, port or amount. */
const DIGITS = String.raw`\\{0,4}["'«„“「『【\[（(]?(?:[A-Z]-)?(?<v>\d{3}[ -]\d{3}|\d{4,8})(?![\w%-]|[.,:/]\d| (?:bits|bytes|characters|chars|entries|files|items|lines|ms|pages|rows|seconds|times|tokens|users|words)\b)`;
/** A blank joins nothing in other scripts. */
const JOINED_TO_CODE = String.raw`(?:${SIGN}|${VERB}|(?<=[\u3040-\uffff])${PARTICLE}|\\{0,4}["']${SIGN})`;
const JOINED = String.raw`(?:${SIGN}|${VERB}|${PARTICLE}|\\{0,4}["']${SIGN})`;

/** Sizes, times and ports: round numbers, powers of two, and the ports that everybody knows. */
const PLAIN_NUMBER =
  /^(?:[1-9]0{3,}|1024|2048|4096|8192|16384|32768|65536|80[08]\d|8443|3306|5432|6379|9090)$/;
const isNoPlainNumber = (value: string): boolean => !PLAIN_NUMBER.test(value);

/** Of chips, boards and alleys are other pins: a noun before the word says so, but for one of people, banks and doors. */
function isPinOfSomebody(text: string, at: number): boolean {
  const before = wordsBefore(text, at, 24);
  if (/\w$/.test(before)) return false;
  if (/^(?:PIN|[^p])/.test(text.slice(at, at + 3))) return true;
  const noun = /([\p{L}]{2,20})[ _-]$/u.exec(before)?.[1];
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

/** What stands before the words for a code that comes first. */
const CODE_BEFORE = /(?<![\w.,:/$€£#-])(?:[A-Z]-)?\d{3}(?:\d{1,5}|[ -]\d{3})(?:\*{2}|["'»”」】\x60])?$/;
const YOURS =
  '(?:is|as) (?:your|my)|ist (?:ihr|dein)|est (?:votre|ton)|es (?:su|tu)|è il (?:tuo|suo)|é o seu|is (?:uw|je)|to twój';
const NAME_BEHIND = new RegExp(
  `(?: (?:${YOURS}|is the)(?: [\\p{L}\\d.]{2,20})? |があなたの|是[您你]的[^\\s，。]{0,8}?)(?:${CODE_NAME.join('|')})| (?:${YOURS}) (?:code|kod|código|codice)(?![\\p{L} ])| (?:[—–-] )?ваш код| to (?:verify|confirm|log in|sign in)(?![\\p{L}]| (?:a|if|that|the|this|whether) )`,
  'iuy',
);
const TO_USE = /(?:^|[^\p{L}])(?:use|enter|type)(?: (?:the )?code)? (?:[*"'\x60]{1,2})?$/iu;

const withoutDash = (text: string): string => text.replace(/ [—–-]$/, '');

function findCodeBefore(text: string, at: number): Span | undefined {
  const line = withoutDash(wordsBefore(text, at, 60));
  const found = CODE_BEFORE.exec(line);
  if (!found) return undefined;
  const name = matchAt(NAME_BEHIND, text, at)?.[0];
  if (
    name === undefined ||
    (name.startsWith(' to ') && !/^ to tw/i.test(name) && !TO_USE.test(line.slice(0, found.index)))
  )
    return undefined;
  const digits = /\d{3}(?:\d{1,5}|[ -]\d{3})/.exec(found[0])?.[0] ?? '';
  if (!isNoPlainNumber(digits)) return undefined;
  const start = Math.max(0, at - 60) + found.index + found[0].indexOf(digits);
  return { start, end: start + digits.length };
}

const PHRASE_NAME = [
  '(?:seed|recovery|secret|backup|wallet|word)[-_ ]?(?:phrase|words)',
  'mnemonic(?:[-_ ]phrase)?',
  'seed(?= ?[:=]| is )',
  'wiederherstellungs(?:phrase|wörter)',
  'phrase (?:de récupération|secrète|mnémonique)',
  'frase (?:semilla|semente|seme|de recupera(?:ción|ção)|di recupero)',
  'herstelzin|seedzin|fraza odzyskiwania',
  '(?:сид|seed)-фраза|мнемоническая фраза|фраза восстановления',
  '助[记記][词詞]|シードフレーズ|リカバリーフレーズ|ニーモニック|(?:시드|복구) ?구문|니모닉',
];
/** Of what it is, a remark, signs, a verb, line breaks, brackets, the number of the first word. */
const TO_PHRASE = String.raw`\\{0,4}["'\x60*]{0,3}(?: (?:for|of|to|from|für|des|der|de|di|del|della|do|da|van|od|от|для|к) (?:[\p{L}\d'’-]{1,16} ){0,4}?[\p{L}\d'’-]{1,16})?(?:[ \t]{0,2}\([^()\r\n]{1,40}\))?(?:, (?:[\p{L}\d'’-]{1,16} ){0,4}?[\p{L}\d'’-]{1,16}(?=[:：]))?[ \t]{0,4}(?:is|was|are|reads|ist|lautet|est|es|è|é|to|это|是|は|는|은)?[ \t]{0,4}[:=：–—-]{0,2}\*{0,2}[\s\x60]{0,12}\\{0,4}["'\x60«„“「(\[]{0,2}(?:\d{1,2}[.):][ \t]{0,2}|[-*•][ \t])?\\{0,4}["']?`;
/** BIP-39: three to eight letters. Among its words are none of these, with which a sentence goes on. */
const WORD = String.raw`(?!(?:and|are|but|for|from|had|has|her|his|its|not|our|the|was|were|which|with)(?!\p{L}))\p{L}{3,8}(?!\p{L})`;
const NEXT_WORD = String.raw`(?:[\s,;]{1,4}|\\{0,4}["'],\s{0,12}\\{0,4}["']|\\{1,4}n)(?:\d{1,2}[.):][ \t]{0,2}|[-*•][ \t])?`;
const PHRASE = 'ripple dust marine cloud tower slogan ladder piano velvet jungle robot acid';

/** Codes that are used once, PINs and seed phrases. */
export const ANNOUNCED_CODE_RULES: readonly Rule[] = [
  {
    id: 'one_time_code',
    kind: 'SECRET',
    hints: listOf(
      'verification code|confirmation code|security code|one-time |one time |verification_code',
      'verificationcode|confirmation_code|confirmationcode|security_code|securitycode|auth_code|auth code',
      'authentication code|one_time_|mfa_code|sms_code|login code|login_code|access code|access_code',
      'activation code|backup code|unlock code|entry code|door code|gate code|alarm code|your code ',
      'my code |ihr code |dein code |votre code |ton code |su código |tu código |su codigo |tuo codice ',
      'suo codice |seu código |uw code |je code |twój kod |ваш код|zugangscode|toegangscode|kod dost',
      'kod sms|код дост|2fa code|mfa code|sms code|otp|tan:|tan ist|bestätigungs|verifizierungs',
      "sicherheitsc|freischalt|einmalpass|einmalcode|code de |code d'|código de |codigo de |codice di ",
      'verificatiec|bevestigingsc|beveiligingsc|kod weryf|kod potw|kod bezp|код подт|код пров|код безо',
      'код из|验证码|驗證碼|确认码|校验码|动态码|安全码|認証コ|認証番|確認コ|確認番|인증번|인증 번|인증코|인증 코|확인 코|확인코',
    ),
    // In small letters it is the tangent.
    find: onlyWhere(
      (text, at) => !text.startsWith('tan', at),
      matching(
        new RegExp(
          `(?:(?:${CODE_NAME.join('|')})(?:${JOINED_TO_CODE}| (?=\\d{6}|\\d{3}[ -]|\\D)|(?=[「『【（]))|(?:${YOUR_CODE.join('|')})[ \\t]{0,2}[:：—–-]?[ \\t]{1,3})${DIGITS}`,
          'iu',
        ),
        isNoPlainNumber,
      ),
    ),
    examples: {
      hits: [
        'Your verification code is ⟦493817⟧.',
        'OTP: ⟦493817⟧',
        '2FA code ⟦493 817⟧ entered',
        'Votre code de vérification est ⟦493817⟧',
        '您的验证码是⟦493817⟧，五分钟内有效',
        '認証コードは⟦493817⟧です',
        '{"verification_code": ⟦493817⟧}',
        '您的验证码：【⟦493817⟧】',
        'Your code is ⟦493817⟧.',
        'Votre code est ⟦493817⟧',
        'Код доступа: ⟦493817⟧',
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
    id: 'code_before_its_name',
    kind: 'SECRET',
    hints: listOf(
      ' is your | is the | is my | ist ihr | ist dein | est votre | est ton | es su | es tu | è il tuo ',
      ' è il suo | as your | as my | é o seu | is uw | is je | to twój | ваш код|是您的|是你的|があなたの| to verify',
      ' to confirm| to log in| to sign in',
    ),
    find: decidedBy(NAME_BEHIND, findCodeBefore),
    before: (text) => CODE_BEFORE.exec(withoutDash(withoutEscapes(text)))?.index ?? -1,
    examples: {
      hits: [
        '⟦493817⟧ is your verification code.',
        'G-⟦493817⟧ is your Google verification code',
        '⟦493 817⟧ ist Ihr Bestätigungscode',
        '⟦493817⟧ est votre code de sécurité',
        '⟦493817⟧ es tu código de verificación',
        '⟦493817⟧ è il tuo codice di verifica',
        '⟦493817⟧ é o seu código de verificação',
        '⟦493817⟧ is uw verificatiecode',
        '⟦493817⟧ to Twój kod weryfikacyjny',
        '⟦493817⟧ — ваш код подтверждения',
        '⟦493817⟧是您的验证码',
        'Use ⟦493817⟧ as your one-time code.',
        'Use ⟦493817⟧ to verify your account',
        'Enter ⟦493817⟧ to confirm.',
      ],
      misses: [
        '404 is the status code',
        '10000 is your limit',
        'take 493817 as your limit',
        'use 493817 as your exit code',
        'use 1024 to verify the buffer',
        'enter 4096 to confirm',
        '493817 is the error code',
        'it took 49381 to verify',
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
      "pin's ",
      'pin’s ',
      'puk ',
      'puk:',
      'пин ',
      'пин:',
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
        new RegExp(
          `(?:${PIN_NAME.join('|')}|pin_code)(?:${JOINED}|${OF_WHAT}(?:${SIGN}|${VERB})|['’]s )${DIGITS}`,
          'iu',
        ),
        isNoPlainNumber,
      ),
    ),
    examples: {
      hits: ['PIN: ⟦4931⟧', 'The card PIN is ⟦4931⟧.', '暗証番号は⟦4931⟧です', 'el pin del móvil es ⟦4931⟧.'],
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
    hints: listOf(
      'seed phrase|seed-phrase|seed_phrase|seedphrase|recovery phrase|recovery_phrase|secret phrase',
      'backup phrase|word phrase|mnemonic|seed words|recovery words|backup words|wallet words|seed:|seed=',
      'seed =|seed is |wiederherstellungs|phrase de récup|phrase secrète|phrase mné|frase semilla',
      'frase de recup|frase di recup|frase seme|herstelzin|seedzin|fraza odzysk|сид-фраз|seed-фраз|мнемони',
      'фраза восст|助记词|助記詞|シードフレーズ|リカバリーフレーズ|ニーモニック|시드 구문|시드구문|복구 구문|니모닉',
    ),
    find: matching(
      new RegExp(`(?:${PHRASE_NAME.join('|')})${TO_PHRASE}(?<v>${WORD}(?:${NEXT_WORD}${WORD}){11,23})`, 'iu'),
    ),
    examples: {
      hits: [
        `seed phrase: ⟦${PHRASE}⟧`,
        `seed phrase: ⟦${PHRASE}⟧ and that is all`,
        `Recovery phrase:\n\n⟦${PHRASE.replaceAll(' ', '\n')}⟧\nKeep it safe.`,
        `mnemonic: [⟦${PHRASE.replaceAll(' ', ', ')}⟧]`,
        `SEED="⟦${PHRASE}⟧"`,
        `the 12-word phrase is ⟦${PHRASE}⟧.`,
        `Seed phrase:\n1. ⟦${PHRASE.split(' ').reduce((list, word, i) => `${list}\n${i + 1}. ${word}`)}⟧`,
        `Seed phrase for the test wallet (keep it!): ⟦${PHRASE}⟧`,
        `"mnemonic": ["⟦${PHRASE.replaceAll(' ', '", "')}⟧"]`,
        `Frase de recuperación: ⟦${PHRASE}⟧`,
        `助记词：⟦${PHRASE}⟧`,
      ],
      misses: [
        'seed phrase: twelve words that the wallet shows once and you write down on paper before it is used',
        'seed: 42',
        'a mnemonic for the order of the planets, which every child learns at school some day',
        'recovery phrase: see the docs',
      ],
    },
  },
];
