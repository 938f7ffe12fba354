import { decidedBy, matching, WITHIN_WORD } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { isPlaceholder, isRandom } from '../validators.ts';
import { isAboutSecrets } from './plain-words.ts';

const STANDS_FOR_PASSWORD = new RegExp(
  [
    String.raw`^(?:[*•.xX#_?-]{2,}|[<[{(].*|[$%#!]+[{(].*)$`,
    String.raw`^(?:%[sv]|%\w+%|\d{1,5}/.*)$`, // the last is a port and a path
    String.raw`(?:redacted|placeholder|change[-_ ]?me)`,
    String.raw`^(?:(?:your|my|the|replace|insert|enter|put)[-_].*|(?:process\.env|os\.environ|env)\.\w+)$`,
    String.raw`^(?:(?:your|my)?pass(?:word|wd)?|pwd?|secret|token|key)\]{0,3}$`,
  ].join('|'),
  'i',
);
/** The name of a variable or a constant: `$pw`, `DB_PASSWORD`. */
const NAME_OF_PASSWORD =
  /^[$@](?:[A-Z_][A-Z\d_]*|[a-z_][a-z\d_]*)$|^(?:[A-Z]+_)+(?:PASS(?:WORD|WD)?|PWD?|SECRET|TOKEN|KEY)$|^(?:PASSWORD|SECRET|TOKEN)(?:_[A-Z]+)+$/;

const EMPTY_PASSWORD = /^(?:x-oauth-basic|x)?$/i;

/**
 * `scheme://user:password@host`, also a bare token in the user's place. `at` is the `://`. The last `@` before the path
 * ends the password (https://url.spec.whatwg.org/#authority-state).
 */
function findUrlPassword(text: string, at: number): Span | undefined {
  const ahead = text.slice(at + 3, at + 3 + 400);
  if (!ahead.includes('@')) return undefined;
  const match =
    /^((?:[^\s/@:"'<>`\\]|@(?=[\w.-]{1,80}:[^\s/@:"'<>`\\]{1,80}@)){0,128})(?::((?:[^\s/@"'<>`\\]|@(?=[^\s/@"'<>`\\]{1,128}@)){1,256}|[^\s"'<>`\\@]{1,256}|(?=@)))?@[\w[.-]/.exec(
      ahead,
    );
  if (!match) return undefined;
  const user = match[1] ?? '';
  const password = match[2];
  // https://docs.github.com/en/rest/authentication: without a password, or with one that says nothing, it is the user's place
  if (password === undefined || EMPTY_PASSWORD.test(password)) {
    return user.length >= 16 && isRandom(user) ? { start: at + 3, end: at + 3 + user.length } : undefined;
  }
  // Whatever stands there is one, but for what stands for one.
  if (STANDS_FOR_PASSWORD.test(password) || NAME_OF_PASSWORD.test(password)) return undefined;
  const start = at + 3 + user.length + 1;
  return { start, end: start + password.length };
}

/** `user:password@tcp(host)`. `at` is the `@`. */
function findDsnPassword(text: string, at: number): Span | undefined {
  const password = /(?:^|[\s"'`=])[\w.-]{1,64}:([^\s"'`/:]{1,128})$/.exec(
    text.slice(Math.max(0, at - 200), at),
  )?.[1];
  if (password === undefined || STANDS_FOR_PASSWORD.test(password) || NAME_OF_PASSWORD.test(password))
    return undefined;
  return { start: at - password.length, end: at };
}

/** Secrets in URLs. */
export const URL_RULES: readonly Rule[] = [
  {
    // https://github.com/go-sql-driver/mysql#dsn-data-source-name
    id: 'dsn_password',
    kind: 'SECRET',
    hints: ['@tcp(', '@unix('],
    find: decidedBy(/@(?:tcp|unix)\(/, findDsnPassword),
    examples: {
      hits: ['dsn := "app:⟦dr1ft@wood⟧@tcp(db:3306)/shop"'],
      misses: ['app:${PW}@tcp(db:3306)/shop', 'app:%s@tcp(%s)/shop', 'app@tcp(db:3306)/shop'],
    },
  },
  {
    id: 'url_secret',
    kind: 'SECRET',
    hints: [
      '?code=',
      '&code=',
      '?token=',
      '&token=',
      '?otp=',
      '&otp=',
      '?pin=',
      '&pin=',
      '?key=',
      '&key=',
      '?ticket=',
      '&ticket=',
      '?auth=',
      '&auth=',
    ],
    // An identifier of letters is a field or an error, letters with a number are a ticket of a board.
    find: matching(
      /[?&](?:(?:token|otp|pin)=|(?:code|key|ticket|auth)=(?!(?:[a-z]+(?:[_.-][a-z]+)+|[a-z]{2,10}-\d{1,8})(?![\w.~+/%-])))(?<v>[\w.~+/%-]{6,2048}={0,2})/i,
      (value) =>
        !isPlaceholder(value) &&
        !isAboutSecrets(value) &&
        !/^[a-z]{1,14}$|^[A-Z_]{1,24}$|^\d{1,5}$/.test(value),
    ),
    examples: {
      hits: [
        'https://a.example/cb?code=⟦SplxlOBeZQQYbYS6⟧&state=xyz',
        '/cb?state=9&code=⟦4/P7q7W91a-oMsCeLvIaQm⟧',
        'https://a.example/reset?token=⟦aslkdjqwoeiruzmx⟧',
      ],
      misses: [
        '/items?key=created_at&dir=desc',
        '/cb?code=invalid_grant',
        '/browse?ticket=PROJ-1234',
        '/search?code=python',
        '/?code=404&lang=en',
        '/x?next_token=null',
        '?token=$TOKEN',
      ],
    },
  },
  {
    // https://lbsyun.baidu.com/faq/api?title=webapi: the key of an application
    id: 'url_application_key',
    kind: 'SECRET',
    hints: ['?ak=', '&ak='],
    find: matching(/[?&]ak=(?<v>[A-Za-z0-9]{24,64})(?![\w-])/, isRandom),
    examples: {
      hits: ['https://api.example/geo?q=x&ak=⟦k7Qz2mXw9RtB4vHn8LcY3sDf6GjP1aTe⟧'],
      misses: ['https://a.example/?ak=1&state=alaska', '?ak=YOUR_KEY'],
    },
  },
  {
    id: 'url_password',
    kind: 'SECRET',
    hints: ['://'],
    find: decidedBy(WITHIN_WORD, findUrlPassword),
    examples: {
      hits: [
        'postgres://app:⟦s3cr3t⟧@db.internal:5432/x',
        'redis://:⟦pw9kk⟧@cache:6379',
        'mongodb://app:⟦re@lP@ssw0rd⟧@db.internal/x',
      ],
      misses: [
        'https://example.com/a@b',
        'https://user@example.com/',
        'postgres://app:${PW}@db/x',
        'mongodb://app:REPLACE_WITH_PASSWORD@db/x',
        'mysql://app:DB_PASSWORD@db/x',
        'http://localhost:4873/@scope/name',
      ],
    },
  },
];
