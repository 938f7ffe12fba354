import { listOf, matching, onlyWhere } from '../rule.ts';
import type { Rule } from '../rule.ts';
import {
  announced,
  joinedInCjk,
  CJK_VALUE,
  isAsciiPassword,
  isPassword,
  OF_WHAT,
  OPEN_QUOTE,
  PARTICLE,
  SIGN,
  VALUE,
  VERB,
} from './announcement.ts';
import { isActualValue, trimEnd } from './secret-value.ts';

const PASSWORD_IN_LATIN =
  "(?:(?<![\\p{L}\\d_.$-])(?:pw|pwd|psk)(?= |:)|(?:wi-?fi|wlan|wpa[23]?)[- ](?:key|schlüssel|passwort)|zugangscode|toegangscode|code d['’]accès|(?<!(?:forgot|forgotten|hide|lost|remember|show|toggle)[_-]?)pass(?:[-_ ]?wor[dt]|[-_ ]?phrase|code|wd)|kenn?wort|losungswort|zugangswort|(?:memorable|code|duress|secret) ?word|mots? de passe|mot_de_passe|motdepasse|mdp|contrase(?:ñ|n)a|clave(?: de acceso)?|parola d['’]ordine|parola chiave|senha|palavra[- ]passe|wachtwoord|hasł(?:o|em)|haslo)";
const PASSWORD_IN_CYRILLIC = '(?:парол(?:ь|ем)|парольная фраза|кодовое слово)';
/** What stands before a user and a password: `id/pw`, `Benutzer/Passwort`. */
const PAIRS = listOf(
  'id/p|id / p|user / p|login / p|username / p|user/p|username/p|login/h|login/p|account/p|email/p',
  'benutzer/|benutzername/|identifiant/|usuario/|usuário/|utente/|gebruiker/|логин/|아이디/|账号/|帐号/|账号密码',
);
const PAIR = String.raw`(?:账号密码|\p{L}{2,12} ?\/ ?(?:pass(?:word|wd|wort)?|pw|pwd|kennwort|mdp|mot de passe|contraseña|clave|senha|wachtwoord|hasło|пароль|비번|비밀번호|密码)(?! (?:are|is) (?!\S{2,64}\/\S)))`;
/** `logged in as alice/workspace`: who has logged in, and where. */
const IS_PLACE = /(?:logged|signed) ?in as \S{1,64}\/$/i;
/** `the login is slow / flaky`: it is also a page, of which much is said. */
const IS_LOGIN = /^login(?! as|\/)/i;
const HAS_MARK = /[!#$%&*+=?^~]|(?=.*[a-z])(?=.*[A-Z]).*\d/;
/** Also words of Latin letters, before a particle of these languages. */
const PASSWORD_IN_CJK =
  '(?:密码|密碼|口令|暗号|パスワード|パスコード|合言葉|비밀번호|비번|암호|패스워드|(?:p/?w|pwd|passw(?:or)?d)(?=[는은是为為は]))';
const LATIN_BEFORE_PARTICLE = ['pw', 'p/w', 'pwd', 'passwd', 'password'].flatMap((word) =>
  ['는', '은', '是', '为', '為', 'は'].map((particle) => word + particle),
);
const USES =
  /(?:with|us(?:e|es|ed|ing)|enter(?:ed)?|typ(?:e|ed)|tried)(?: (?:a|the|this|my|his|her|new|old|temporary|default|admin|root)){0,3} $/i;
/** https://www.postgresql.org/docs/current/sql-alterrole.html: `WITH` may be left out. */
const OF_ROLE = /\b(?:alter|create) (?:role|user) \S{1,40} (?:\w{1,16} ){0,2}$/i;
const isOfLettersAndDigits = (value: string): boolean =>
  value.length >= 6 && /\d/.test(value) && /[A-Za-z]/.test(value);

/** Letters of both cases, digits and signs: no word and no name. */
const isStrong = (value: string): boolean =>
  value.length >= 8 &&
  /[a-z]/.test(value) &&
  /[A-Z]/.test(value) &&
  /\d/.test(value) &&
  /[!@#$%^&*?~+]/.test(value) &&
  !/[/\\=[\]{}]/.test(value);

/** Passwords that a sentence or a member's name announces. */
export const ANNOUNCED_PASSWORD_RULES: readonly Rule[] = [
  {
    id: 'announced_password',
    kind: 'SECRET',
    hints: listOf(
      'passw|pass-word|pass_word|pass word|pass phrase|pass-phrase|pass_phrase|passphrase|passcode',
      'kennwort|kenwort|losungswort|memorable word|codeword|code word|duress word|secret word|zugangswort',
      'mot de passe|mot_de_passe|motdepasse|mots de passe|mdp|contrase|clave|parola d|parola chiave|senha',
      'palavra-passe|palavra passe|wachtwoord|hasł|haslo|парол|кодовое слово|pw is |pw was |pw for |pw of ',
      'pw to |pw = |pwd is |pwd was |pwd for |pwd = |psk is |psk: |psk for |psk of |wifi key|wi-fi key',
      'wlan-sch|wpa key|wpa2 key|wpa3 key|zugangscode|toegangscode|code d',
    ),
    find: announced(
      String.raw`(?:${PASSWORD_IN_LATIN}|${PASSWORD_IN_CYRILLIC})(?:\\{0,4}["'])?${OF_WHAT}(?:${SIGN}|${VERB})${OPEN_QUOTE}${VALUE}`,
      isPassword,
    ),
    examples: {
      hits: [
        'password: ⟦!driftwood⟧ and go',
        'The password is ⟦driftwood⟧.',
        'Das Passwort lautet ⟦Sommer2024⟧.',
        'Le mot de passe est ⟦Soleil99⟧.',
        'contraseña: ⟦girasol⟧,',
        'A senha do banco é ⟦Girassol7⟧',
        'Wachtwoord = ⟦zonnebloem⟧;',
        'Moje hasło do serwera to ⟦Slonecznik7⟧',
        'Пароль от сервера: ⟦Подсолнух7⟧',
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
    hints: [
      'passwd ',
      'пароль ',
      'пароля ',
      'парол ',
      'password "',
      'passphrase ',
      "password '",
      'password “',
      'password «',
      'wifi key "',
      'wifi password "',
    ],
    find: announced(
      String.raw`(?:passw(?:or)?d|passphrase|wifi key|парол[ья]?) ${OPEN_QUOTE}${VALUE}`,
      (said) =>
        isPassword(said) &&
        (said.isQuoted
          ? /\d/.test(said.value) || OF_ROLE.test(said.before)
          : isOfLettersAndDigits(said.value)),
    ),
    examples: {
      hits: [
        'the passwd ⟦driftw00d⟧ works',
        'passphrase ⟦driftw00d⟧',
        "OPTIONS (user 'x', password '⟦driftw00d⟧')",
        "ALTER ROLE app PASSWORD '⟦driftwood⟧';",
        'мой пароль ⟦Podsolnuh7⟧',
      ],
      misses: ['passwd root', 'пароль неверный', 'the password "password" is weak'],
    },
  },
  {
    // With letters of both cases, digits and signs it needs no word that joins it.
    id: 'strong_password',
    kind: 'SECRET',
    hints: ['password ', 'password(', 'passwd ', 'passphrase ', 'pwd ', 'pw '],
    wordStart: true,
    find: trimEnd(
      matching(
        /(?:passw(?:or)?d|passphrase|pwd|pw)[ (]["'\x60]?(?<v>[^\s"'\x60<>,;\\()]{8,64})(?![^\s"'\x60<>,;\\()])/i,
        (value) => isStrong(value.replace(/[.:!?]{1,3}$/, '')) && isActualValue(value),
      ),
    ),
    examples: {
      hits: ['the password ⟦Dr1ft!wood⟧ works', 'id ops pw ⟦Dr1ft!wood⟧', 'PASSWORD(⟦Dr1ft!wood⟧)'],
      misses: [
        'the password Driftwood7 works',
        'The password Reset2024! page',
        'password policy!',
        'pw Abc1!',
        'password (SHA-256/AES_128)',
      ],
    },
  },
  {
    id: 'changed_password',
    kind: 'SECRET',
    hints: ['password ', 'passphrase ', 'pin from '],
    find: matching(
      /(?:(?:password|passphrase)(?: was| has been| is)?(?: changed| updated| reset| switched)? from|pin from(?= ["'\x60]?\d{4,8}(?![\w.]))) ["'\x60]?(?<v>[^\s"'\x60<>,;\\()]{4,64})(?=["'\x60]? to )/i,
      (value) => /\d|[^\w.-]/.test(value) && isActualValue(value),
    ),
    examples: {
      hits: ['changed the root password from ⟦Old-Pw77⟧ to another'],
      misses: [
        'bump the numpy pin from 1.26.4 to 2.0.0',
        'moved the password from vault to env',
        'read the password from config.yml',
      ],
    },
  },
  {
    id: 'used_password',
    kind: 'SECRET',
    hints: ['password ', 'passphrase '],
    find: onlyWhere(
      (text, at) => USES.test(text.slice(Math.max(0, at - 40), at)),
      announced(
        String.raw`pass(?:word|phrase) ${OPEN_QUOTE}${VALUE}`,
        (said) => (said.isQuoted || isOfLettersAndDigits(said.value)) && isPassword(said),
      ),
    ),
    examples: {
      hits: [
        'I used the password "⟦driftwood⟧".',
        'with password `⟦driftwood⟧`',
        'kinit with password ⟦driftw00d⟧',
      ],
      misses: ['the "password" field', 'the password "driftwood" is weak', 'with password driftwood'],
    },
  },
  {
    id: 'announced_password_cjk',
    kind: 'SECRET',
    hints: [
      ...LATIN_BEFORE_PARTICLE,
      ...joinedInCjk([
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
      ]),
    ],
    find: announced(
      String.raw`${PASSWORD_IN_CJK}(?:\\{0,4}["'])?(?:${SIGN}|${PARTICLE})${OPEN_QUOTE}${CJK_VALUE}`,
      isAsciiPassword,
    ),
    examples: {
      hits: [
        '我的密码是 ⟦Xiangrikui7⟧，请保密',
        'パスワードは⟦himawari⟧です。',
        '관리자 비밀번호는 ⟦Haebaragi7⟧ 입니다',
        'PW는⟦Haebaragi7⟧',
      ],
      misses: ['密码是必填项', 'パスワードが違います', '비밀번호는 필수입니다', '密码: string'],
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
      'credentials',
      'creds',
      'login is ',
      ...PAIRS,
      'zugangsdaten: ',
      'login: ',
      'identifiants : ',
      'credenciales',
      'credenziali',
      'credenciais',
    ],
    find: announced(
      String.raw`(?:(?:log(?:ged)? ?in as|sign(?:ed)? in as|zugangsdaten:|identifiants :|cred\p{L}{5,8}(?: (?:d[ei] acces?s[oi]|d['’]accès))?:|login:) [\w.@+-]{2,64} ?\/ ?|(?:credentials|creds|${PAIR}|(?<=\bthe )login)(?: ?(?:[:：]|=>?|->)| are| is|(?= \S{1,64} \/ ))(?: |(?<=：))[\w.@+-]{2,64} ?[\/:] ?)${OPEN_QUOTE}${VALUE}`,
      (said) =>
        !/^(?:root|admin|user|guest|users|others?|latest|main|default)$/i.test(said.value) &&
        !/\.(?:ts|js|py|json|ya?ml|md|go|java|rb|toml|ini|env)$/.test(said.value) &&
        !(IS_LOGIN.test(said.lead) && !/\d/.test(said.value)) &&
        !(IS_PLACE.test(said.lead) && !HAS_MARK.test(said.value)) &&
        (isPassword({ ...said, rest: '' }) || isPassword(said)),
    ),
    examples: {
      hits: [
        'I logged in as ops / ⟦driftwood⟧ and saw the queue.',
        'You can log in as admin/⟦driftwood9⟧ on staging.',
        'Zugangsdaten: ops / ⟦Birnbaum7⟧',
        'credentials: bob:⟦driftwood⟧',
        'creds: bob/⟦driftwood⟧',
        'credentials bob / ⟦driftwood⟧',
        'creds => bob:⟦driftw00d⟧',
        'the login is bob / ⟦driftw00d⟧',
        'id/pw: bob / ⟦drift!w00d⟧',
        'Credenziali di accesso: admin / ⟦pulcino-bagnato⟧',
        'login: bob / ⟦driftw00d⟧',
        'Benutzer/Passwort: bob / ⟦Birnbaum7⟧',
        'Default ID/PW are wpuser/⟦driftwood⟧',
        'ID / PW : db / ⟦driftwood⟧',
        '아이디/비번: bob / ⟦driftw00d⟧',
      ],
      misses: [
        'logged in as alice/workspace3',
        'logged in as admin / root user is disabled',
        'log in as ops',
        'login as user/password',
        'the login is slow / flaky',
        'user/password: see / ask',
        'user/password are required / optional',
        'id/pw are letters / digits',
        'user/password are case-sensitive/insensitive',
        'id/path: bob / driftw00d',
        'login: email / password',
      ],
    },
  },
];
