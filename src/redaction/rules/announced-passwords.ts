import type { Rule } from '../rule.ts';
import {
  announced,
  joinedInCjk,
  CJK_VALUE,
  hit,
  isAsciiPassword,
  isPassword,
  OF_WHAT,
  OPEN_QUOTE,
  PARTICLE,
  SIGN,
  VALUE,
  VERB,
} from './announcement.ts';

const PASSWORD_IN_LATIN =
  "(?:pass(?:wor[dt]|phrase|code|wd)|kenn?wort|losungswort|zugangswort|mots? de passe|mot_de_passe|motdepasse|mdp|contrase(?:ñ|n)a|clave(?: de acceso)?|parola d['’]ordine|parola chiave|senha|palavra[- ]passe|wachtwoord|hasł(?:o|em)|haslo)";
const PASSWORD_IN_CYRILLIC = '(?:парол(?:ь|ем)|парольная фраза|кодовое слово)';
/** `logged in as alice/workspace`: who has logged in, and where. */
const IS_PLACE = /(?:logged|signed) ?in as \S{1,64}\/$/i;
const HAS_MARK = /[!#$%&*+=?^~]|(?=.*[a-z])(?=.*[A-Z]).*\d/;
const PASSWORD_IN_CJK = '(?:密码|密碼|口令|暗号|パスワード|パスコード|合言葉|비밀번호|비번|암호|패스워드)';
/** Passwords that a sentence or a member's name announces. */
export const ANNOUNCED_PASSWORD_RULES: readonly Rule[] = [
  {
    id: 'announced_password',
    kind: 'SECRET',
    hints: [
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
    ],
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
    hints: ['passwd ', 'пароль ', 'пароля ', 'парол ', 'password "', 'passphrase "'],
    find: announced(
      String.raw`(?:passw(?:or)?d|passphrase|парол[ья]?) ${OPEN_QUOTE}${VALUE}`,
      (said) =>
        isPassword(said) &&
        (said.isQuoted
          ? /\d/.test(said.value)
          : /\d/.test(said.value) && /[A-Za-z]/.test(said.value) && said.value.length >= 6),
    ),
    examples: {
      hits: [hit('the passwd ', 'driftw00d', ' works'), hit('мой пароль ', 'Podsolnuh7')],
      misses: ['passwd root', 'пароль неверный', 'the password "password" is weak'],
    },
  },
  {
    id: 'announced_password_cjk',
    kind: 'SECRET',
    hints: joinedInCjk([
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
        !(IS_PLACE.test(said.lead) && !HAS_MARK.test(said.value)) &&
        (isPassword({ ...said, rest: '' }) || isPassword(said)),
    ),
    examples: {
      hits: [
        hit('I logged in as ops / ', 'driftwood', ' and saw the queue.'),
        hit('You can log in as admin/', 'driftwood9', ' on staging.'),
        hit('Zugangsdaten: ops / ', 'Birnbaum7'),
      ],
      misses: [
        'logged in as alice/workspace3',
        'logged in as admin / root user is disabled',
        'log in as ops',
        'login as user/password',
      ],
    },
  },
];
