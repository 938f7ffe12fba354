import { endsEscape, isAlnum } from '../characters.ts';
import { matching, onlyWhere } from '../rule.ts';
import type { Find, Rule } from '../rule.ts';
import { isCode, isPlaceholder } from '../validators.ts';
import { isAboutSecrets, isPlainWord } from './plain-words.ts';
import { hasMarkOfSecret, notPlaceholder, trimEnd } from './secret-value.ts';

/** `-u user:password`, of curl and its kin. `at` is the dash. */
const findUserFlag = matching(/-u[ =]{0,4}["']?[\w.@+-]{1,64}:(?<v>[^\s"'\\]{3,256})/, notPlaceholder);

const isFlagStart = (text: string, at: number): boolean =>
  at === 0 || !isAlnum(text.charCodeAt(at - 1)) || endsEscape(text, at);

/** What is given to a flag for secrets, and is no word of a sentence about the flag. */
function isFlagWord(value: string): boolean {
  const word = value.replace(/[.:!?,)]{1,3}$/, '');
  return (
    word.length >= 4 &&
    isPlainWord(word) &&
    !isPlaceholder(word) &&
    !isAboutSecrets(word, 'password:') &&
    !isCode(word)
  );
}

/** A flag begins a word: one dash, or two. `at` is the last dash. */
function ownFlag(find: Find): Find {
  const isOwn = (text: string, at: number): boolean =>
    !/\w$/.test(text.slice(Math.max(0, at - 2), at).replace('-', ''));
  return onlyWhere(isOwn, trimEnd(find));
}

/** Secrets that are given to a flag of a command. */
export const FLAG_RULES: readonly Rule[] = [
  {
    id: 'cookie_flag',
    kind: 'SECRET',
    hints: ['-b "', "-b '", '--cookie '],
    find: matching(/(?:-b|--cookie) ["']?[\w.-]{1,64}=(?<v>[^\s"';\\]{8,1024})/, notPlaceholder),
    examples: {
      hits: [{ text: 'curl -b "PHPSESSID=a2BWkMwCAz61J" https://x', hidden: 'a2BWkMwCAz61J' }],
      misses: ['git checkout -b "name"'],
    },
  },
  {
    id: 'user_flag',
    kind: 'SECRET',
    hints: ['-u '],
    find: onlyWhere(isFlagStart, findUserFlag),
    examples: {
      hits: [{ text: 'curl -u admin:pw77 https://x', hidden: 'pw77' }],
      misses: ['sort -u file', 'docker run -u root:${GROUP} x'],
    },
  },
  {
    id: 'password_flag',
    kind: 'SECRET',
    hints: [
      '-pass',
      '-secret',
      '-token',
      '-api-key',
      '-apikey',
      '-access-',
      '-auth-',
      '-admin-pass',
      '-client-secret',
      '-private-',
    ],
    find: ownFlag(
      matching(
        /-(?:[a-z]{2,12}-){0,2}(?:password|passphrase|passwd|pass|secret|token|key)(?:[= ]{1,3}|\\{0,4}["'],? {0,4}\\{0,4}["'])\\{0,4}["']?(?!-)(?<v>(?<=["'])[^\s"'\\]{4,256}(?=\\{0,4}["'])|[^\s"'<>|;&\\]{4,256})/i,
        (value) => hasMarkOfSecret(value) || isFlagWord(value),
      ),
    ),
    examples: {
      hits: [
        { text: 'login --password Tr0ub4dor user', hidden: 'Tr0ub4dor' },
        { text: 'connect -password "Prl23Db#@"', hidden: 'Prl23Db#@' },
      ],
      misses: ['run --password-stdin', '--token <token>', '--pass-through yes', 'the one-password 4you'],
    },
  },
  {
    id: 'short_password_flag',
    kind: 'SECRET',
    hints: ['sshpass ', 'mysql ', 'mysqldump ', 'mysqladmin ', 'docker login', 'twine upload', 'redis-cli '],
    find: matching(
      /(?:sshpass|mysql(?:dump|admin)?|docker login|twine upload|redis-cli) (?:[^\n|;&]{0,160}? )?-[pa] ?["']?(?<v>(?<=["'])[^\s"'\\-][^\s"'\\]{3,256}(?=["'])|[^\s"'|;&\\-][^\s"'|;&\\]{3,256})/,
      notPlaceholder,
    ),
    examples: {
      hits: [
        { text: 'sshpass -p Zx81kk9 ssh host', hidden: 'Zx81kk9' },
        { text: "sshpass -p 'Zx8&1;kk9' ssh host", hidden: 'Zx8&1;kk9' },
        { text: 'mysql -u root -pS3cr3tX db', hidden: 'S3cr3tX' },
      ],
      misses: ['mysql -u root -p', 'the mysql server'],
    },
  },
];
