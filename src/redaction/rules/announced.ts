import { decidedBy, matching } from '../rule.ts';
import type { Find, Rule } from '../rule.ts';
import { isCode, isPlaceholder, isRandom } from '../validators.ts';
import { endsClause, isAboutSecrets, isNameOfCode, isPlainWord } from './plain-words.ts';

/**
 * Secrets that a sentence, a chat line or a member's name announces in English, German, French, Spanish, Italian,
 * Portuguese, Dutch, Polish, Russian, Chinese, Japanese and Korean.
 */

/** Hints are compared without regard to case in ASCII only. */
function cased(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => {
    const first = word.charAt(0);
    return first.charCodeAt(0) > 127 && first.toUpperCase() !== first
      ? [word, first.toUpperCase() + word.slice(1), word.toUpperCase()]
      : [word];
  });
}

/** What a secret is of or for: `for the server`, `от сервера`. Any other noun would be what the sentence is about. */
const OF_WHAT = String.raw`(?:[ \t]{1,3}(?:for|of|to|on|in|from|at|f[üu]r|des|der|von|vom|zum|zur|im|am|du|de|pour|del|para|di|dell?a|per|do|da|dos|voor|van|op|na|dla|od|от|для|к|на)(?:[ \t]{1,3}[\p{L}\d._@-]{1,24}){1,4}?)?`;
/** Signs and words that join a name and its value. */
const SIGN = String.raw`[ \t]{0,4}(?:=>|->|:{1,3}=|[=:：＝])(?!=)[ \t]{0,8}`;
const VERB = String.raw`[ \t]{1,3}(?:is|was|reads|equals|(?:is )?set to|ist|war|lautet(?:e)?|hei(?:ß|ss)t|est|était|es|era|(?:è|é|e['’])|foi|to|jest|brzmi|ser[áà]|sera|wird|это|такой|[-–—])(?: now| still| currently| jetzt| ahora| agora| nu| teraz)?[:：]?[ \t]{1,4}`;
/** In Chinese, Japanese and Korean the joining word is glued to both. */
const PARTICLE = String.raw`[ \t]{0,2}(?:是|为|為|叫|就是|は|が|는|은|이|가|[ \t])[：:]?[ \t]{0,3}`;
const OPEN_QUOTE = String.raw`(?<quote>\\{0,4}["'\x60]|[«„“”‘「『])?`;
const VALUE = String.raw`(?<v>(?:(?<=["'\x60«„“”‘「『])[^"'\x60»“”’」』\r\n\\]{3,64}|[^\s"'\x60«»„“”‘’「」『』<>,;\\()（），。；、|]{3,128}))`;

const END_OF_SENTENCE = /[.:!?]{1,3}$/;

/** So much behind a value tells whether a clause ends there. */
const REST = 40;

/** As `matching`, without the end of the sentence, and judging by what comes behind the value. */
function announced(source: string, valid: (said: Said) => boolean): Find {
  const pattern = new RegExp(source, 'iuy');
  return decidedBy(new RegExp(`(?:${source})[^]{${REST}}`, 'iu'), (text, at) => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    const { v = '', quote } = match?.groups ?? {};
    if (!match) return undefined;
    const end = at + match[0].length;
    const tail = quote === undefined ? (END_OF_SENTENCE.exec(v)?.[0].length ?? 0) : 0;
    const value = v.slice(0, v.length - tail);
    const rest = text.slice(end - tail, end - tail + REST);
    if (value.length < 3 || !valid({ value, rest, isQuoted: quote !== undefined })) return undefined;
    return { start: end - v.length, end: end - tail };
  });
}

interface Said {
  readonly value: string;
  readonly rest: string;
  readonly isQuoted: boolean;
}

function isPassword({ value, rest, isQuoted }: Said): boolean {
  if (isPlaceholder(value) || isCode(value) || /^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return false;
  if (isQuoted) return !isAboutSecrets(value) && (/\S{3}/.test(value) || /\s\S+\s/.test(value));
  if (/^[\d.,:/%-]+$/.test(value)) return /^\d{4,12}$/.test(value) && endsClause(rest);
  if (!isPlainWord(value)) return !/^[/.]{1,2}[\w/.-]*$|^[\w.-]+\/[\w./-]+$|^\d+[\p{L}%]{1,6}$/u.test(value);
  return value.length >= 4 && endsClause(rest) && !isAboutSecrets(value) && !isNameOfCode(value);
}

function isKey(said: Said): boolean {
  const { value } = said;
  if (value.length < 8 || !/^[\w+/=~.!@#$%^&*-]+$/.test(value) || !isPassword(said)) return false;
  return /\d/.test(value) ? isRandom(value) : /[a-z][A-Z]|[A-Z]{2}[a-z]/.test(value) && value.length >= 12;
}

/** Only ASCII can be told from the sentence that goes on behind it. */
function isAsciiPassword(said: Said): boolean {
  return /^[!-~]+$/.test(said.value) && isPassword(said);
}

const CJK_VALUE = String.raw`(?<v>(?:(?<=["'\x60「『“])[^"'\x60」』”\r\n\\]{3,64}|(?!["'\x60「『“])[!-&*+\-.\/0-9:=?-Z^-z~@#$%_]{3,128}))`;

const PASSWORD_IN_LATIN =
  "(?:pass(?:wor[dt]|phrase|code|wd)|kenn?wort|losungswort|zugangswort|mots? de passe|mot_de_passe|motdepasse|mdp|contrase(?:ñ|n)a|clave(?: de acceso)?|parola d['’]ordine|parola chiave|senha|palavra[- ]passe|wachtwoord|hasł(?:o|em)|haslo)";
const PASSWORD_IN_CYRILLIC = '(?:парол(?:ь|ем)|парольная фраза|кодовое слово)';
const PASSWORD_IN_CJK = '(?:密码|密碼|口令|暗号|パスワード|パスコード|合言葉|비밀번호|비번|암호|패스워드)';
const KEY_IN_LATIN =
  "(?:api|access|secret|private|zugangs|geheimer?|geheime|privater?|clés?|clave|chiave|chave|klucz|tajny)[- ]?(?:de )?(?:key|token|schlüssel|api|secr[eè]te|d['’]api|secreta|segreta|privada|privata|privée|d['’]accès|sleutel|klucz|prywatny)";
const KEY_IN_CYRILLIC = '(?:(?:api|апи|секретный|закрытый|приватный)[- ]?ключ)';
const KEY_IN_CJK =
  '(?:api ?)?(?:密钥|密鑰|金钥|金鑰|私钥|私鑰|秘密鍵|シークレット(?:キー)?|アクセスキー|apiキー|キー|비밀 ?키|api ?키|시크릿 ?키|액세스 ?키|암호 ?키)';

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

const hit = (before: string, hidden: string, after = '') => ({ text: before + hidden + after, hidden });

export const ANNOUNCED_RULES: readonly Rule[] = [
  {
    id: 'announced_password',
    kind: 'SECRET',
    hints: cased([
      'passw',
      'passphrase',
      'passcode',
      'kennwort',
      'kenwort',
      'losungswort',
      'zugangswort',
      'mot de passe',
      'mot_de_passe',
      'motdepasse',
      'mots de passe',
      'mdp',
      'contrase',
      'clave',
      'parola d',
      'parola chiave',
      'senha',
      'palavra-passe',
      'palavra passe',
      'wachtwoord',
      'hasł',
      'haslo',
      'парол',
      'кодовое слово',
    ]),
    find: announced(
      String.raw`(?:${PASSWORD_IN_LATIN}|${PASSWORD_IN_CYRILLIC})(?:\\{0,4}["'])?${OF_WHAT}(?:${SIGN}|${VERB})${OPEN_QUOTE}${VALUE}`,
      isPassword,
    ),
    examples: {
      hits: [
        hit('The password is ', 'driftwood', '.'),
        hit('Das Passwort lautet ', 'Sommer2024', '.'),
        hit('Le mot de passe est ', 'Soleil99', '.'),
        hit('contraseña: ', 'girasol', ','),
        hit('A senha do banco é ', 'Girassol7'),
        hit('Wachtwoord = ', 'zonnebloem', ';'),
        hit('Moje hasło do serwera to ', 'Slonecznik7'),
        hit('Пароль от сервера: ', 'Подсолнух7'),
      ],
      misses: [
        'The password is required.',
        'the password was rotated yesterday.',
        'Das Passwort ist falsch.',
        'Le mot de passe est obligatoire.',
        'la clave es leer primero el archivo',
        'Hasło jest wymagane.',
        'Пароль неверный.',
      ],
    },
  },
  {
    id: 'spoken_password',
    kind: 'SECRET',
    hints: ['passwd ', 'пароль ', 'Пароль ', 'пароля ', 'парол ', 'password "', 'passphrase "'],
    find: announced(
      String.raw`(?:passw(?:or)?d|passphrase|парол[ья]?) ${OPEN_QUOTE}${VALUE}`,
      ({ value, isQuoted, rest }) =>
        isPassword({ value, isQuoted, rest }) &&
        (isQuoted ? /\d/.test(value) : /\d/.test(value) && /[A-Za-z]/.test(value) && value.length >= 6),
    ),
    examples: {
      hits: [hit('the passwd ', 'driftw00d', ' works'), hit('мой пароль ', 'Podsolnuh7')],
      misses: ['passwd root', 'пароль неверный', 'the password "password" is weak'],
    },
  },
  {
    id: 'announced_password_cjk',
    kind: 'SECRET',
    hints: [
      '密码',
      '密碼',
      '口令',
      'パスワード',
      'パスコード',
      '合言葉',
      '비밀번호',
      '비번',
      '암호',
      '패스워드',
    ].flatMap((word) =>
      word.length > 2
        ? [word]
        : ['是', '为', '為', '：', ':', '=', ' ', '"', '는', '은'].map((sign) => word + sign),
    ),
    find: announced(
      String.raw`${PASSWORD_IN_CJK}(?:\\{0,4}["'])?(?:${SIGN}|${PARTICLE})${OPEN_QUOTE}${CJK_VALUE}`,
      isAsciiPassword,
    ),
    examples: {
      hits: [
        hit('我的密码是 ', 'Xiangrikui7', '，请保密'),
        hit('パスワードは', 'himawari', 'です。'),
        hit('관리자 비밀번호는 ', 'Haebaragi7', ' 입니다'),
      ],
      misses: ['密码是必填项', 'パスワードが違います', '비밀번호는 필수입니다', '密码: string'],
    },
  },
  {
    id: 'announced_key',
    kind: 'SECRET',
    hints: cased([
      'api key',
      'api-key',
      'api-s',
      'api token',
      'access key',
      'access token',
      'zugangsschl',
      'geheime',
      'privater schl',
      'clé ',
      'clés ',
      'clave ',
      'chiave ',
      'chave ',
      'klucz ',
      'tajny klucz',
      'api-ключ',
      'api ключ',
      'секретный ключ',
      'закрытый ключ',
      'приватный ключ',
    ]),
    find: announced(
      String.raw`(?:${KEY_IN_LATIN}|${KEY_IN_CYRILLIC})${OF_WHAT}(?:${SIGN}|${VERB})${OPEN_QUOTE}${VALUE}`,
      isKey,
    ),
    examples: {
      hits: [
        hit('the API key is ', 'kqzvbnmtrewp77'),
        hit('Geheimer Schlüssel: ', 'kqzvbnmtrewp77'),
        hit('la clé secrète est ', 'kqzvbnmtrewp77'),
        hit('секретный ключ: ', 'kqzvbnmtrewp77'),
      ],
      misses: [
        'the API key is missing',
        'api key: see the wiki',
        'clé : valeur',
        'chave de API: obrigatória',
      ],
    },
  },
  {
    id: 'announced_key_cjk',
    kind: 'SECRET',
    hints: [
      ...['密钥', '密鑰', '金钥', '金鑰', '私钥', '私鑰'].flatMap((word) =>
        ['是', '为', '為', '：', ':', '=', ' '].map((sign) => word + sign),
      ),
      '秘密鍵',
      'シークレット',
      'アクセスキー',
      'apiキー',
      '비밀키',
      '비밀 키',
      'api키',
      'api 키',
      '시크릿',
      '액세스',
    ],
    find: announced(
      String.raw`${KEY_IN_CJK}(?:${SIGN}|${PARTICLE})${OPEN_QUOTE}${CJK_VALUE}`,
      (said) => /^[!-~]+$/.test(said.value) && isKey(said),
    ),
    examples: {
      hits: [
        hit('API密钥：', 'kqzvbnmtrewp77'),
        hit('APIキーは', 'kqzvbnmtrewp77', 'です'),
        hit('비밀키: ', 'kqzvbnmtrewp77'),
      ],
      misses: ['密钥是 string', 'APIキーを設定してください'],
    },
  },
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
  {
    id: 'login_pair',
    kind: 'SECRET',
    hints: [
      'log in as ',
      'login as ',
      'logged in as ',
      'sign in as ',
      'signed in as ',
      'credentials: ',
      'credentials are ',
      'zugangsdaten: ',
      'identifiants : ',
      'credenciales: ',
      'credenziali: ',
      'credenciais: ',
    ],
    find: announced(
      String.raw`(?:log(?:ged)? ?in as|sign(?:ed)? in as|credentials(?::| are)|zugangsdaten:|identifiants :|cred\p{L}{5,8}:) [\w.@+-]{2,64} ?\/ ?${OPEN_QUOTE}${VALUE}`,
      (said) =>
        !/^(?:root|admin|user|guest|users|others?)$/i.test(said.value) &&
        (isPassword({ ...said, rest: '' }) || isPassword(said)),
    ),
    examples: {
      hits: [
        hit('I logged in as ops / ', 'driftwood', ' and saw the queue.'),
        hit('You can log in as admin/', 'driftwood9', ' on staging.'),
        hit('Zugangsdaten: ops / ', 'Birnbaum7'),
      ],
      misses: ['logged in as admin / root user is disabled', 'log in as ops', 'login as user/password'],
    },
  },
];
