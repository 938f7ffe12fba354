import { fake, matching, onlyWhere } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { isRandom } from '../validators.ts';
import { isActualValue } from './secret-value.ts';
import { isTechnical } from './technical-words.ts';

/** Secrets among arguments, defaults and lists, by the manual of what takes them. */

/** An expression, or a text in quotes. */
const ARGUMENT = String.raw`(?:b?"[^"\n]{0,200}"|b?'[^'\n]{0,200}'|\{[^{}\n]{0,200}\}|[^\s"'(),;{}]{1,80})`;
const QUOTED = String.raw`[bfr]?["'\x60](?<v>[^\s"'\x60\\]{4,256})(?=["'\x60])`;
const SECRET_WORD = String.raw`(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key)`;

const isArgument = (value: string): boolean => isActualValue(value) && !isTechnical(value);

/** The name of an option for a secret, and what else of the option stands before its default. */
const OPTION_OF_SECRET = new RegExp(
  String.raw`["'](?:--?)?(?:[\w-]{1,24}[_-])?${SECRET_WORD}["'][^"'()]{0,16}(?:(?:"[^"\n]{0,80}"|'[^'\n]{0,80}')[^"'()]{0,16}){0,8}$`,
  'i',
);

/** Names of lists of passwords; tokens and keys are also of other things. */
const LISTS_OF_PASSWORDS = ['passwords', 'passwds', 'passphrases'];
const LISTS_OF_KEYS = ['secrets', 'tokens', 'api_keys', 'apikeys', 'api-keys', 'access_keys', 'accesskeys'];
const ASSIGNS = String.raw`["'\])]{0,2}(?::[ \t]{0,4}[\w<>[\], ]{1,40}(?=[ \t]{0,4}=))?[ \t]{0,8}(?:[:=]|=>|:=)`;
const ITEM = String.raw`[bfru]?["'][^\s"'\\]{4,256}["']`;
const IN_BRACKETS = String.raw`[ \t]{0,8}(?:(?:new )?[\w.<>]{0,30}(?:\[\]\w{0,12}))?[ \t]{0,4}[[({]\s{0,16}(?<v>${ITEM}(?:\s{0,16},\s{0,16}${ITEM}){0,64})`;
const LINE = String.raw`-[ \t]{1,4}["']?[^\s"'#{}[\]:]{4,256}["']?`;
const IN_LINES = String.raw`[ \t]{0,4}\r?\n(?<indent>[ \t]{0,16})(?<v>${LINE}(?:\r?\n\k<indent>${LINE}){0,64})(?=[ \t]{0,8}(?:\r?\n|$))`;

/** What stands in quotes, or behind the dashes. */
const itemsOf = (list: string): readonly string[] =>
  list
    .split(/[\s,]+/)
    .map((item) => item.replaceAll(/^(?:[bfru]?["'])?|["']$/g, ''))
    .filter((item) => item !== '' && item !== '-');
const isListOfPasswords = (list: string): boolean => itemsOf(list).every((item) => isArgument(item));
const isListOfKeys = (list: string): boolean =>
  itemsOf(list).every((item) => item.length >= 16 && isRandom(item) && /\d/.test(item) && isArgument(item));

function listRule(
  id: string,
  hints: readonly string[],
  behind: string,
  valid: (list: string) => boolean,
  examples: Rule['examples'],
): Rule {
  const names = hints.join('|');
  return {
    id,
    kind: 'SECRET',
    hints,
    find: matching(new RegExp(`(?:${names})${ASSIGNS}${behind}`, 'i'), valid),
    examples,
  };
}

export const CALL_RULES: readonly Rule[] = [
  {
    // https://github.com/auth0/node-jsonwebtoken, https://pyjwt.readthedocs.io, https://nodejs.org/api/crypto.html
    // https://www.php.net/manual/en/function.hash-hmac.php
    id: 'key_of_call',
    kind: 'SECRET',
    hints: [
      'jwt.sign(',
      'jwt.verify(',
      'jwt.encode(',
      'jwt.decode(',
      'createhmac(',
      'createcipher',
      'createdecipher',
      'hash_hmac(',
    ],
    find: matching(
      new RegExp(
        String.raw`(?:(?:jwt\.(?:sign|verify|encode|decode)|create(?:hmac|(?:de)?cipher(?:iv)?))\(|hash_hmac\(\s{0,8}${ARGUMENT},)\s{0,8}${ARGUMENT},\s{0,8}${QUOTED}`,
        'i',
      ),
      isArgument,
    ),
    examples: {
      hits: [
        "jwt.sign(payload, '⟦driftwood⟧', { expiresIn: '1h' })",
        'jwt.encode({"id": 7}, "⟦driftwood⟧", algorithm="HS256")',
        "crypto.createHmac('sha256', '⟦driftwood⟧').update(body)",
        "hash_hmac('sha256', $body, '⟦driftwood⟧')",
      ],
      misses: [
        "jwt.sign(payload, secret, 'HS256')",
        "createHmac('sha256', key)",
        "jwt.verify(token, 'secret')",
        "hash_hmac('sha256', 'some text', $key)",
      ],
    },
  },
  {
    // https://docs.python.org/3/library/argparse.html, https://click.palletsprojects.com, https://yargs.js.org
    id: 'default_of_option',
    kind: 'SECRET',
    hints: ['default=', 'default: ', 'default_value'],
    find: onlyWhere(
      (text, at) => OPTION_OF_SECRET.test(text.slice(Math.max(0, at - 160), at)),
      matching(new RegExp(String.raw`default(?:=|: |_value(?: ?= ?|\())${QUOTED}`, 'i'), isArgument),
    ),
    examples: {
      hits: [
        'parser.add_argument("--password", default="⟦driftwood⟧")',
        "@click.option('--db-password', '-p', default='⟦driftwood⟧')",
        "yargs.option('token', { type: 'string', default: '⟦driftwood9⟧' })",
      ],
      misses: [
        'parser.add_argument("--password-file", default="driftwood")',
        'parser.add_argument("--password", default=None)',
        'add_argument("--password"); add_argument("--zone", default="driftwood")',
      ],
    },
  },
  {
    // https://developer.android.com/build/gradle-tips#share-custom-fields-and-resource-values-with-your-app-code
    id: 'build_field',
    kind: 'SECRET',
    hints: ['buildconfigfield', 'resvalue'],
    find: matching(
      new RegExp(
        String.raw`(?:buildconfigfield|resvalue)\s{0,4}\(?\s{0,4}["'][\w.]{1,40}["'],\s{0,8}["']\w{0,40}?${SECRET_WORD}(?!_?(?:file|header|hint|label|length|name|path|type|ur[il]))\w{0,20}["'],\s{0,8}["'](?:\\{0,2}["'])?(?<v>[^\s"'\\$]{6,256})(?=\\{0,2}["'])`,
        'i',
      ),
      isArgument,
    ),
    examples: {
      hits: [
        String.raw`buildConfigField "String", "API_KEY", "\"⟦driftw00d⟧\""`,
        `resValue("string", "maps_api_key", "⟦${fake(30)}⟧")`,
      ],
      misses: [
        'buildConfigField "String", "API_KEY", "\\"${apiKey}\\""',
        String.raw`buildConfigField("String", "TOKEN_URL", "\"https://example.com/oauth/token\"")`,
        'buildConfigField "String", "ZONE", "\\"driftw00d\\""',
      ],
    },
  },
  listRule('listed_passwords', LISTS_OF_PASSWORDS, IN_BRACKETS, isListOfPasswords, {
    hits: ['PASSWORDS = ["⟦driftwood", "seashell⟧"]'],
    misses: ['passwords = ["password", "secret"]', 'passwords = [p1, p2]', 'passwords: []'],
  }),
  listRule('listed_keys', LISTS_OF_KEYS, IN_BRACKETS, isListOfKeys, {
    hits: [`API_KEYS = ["⟦${fake(24)}", "${fake(20)}⟧"]`, `var tokens = []string{"⟦${fake(24)}⟧"}`],
    misses: ['tokens = ["the", "cat", "sat"]', 'secrets: ["db-password-2024", "tls-cert"]'],
  }),
  listRule('lines_of_passwords', LISTS_OF_PASSWORDS, IN_LINES, isListOfPasswords, {
    hits: ['passwords:\n  - ⟦driftwood\n  - seashell⟧\nnext: 1'],
    misses: ['passwords:\n  - name: driftwood\n', 'passwords:\n- password\n'],
  }),
  listRule('lines_of_keys', LISTS_OF_KEYS, IN_LINES, isListOfKeys, {
    hits: [`api_keys:\n  - ⟦${fake(24)}⟧\n`],
    misses: ['secrets:\n  - db-password\n  - tls-cert-2024\n', 'tokens:\n  - the\n  - cat\n'],
  }),
];
