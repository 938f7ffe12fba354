import { fake, fakeHex, matching } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { isCode, isNextName, isPlaceholder, isRandom, saysItIsExample } from '../validators.ts';
import { isAboutSecrets, isDescription } from './plain-words.ts';
import { assignment, isPasswordValue, isSecretValue } from './assignment.ts';
import { hasMarkOfSecret, notPlaceholder, trimEnd } from './secret-value.ts';
import { isTechnical } from './technical-words.ts';
import { hintsOf, PASSWORD_WORDS, SECRET_WORDS } from './secret-words.ts';

/** Values that only their surroundings give away: a key's name, a header, a sentence. */

/** Behind a digit or a sign a separator or bracket that something follows is part of it. */
const CREDENTIAL = String.raw`["'\`]?(?<v>(?:[^\s"'\`<>,;\\)(]|(?<=[\d!@#$%^&*~][^\s"'\`<>,;\\)(]{0,16})[,;()](?=[\w!@#$%^&*])){3,512})`;

const COOKIE = String.raw`cookie\\?["']?: ?\\?["']?(?!(?:samesite|path|domain|max-age|expires)=)`;
const CRUMB = String.raw`[\w!#$%&'*+.^\x60|~-]{1,64}=`;

export const CONTEXT_RULES: readonly Rule[] = [
  {
    id: 'spec.api_key',
    kind: 'SECRET',
    hints: ['api_key'],
    find: matching(/api_key\s{0,20}=\s{0,20}['"](?<v>[A-Za-z0-9_-]{20,512})(?=['"])/, notPlaceholder),
    examples: {
      hits: [`api_key = "⟦${fake(24)}⟧"`, "api_key='⟦abcdefghijklmnopqrstuvwx⟧'"],
      misses: ['api_key = "short"', 'api_key_id = 7'],
    },
  },
  {
    id: 'password_assignment',
    kind: 'SECRET',
    hints: hintsOf(PASSWORD_WORDS),
    find: assignment(PASSWORD_WORDS, isPasswordValue),
    examples: {
      hits: [
        'DB_PASSWORD=⟦hunter2x⟧',
        'PASSWORD_BYTES = ⟦hunter2x⟧',
        'DB_PASSWORD=⟦R4(t8Yb)nQ;z6&Wd⟧',
        'f(password="⟦Zc8[Qv3]Np6⟧")',
        'password = SecretStr("⟦Zork1234⟧")',
        'password.set("⟦Zork1234⟧")',
        'std::string password{"⟦Zork1234⟧"};',
        '{"password": "⟦correct horse⟧"}',
        String.raw`{\"passwd\":\"⟦tr0ub4dor⟧\"}`,
        'Server=db;Password=⟦S3cr!t⟧;Timeout=5',
        'password: str = "⟦Zz9!kk⟧"',
        '{"pw": "⟦Hunter2x9!⟧"}',
        'password=⟦:Dr1ftwood⟧',
        'password=⟦QWRtaWpKZUVrTUw=⟧',
        'password: >-\n    ⟦correct horse battery⟧\nnext: 1',
      ],
      misses: [
        'password: ${DB_PASSWORD}',
        'password: "********"',
        'the password = required',
        'pass: bool',
        'password=os.environ["X"]',
        'MAX_PASSWORD_BYTES = 4096',
        'PASSWORD_LIMIT: number = 100000;',
        '"password_attempts": 100,',
        'tests: 12 pass, 0 fail',
        'Tests pass: 12/12.',
        'pass: 212 tests',
        'pass: 98.5%',
      ],
    },
  },
  {
    id: 'secret_assignment',
    kind: 'SECRET',
    hints: hintsOf(SECRET_WORDS),
    find: assignment(SECRET_WORDS, isSecretValue),
    examples: {
      hits: [
        `AWS_SECRET_ACCESS_KEY=⟦${fake(40)}⟧`,
        `"client_secret": "⟦${fake(32)}⟧"`,
        `private_key_bytes = "⟦${fakeHex(32)}⟧"`,
        `https://x.example/?token=⟦${fakeHex(32)}⟧&page=2`,
        `X-Api-Key: ⟦${fakeHex(32)}⟧`,
        `{"sig": "⟦${fakeHex(32)}⟧"}`,
        `client_secret: |\n  ⟦${fakeHex(32)}⟧\n`,
      ],
      misses: [
        'max_tokens=4096',
        'token_type: bearer',
        'prompt_tokens: 8082',
        'token: "your-token-here"',
        'secret = load_secret("name1234")',
        `trace_token_count=${'1'.repeat(12)}`,
        'public_key: 3f9a8b7c6d5e4f3a2b1c',
        'the api key: see the wiki',
        "'x-agent-authorization': 'authorization'",
        "'x-agent-api-key': 'x-api-key'",
        "'x-service-signature': `v1=${signature}`",
      ],
    },
  },
  {
    id: 'authorization',
    kind: 'SECRET',
    hints: ['bearer ', 'basic ', 'authorization: ', 'token '],
    find: trimEnd(
      matching(
        /(?:authorization: (?:[\w-]{2,20} )?|bearer {1,3}|basic {1,3}|token {1,3})(?![A-Za-z_.]{1,60}\d?[A-Za-z_.]{0,60}\()(?<v>(?:\d{1,10}\|)?[\w.~+/=-]{16,4096})/i,
        (v) => isRandom(v) && !isCode(v) && !isTechnical(v) && !saysItIsExample(v),
      ),
    ),
    examples: {
      hits: [`curl -H "Authorization: Bearer ⟦${fake(32)}⟧"`],
      misses: [
        'a bearer of good news',
        'the basic configuration-option-name',
        'Authorization: Bearer ${TOKEN}',
        'Authorization: AWS4-HMAC-SHA256 Credential=x',
      ],
    },
  },
  {
    id: 'authorization_word',
    kind: 'SECRET',
    hints: ['authorization'],
    find: trimEnd(
      matching(
        /authorization\\{0,4}["']?\]? ?[:=,] ?\\{0,4}["']?(?:bearer|basic|token|apikey|digest|key) {1,3}(?<v>[\w.~+/=-]{6,4096})(?![\w~+/=-])/i,
        (value) => notPlaceholder(value) && !isNextName(value) && !isDescription(value, 'bearer:'),
      ),
    ),
    examples: {
      hits: ['Authorization: Bearer ⟦sunflowerfield⟧', 'Authorization: Basic ⟦QWRtaWpKZUVrTUw=⟧'],
      misses: [
        'Authorization: Bearer <token>',
        'Authorization: Digest username="bob"',
        'Authorization: Bearer $TOKEN',
        'authorization: required',
      ],
    },
  },
  {
    id: 'secret_default',
    kind: 'SECRET',
    hints: ['password', 'passwd', '_pass', 'secret', 'token', 'api_key', 'apikey', 'api-key', 'access_key'],
    find: matching(
      /(?:password|passwd|_pass|secret|token|api[_-]?key|access_key)(?!\w{0,16}(?:error|field|format|header|label|message|name|path|type|ur[il])\b)\w{0,20}["']?\)?\]? {0,4}(?:or|\|\||\?\?|\?:|unless|\| ?default) {0,4}\(?["'`](?<v>[^\s"'`\\]{4,256})(?=["'`])/i,
      (value) =>
        !isPlaceholder(value) && !isAboutSecrets(value) && !/^[a-z]+(?:[_-][a-z]+)+$|[%{}]/.test(value),
    ),
    examples: {
      hits: [
        'pw = os.getenv("PASSWORD") or "⟦tumbleweeds⟧"',
        "const k = process.env.API_KEY || '⟦backgammon⟧';",
      ],
      misses: ['process.env.TOKEN || ""', '["password", "username"]', 'token or "required"'],
    },
  },
  {
    id: 'cookie',
    kind: 'SECRET',
    hints: ['cookie:', 'cookie":', "cookie':", 'cookie\\":'],
    // Up to the next one, so that wherever a reader begins in the line the values are the same.
    find: matching(
      new RegExp(
        String.raw`${COOKIE}(?<v>${CRUMB}(?:[^\r\n"\\c]|c(?!${COOKIE.slice(1)}${CRUMB}[^\r\n"\\]{4})){4,4096})`,
        'i',
      ),
    ),
    examples: {
      hits: ['Cookie: sid=⟦8f3k2l1m9⟧; theme=dark'],
      misses: ['Cookie: see below', 'a cookie: tasty', 'cookie: SameSite=Lax; Secure'],
    },
  },
  {
    id: 'password_prose',
    kind: 'SECRET',
    hints: [
      'password',
      'passphrase',
      'passcode',
      'api key',
      'api token',
      'secret',
      'access key',
      'access token',
      'bearer token',
      'auth token',
      'refresh token',
      'session token',
      'bot token',
      'credential',
      'pin code',
    ],
    find: trimEnd(
      matching(
        new RegExp(
          String.raw`(?:pass(?:word|phrase|code)|(?:api|access|bearer|auth|refresh|session|bot) (?:key|token)|secret(?: key)?|credentials?|pin code)(?: (?:for|of|to|on|in|from) (?:the )?[\w@./-]{1,40}){0,2}(?: (?:is|was|to|be|as|are|now|still|currently|set to|reads|equals|being)){1,3}:? {1,2}${CREDENTIAL}`,
          'i',
        ),
        hasMarkOfSecret,
      ),
    ),
    examples: {
      hits: [
        'The admin password is ⟦qE^siK7reaL8⟧ according to the wiki.',
        'the password for the db was ⟦Summer2024⟧!',
        'The root password is ⟦k3;Jw8,Lq5|Zn1v⟧, he says',
      ],
      misses: ['The password is required.', 'the secret is kept safe', 'the password was rotated on 2024'],
    },
  },
  {
    id: 'key_prose',
    kind: 'SECRET',
    hints: [
      'api key',
      'api token',
      'access key',
      'access token',
      'secret key',
      'password',
      'key ',
      'key\t',
      'token:',
      'token\t',
      'secret ',
      'secret\t',
    ],
    find: trimEnd(
      matching(
        new RegExp(
          String.raw`(?:(?:api|access|secret) (?:key|token)|password|key|token|secret)(?::? {1,2}|:?\t{1,4})["'\`(]?(?<v>[\w+/=~^!@#$%&*-]{16,256})(?![\w/-]|\.[\w/])`,
          'i',
        ),
        (value) =>
          isRandom(value) &&
          !isPlaceholder(value) &&
          !isCode(value) &&
          /\d/.test(value) &&
          !/^[a-f\d]{8}-|^[a-f\d]{40}$|^[\d-]+$|^sha\d/i.test(value) &&
          !/^[a-z]+(?:[-_/][a-z\d]+)+$/.test(value),
      ),
    ),
    examples: {
      hits: [`pasted their API key ⟦${fake(32)}⟧ here`, `API Token\t⟦${fake(32)}⟧`],
      misses: ['the key idea-of-the-second-proposal1', 'cache key 3f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a'],
    },
  },
];
