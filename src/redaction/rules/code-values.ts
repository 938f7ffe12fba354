import { fake, fakeHex, matching, onlyWhere } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { isRandom } from '../validators.ts';
import { isTechnical } from './technical-words.ts';
import { hasMarkOfSecret, isActualValue, isKeyMaterial, notPlaceholder } from './secret-value.ts';

/** Secrets in programs and in the settings of devices, where no assignment names them. */

const QUOTED = String.raw`\\{0,4}["'\x60](?<v>[^\s"'\x60\\]{6,256})(?=\\{0,4}["'\x60])`;

/** An argument of a call: an expression, or a text in quotes. */
const ARGUMENT = String.raw`(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[^\s"'(),;]{1,80}),\s{0,8}`;

export const CODE_VALUE_RULES: readonly Rule[] = [
  {
    id: 'copied_password',
    kind: 'SECRET',
    hints: ['strcpy', 'strncpy', 'strlcpy', 'memcpy'],
    find: matching(
      new RegExp(
        String.raw`(?:str[nl]?cpy|memcpy)\([\w.>-]{0,40}?(?:passw(?:or)?d|pwd|pass|secret|api_?key|token)\w{0,16}, {0,4}${QUOTED}`,
        'i',
      ),
      hasMarkOfSecret,
    ),
    examples: {
      hits: ['strcpy(cfg.password, "⟦Zork1234⟧");'],
      misses: ['strcmp(password, "Zork1234")', 'strcpy(password, "secret")'],
    },
  },
  {
    // What logs in by a name and a password, by its manual the second and third, or the last two, of three arguments.
    id: 'connection_call',
    kind: 'SECRET',
    // They begin with letters that few other words have in a row.
    hints: [
      'rkcredential',
      'dauthentication',
      'mepassword',
      'tconnection',
      'mysql_connect',
      'mysqli',
      'w pdo',
      'nauth',
      'ldap_bind',
      'ftp_login',
      'imap_open',
      'odbc_connect',
      'ssh2_auth_password',
      'bi->connect',
      'mysqldb.connect(',
      'pymysql.connect(',
      '= credentials(',
    ],
    find: matching(
      new RegExp(
        String.raw`(?:(?:rkcredential|dauthentication|mepassword[a-z]{1,24})\(\s{0,8}|(?:tconnection|mysql_connect|mysqli(?:_connect)?|w pdo|nauth|ldap_bind|ftp_login|imap_open|odbc_connect|ssh2_auth_password|bi->connect(?:_cached)?|(?:mysqldb|pymysql)\.connect)\(\s{0,8}${ARGUMENT}|= credentials\(\s{0,8}${ARGUMENT}${ARGUMENT})${ARGUMENT}["'](?<v>[^\s"'\\]{3,256})(?=["'])`,
        'i',
      ),
      isActualValue,
    ),
    examples: {
      hits: [
        'new NetworkCredential("bob", "⟦driftwood⟧")',
        'DriverManager.getConnection(url, "root", "⟦driftwood⟧")',
        "new PDO('mysql:host=h;dbname=d', $user, '⟦driftwood⟧');",
        'new mysqli("h", "root", "⟦driftwood⟧", "shop")',
        'smtp.PlainAuth("", "ops", "⟦driftwood⟧", host)',
        'DBI->connect("DBI:mysql:shop", "app", "⟦driftwood⟧")',
        'credentials += Credentials("realm", "host", "ops", "⟦driftwood⟧")',
      ],
      misses: [
        'DriverManager.getConnection(url, user, password)',
        'new mysqli("h", "root", "password")',
        'getConnection("primary", "replica")',
        'new NetworkCredential(user, "${PW}")',
      ],
    },
  },
  {
    // A user and a password, one behind the other
    id: 'pair_in_brackets',
    kind: 'SECRET',
    hints: [
      'creds = (',
      'cred = (',
      'credentials = (',
      'auth = (',
      'login = (',
      'creds=(',
      'credentials=(',
      'creds = [',
      'credentials = [',
      'auth = [',
    ],
    find: matching(
      /(?:creds?|credentials|auth|login) ?= ?[([]\s{0,8}["'][\w.@+-]{1,64}["'],\s{0,8}["'](?<v>[^\s"'\\]{4,128})(?=["']\s{0,8}[)\]])/i,
      (value) => isActualValue(value) && !isTechnical(value),
    ),
    examples: {
      hits: ['creds = ("bob", "⟦driftwood⟧")'],
      misses: ['auth = ("basic", "token")', 'creds = ("bob", password)', 'login = ("bob", "username")'],
    },
  },
  {
    id: 'random_key',
    kind: 'SECRET',
    hints: ['key', 'api', 'signing', 'hmac', 'cipher', 'ryption'].flatMap((word) =>
      [' = ', '=', ' := ', ': ', '": ', '":', '[] = ']
        .flatMap((join) => ["'", '"', "b'", 'b"', '[]byte("'].map((quote) => `${word}${join}${quote}`))
        .filter((hint) => !/(?:":|: )\[|"b|:b/.test(hint)),
    ),
    find: onlyWhere(
      (text, at) =>
        !/(?:public|cache|map|sort|row|primary|object|file|s3|index|group)[_ -]?$/i.test(
          text.slice(Math.max(0, at - 12), at),
        ),
      matching(
        /(?:key|api|signing|hmac|cipher|ryption)(?:\[\])?"?(?: ?:?= ?| ?: ?)(?:b|\[\]byte\()?["'](?<v>[A-Za-z0-9+_=-]{20,128})(?=["'])/i,
        isKeyMaterial,
      ),
    ),
    examples: {
      hits: [
        `key = "⟦${fake(24)}⟧"`,
        `let signing = b"⟦${fake(24)}⟧";`,
        `hmacKey := []byte("⟦${fake(24)}⟧")`,
      ],
      misses: [
        `key = "${fakeHex(32)}"`,
        'key: "ArrowDownKeyPressedHandler2"',
        `cache_key = "${fake(24)}"`,
        'key="item-1"',
      ],
    },
  },
  {
    // https://developer.hashicorp.com/terraform/cli/config/config-file#environment-variable-credentials
    id: 'terraform_host_token',
    kind: 'SECRET',
    hints: ['tf_token_'],
    find: matching(
      /tf_token_[\w-]{3,128}["']?(?: ?[=:] ?| )\\{0,4}["']?(?<v>[\w.-]{8,512})/i,
      (value) => notPlaceholder(value) && isRandom(value),
    ),
    examples: {
      hits: [`TF_TOKEN_app_terraform_io=⟦${fake(30)}⟧`, `TF_TOKEN_registry_example = "⟦${fake(30)}⟧"`],
      misses: ['TF_TOKEN_app_terraform_io=$TOKEN', 'TF_TOKEN_app_terraform_io is not set'],
    },
  },
];
