import { textBefore } from '../characters.ts';
import { matching, onlyWhere } from '../rule.ts';
import type { Find, Rule } from '../rule.ts';
import { isCode, isRandom } from '../validators.ts';
import { isAboutSecrets, isPhrase } from './plain-words.ts';
import { hasMarkOfSecret, notPlaceholder } from './secret-value.ts';
import { isTechnical } from './technical-words.ts';

/** Values that stand beside their name with no operator between them: declarations, lines of settings, forms of Lisp. */

const PASSWORD = String.raw`(?:passw(?:or)?d|passphrase|passwort|pwd|[_-]pass|[_-]pw)`;
const NAME = String.raw`(?:${PASSWORD}|secret|token|api[_-]?key)`;
const HINTS = [
  'password',
  'passwd',
  'passphrase',
  'passwort',
  'pwd',
  '_pass',
  '-pass',
  '_pw ',
  '-pw ',
  'secret',
  'token',
  'api_key',
  'api-key',
  'apikey',
];
const HINTS_OF_PASSWORDS = HINTS.slice(0, 9);
/** What is said about a secret is none. */
const REST_OF_NAME = String.raw`(?!\w{0,12}?(?:column|desc|field|file|format|header|hint|id|label|length|message|name|path|prompt|title|type|ur[il])(?![a-z]))\w{0,12}\*?(?!\w)`;
const QUOTED = String.raw`["'](?<v>(?<=")[^"\r\n\\]{3,128}(?=")|(?<=')[^'\r\n\\]{3,128}(?='))`;

/** Words of a declaration between the name and what gives it a value, some with a length. */
const WORD_OF_TYPE = String.raw`(?:as|char(?:acter)?|constant|const|default|dim|is|length|not|null|n?text|n?varchar2?|pic(?:ture)?|progmem|string|type|usage|value|[cx]|\d{1,4})(?![A-Za-z])`;
const DECLARED = String.raw`(?:\[\d{0,4}\])?[ \t]{0,16}(?::[ \t]{0,4})?(?:${WORD_OF_TYPE}(?:[([][\d*]{0,6}[)\]])?[ \t]{0,8}){1,6}(?:(?::?=|(?:init|inz)\()[ \t]{0,8}|(?<=(?:value(?: is)?|default)[ \t]{1,8}))`;
/** Of Protocol Buffers, behind the number of the field. */
const OF_FIELD = String.raw`[ \t]{0,4}=[ \t]{0,4}\d{1,5}[ \t]{0,4}\[default[ \t]{0,4}=[ \t]{0,4}`;

/** One word, or a phrase; a sentence about the secret says what it is for. */
const isWordOrPhrase = (value: string): boolean =>
  notPlaceholder(value) &&
  !isAboutSecrets(value) &&
  !isTechnical(value) &&
  (!/\s/.test(value) || isPhrase(value));

/** The name is the first word of its line, statement or form, or behind a word that sets it. */
const BEGINS =
  /(?:^|[\n;({[]|["'] {1,4}(?=[:A-Za-z]))[ \t]*(?:(?:set|setq(?:-default)?|def|define|defparameter|defvar|defconst(?:ant)?|local|let|const|property|global)[ \t]+)?[:*$-]{0,2}[\w.:-]{0,40}$/i;
/** The same, where the name has words in front; nginx passes requests to an address. */
const BEGINS_COMPOUND =
  /(?:^|[\n;{])[ \t]*(?!(?:fastcgi|grpc|memcached|proxy|scgi|uwsgi)$)[A-Za-z][\w.]{1,40}?[a-z_-]?$/;

function atBeginning(begins: RegExp, find: Find): Find {
  return onlyWhere((text, at) => begins.test(textBefore(text, at, 64)), find);
}

/** The argument of a plan, and its value before. */
const CHANGED_BEFORE = new RegExp(
  String.raw`(?:^|\s|\\n)[~+-][ \t]{1,4}["']?(?:[\w.-]{0,40}[_.-])?(?:${PASSWORD}|(?:\w{1,16}_)?secret|token|(?:api|access|private|secret)[_-]?key)["']?[ \t]{1,40}=[ \t]{1,4}(?:"(?:[^"\\\r\n]|\\.){0,256}|'(?:[^'\\\r\n]|\\.){0,256})$`,
  'i',
);
const MAX_CHANGED = 360;

/** Secrets of a store have names as well: words with dashes. */
const isPlanned = (value: string): boolean =>
  notPlaceholder(value) && !isAboutSecrets(value) && !(/-/.test(value) && /^[a-z-]+$/.test(value));

export const DECLARED_RULES: readonly Rule[] = [
  {
    // COBOL, SQL, PL/SQL, Pascal, Ada, ABAP, PL/I, RPG, Protocol Buffers
    id: 'declared_secret',
    kind: 'SECRET',
    hints: HINTS,
    find: matching(
      new RegExp(`${NAME}${REST_OF_NAME}(?:${DECLARED}|${OF_FIELD})N?${QUOTED}`, 'i'),
      isWordOrPhrase,
    ),
    examples: {
      hits: [
        "05  WS-DB-PASSWORD PIC X(08) VALUE '⟦driftwood⟧'.",
        "DECLARE @password NVARCHAR(20) = '⟦driftwood⟧';",
        "v_password VARCHAR2(30) := '⟦driftwood⟧';",
        "password VARCHAR(50) NOT NULL DEFAULT '⟦driftwood⟧',",
        "Password: string[8] = '⟦driftwood⟧';",
        'Password : constant String := "⟦driftwood⟧";',
        "CONSTANTS gc_pwd TYPE c LENGTH 8 VALUE '⟦driftwood⟧'.",
        "DCL PASSWORD CHAR(8) INIT('⟦driftwood⟧');",
        'optional string password = 2 [default = "⟦driftwood⟧"];',
      ],
      misses: [
        '05 WS-PASSWORD PIC X(08) VALUE SPACES.',
        "password VARCHAR(50) DEFAULT ''",
        "token TEXT NOT NULL DEFAULT 'none'",
        'optional string token = 2 [default = "required"];',
        "password must not be 'driftwood'",
        'the current token is "driftwood"',
      ],
    },
  },
  {
    // Lisp, Clojure, Tcl, Groovy, nginx, Apache, AppleScript, Stata
    id: 'directive_secret',
    kind: 'SECRET',
    hints: HINTS_OF_PASSWORDS,
    find: atBeginning(
      BEGINS,
      matching(new RegExp(`${PASSWORD}\\*?[ \\t]{1,16}${QUOTED}`, 'i'), isWordOrPhrase),
    ),
    examples: {
      hits: [
        '(setq smtp-password "⟦driftwood⟧")',
        '(defparameter *password* "⟦driftwood⟧")',
        '{:db-password "⟦driftwood⟧"}',
        'x; set password "⟦driftwood⟧"',
        "{\n    keyPassword '⟦drift wood⟧'\n",
        '\nLDAPBindPassword "⟦driftwood⟧"',
      ],
      misses: [
        'password "must have 8 characters"',
        'the label password "driftwood"',
        "password 'required'",
        'password "the password of the user"',
        '(setq password "")',
      ],
    },
  },
  {
    // keepalived, msmtp, Apache: a name of several words, and a value that ends the line
    id: 'directive_word',
    kind: 'SECRET',
    hints: HINTS_OF_PASSWORDS,
    find: atBeginning(
      BEGINS_COMPOUND,
      matching(
        new RegExp(
          `${PASSWORD}[ \\t]{1,16}(?<v>(?![/~.])[^\\s"';{}()<>]{4,128})(?=;?[ \\t]{0,8}(?:\\r?\\n|[}#]|$))`,
          'i',
        ),
        (value) =>
          hasMarkOfSecret(value) &&
          isRandom(value) &&
          !isCode(value) &&
          !isTechnical(value) &&
          !/^n?varchar2?$/i.test(value),
      ),
    ),
    examples: {
      hits: [
        'authentication {\n  auth_type PASS\n  auth_pass ⟦k7driftw1⟧\n}',
        '\nsmtp_password ⟦dr1ftwood⟧;\n',
        '\nAuthLDAPBindPassword ⟦dr1ftwood⟧\n',
      ],
      misses: [
        'password dr1ftwood',
        'db_password varchar2',
        'db_password varchar(20)',
        'reset_password step2 of 3',
        'auth_basic_user_password /etc/x1',
        '\nproxy_pass http://10.20.0.7:8080/;\n',
      ],
    },
  },
  {
    // https://developer.hashicorp.com/terraform/cli/commands/plan: `~ password = "…" -> "…"`
    id: 'planned_secret',
    kind: 'SECRET',
    hints: ['" -> "', "' -> '"],
    find: onlyWhere(
      (text, at) => CHANGED_BEFORE.test(textBefore(text, at, MAX_CHANGED)),
      matching(/["'] -> (?<q>["'])(?<v>(?:(?!\k<q>)[^\r\n\\]|\\.){3,256})(?=["'])/, isPlanned),
    ),
    examples: {
      hits: [
        '  ~ password = "driftwood" -> "⟦seashell⟧"\n',
        '  ~ db_password      = "drift" -> "⟦sea shell⟧" # forces replacement\n',
        '  ~ api_key = "drift" -> "⟦dr1ftw00d-k3y⟧"\n',
        '  ~ password = "it\'s \\"drift" -> "⟦it\'s9x\\"sea⟧"\n',
      ],
      misses: [
        '  ~ zone = "driftwood" -> "seashell"\n',
        '  ~ password_policy = "weak" -> "strict-one"\n',
        '  ~ password = "driftwood" -> "required"\n',
        '  ~ secret = "app" -> "app-settings"\n',
        'map "driftwood" -> "seashell"',
      ],
    },
  },
];
