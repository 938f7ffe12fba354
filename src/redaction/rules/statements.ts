import { decidedBy, fake, fakeHex, matching, onlyWhere, WITHIN_WORD } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { isPlaceholder, isRandom, saysItIsExample } from '../validators.ts';
import { isAboutSecrets } from './plain-words.ts';
import { hasMarkOfSecret, isActualValue, notPlaceholder } from './secret-value.ts';

/** Secrets in fixed forms of speech of databases, HTTP clients and shops. */

/** RFC 7617: `user:password` in base64. */
function isBasicCredential(code: string): boolean {
  const text = Buffer.from(code, 'base64').toString('latin1');
  const colon = text.indexOf(':');
  return colon >= 0 && /^[\x20-\x7e]{3,}$/.test(text) && !isPlaceholder(text.slice(colon + 1));
}

/** `<10>msh<15>p1<…>jsn<12>`: a key of RapidAPI. `at` is at `msh`. */
function findRapidApi(text: string, at: number): Span | undefined {
  const start = at - 10;
  if (start < 0) return undefined;
  const match = /^[a-f0-9]{10}msh[a-f0-9]{15}p1[a-f0-9]{5}jsn[a-f0-9]{12}(?![a-z0-9])/.exec(
    text.slice(start, start + 52),
  );
  return match ? { start, end: start + match[0].length } : undefined;
}

/** Prose has `identified by` as well, in small letters and of no user. */
function isStatement(text: string, at: number): boolean {
  return !text.startsWith('identified', at) || OF_USER.test(text.slice(Math.max(0, at - 200), at));
}

const OF_USER = /(?:^|[^a-z])(?:user|role|grant|login)(?![a-z])/i;

export const STATEMENT_RULES: readonly Rule[] = [
  {
    id: 'sql_password',
    kind: 'SECRET',
    hints: [
      'identified by ',
      'with password ',
      'login password ',
      'encrypted password ',
      'set password ',
      'identified with ',
    ],
    find: onlyWhere(
      isStatement,
      matching(
        /(?:identified by(?: password)?|identified with \w{1,40} by|(?:with|login|encrypted) password|set password(?: for [^\s=]{1,80})?(?: =| to)?(?: ?password\()?) ?=? ?(?:as )?N?\\?['"](?<v>[^'"\n\\]{3,128})(?=\\?['"])/i,
        (value) => !isPlaceholder(value),
      ),
    ),
    examples: {
      hits: [
        "CREATE USER 'ro'@'%' IDENTIFIED BY '⟦R34d0nly!⟧';",
        "ALTER ROLE app WITH PASSWORD '⟦winter-is-near⟧'",
      ],
      misses: [
        'identified by the linter',
        `IDENTIFIED BY '<password>'`,
        'with password reset',
        'a problem identified by "jamesh"',
      ],
    },
  },
  {
    // https://learn.microsoft.com/en-us/sql/relational-databases/system-stored-procedures/sp-addlogin-transact-sql
    id: 'login_procedure',
    kind: 'SECRET',
    hints: ['sp_addlogin ', 'sp_addlinkedsrvlogin '],
    find: matching(
      /(?:sp_addlogin N?'[^'\n]{1,64}'|sp_addlinkedsrvlogin N?'[^'\n]{1,64}'(?: ?, ?(?:N?'[^'\n]{0,64}'|null)){3}) ?, ?N?'(?<v>[^'\n]{3,128})(?=')/i,
      isActualValue,
    ),
    examples: {
      hits: [
        "EXEC sp_addlogin 'bob', '⟦driftwood⟧'",
        "EXEC sp_addlinkedsrvlogin 'h', 'false', NULL, 'bob', '⟦driftwood⟧'",
      ],
      misses: ["EXEC sp_addlogin 'bob', '<password>'", 'EXEC sp_addlogin @name, @password'],
    },
  },
  {
    id: 'oracle_password',
    kind: 'SECRET',
    hints: ['identified by '],
    // Oracle, Snowflake: a password needs no quotes there.
    find: matching(
      /identified by (?<v>[A-Za-z][\w$#!]{2,127})(?=;|$|\s{1,4}(?:;|$|using|default|temporary|profile|account|quota|password|replace|container|with|require|comment)\b)/i,
      (value) =>
        !isPlaceholder(value) && !isAboutSecrets(value) && !/^(?:values|externally|globally)$/i.test(value),
    ),
    examples: {
      hits: [
        'CREATE USER app IDENTIFIED BY ⟦tiger⟧;',
        'ALTER USER app IDENTIFIED BY ⟦Tiger9⟧ ACCOUNT UNLOCK',
      ],
      misses: ['the cause identified by the linter', 'IDENTIFIED BY EXTERNALLY;', 'IDENTIFIED BY password;'],
    },
  },
  {
    id: 'piped_password',
    kind: 'SECRET',
    hints: ['echo ', 'printf ', 'yes '],
    find: matching(
      /(?:echo|printf|yes)(?: -[en]{1,2})?(?: ["']%s(?:\\n)?["'])? \\?["']?(?<v>[^\s"'|$<>\\`](?:[^\s"'|$<>\\`]|\$(?![{(])|\\n){2,127})(?=\\?["']? ?\| ?(?:sudo -S|[^\n|]{0,80}(?:--password-stdin|--passin|-pass stdin|--with-token|--passphrase-fd|passwd\b|cryptsetup|(?:docker|podman) secret create|gcloud secrets |(?:gh|wrangler|fly|flyctl|vercel) secret|secret-tool store|pass insert|encrypt_string|vault kv put|\bkinit\b|htpasswd -i|(?:realm|adcli) join)))/i,
      (value) => notPlaceholder(value) && !/^y(?:es)?$/i.test(value),
    ),
    examples: {
      hits: [
        "echo '⟦driftwood⟧' | docker login -u ops --password-stdin",
        'echo ⟦driftwood⟧ | sudo -S apt install jq',
        "echo '⟦4f$Kd9!x⟧' | sudo -S id",
      ],
      misses: ['echo done | tee log', 'echo $PW | sudo -S id'],
    },
  },
  {
    id: 'netrc_password',
    kind: 'SECRET',
    hints: ['login '],
    wordStart: true,
    find: matching(
      /login\s{1,8}[^\s"']{1,128}(?:\s|\\n){1,8}(?:account\s{1,8}\S{1,128}\s{1,8})?password\s{1,8}(?<v>[^\s"'\\]{3,128})/i,
      isActualValue,
    ),
    examples: {
      hits: [
        'machine api.example.com login bob password ⟦Zx81kk9q⟧',
        'machine a.example\n  login bob\n  password ⟦hunter2x9⟧\n',
      ],
      misses: ['after login failed, password reset', 'login bob password <password>'],
    },
  },
  {
    id: 'password_hash',
    kind: 'SECRET',
    hints: [
      '$1$',
      '$2a$',
      '$2b$',
      '$2y$',
      '$5$',
      '$6$',
      '$7$',
      '$y$',
      '$apr1$',
      '$argon2',
      '$scrypt$',
      '$pbkdf2',
    ],
    find: matching(
      /\$(?:2[aby]\$\d\d\$[./A-Za-z0-9]{53}|(?:[1567y]|apr1|argon2(?:id?|d)|scrypt|pbkdf2(?:-sha\d{1,3})?)\$(?:[\w=,.+/-]{1,64}\$){0,4}[\w./+-]{20,200}={0,2})(?![\w/]|\.[\w./])/i,
    ),
    examples: {
      hits: [
        `root:⟦$6$rounds=5000$saltsalt$${fake(86)}⟧:19000:0`,
        `⟦$2y$10$${fake(53)}⟧`,
        `⟦$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$${fake(43)}⟧`,
      ],
      misses: ['costs $6$ and $5$ each', '$1$2$3', '$argon2id$v=19$'],
    },
  },
  {
    id: 'auth_pair',
    kind: 'SECRET',
    hints: [
      'auth=',
      'basicauth',
      'basic_auth',
      'digest_auth',
      '.auth(',
      'wifi.begin(',
      'username_pw_set(',
      'login',
      'authenticate',
      'credentials',
    ],
    find: matching(
      /(?:(?:auth=|basicauth|(?:basic|digest)_auth) {0,2}|\.auth|wifi\.begin|username_pw_set|login|authenticate|credentials)\( {0,2}["'][^"'\n]{1,64}["'], {0,4}["'](?<v>[^"'\n]{3,128})(?=["'])/i,
      (value) => notPlaceholder(value) && !/\s/.test(value) && !isAboutSecrets(value),
    ),
    examples: {
      hits: [
        'get(url, auth=("svc", "⟦hG7!kkx2⟧"))',
        "HTTPBasicAuth('svc', '⟦plainword⟧')",
        'login("bob", "⟦driftwood⟧")',
        "request(app).get('/x').auth('bob', '⟦driftwood⟧')",
        'WiFi.begin("home", "⟦driftwood⟧");',
        'http.basic_auth("bob", "⟦driftwood⟧")',
      ],
      misses: [
        'login("Title", "Please sign in")',
        'auth=("user", "password")',
        'auth=(user, secret)',
        'auth=None',
      ],
    },
  },
  {
    // https://learn.microsoft.com/en-us/sql/connect/jdbc/building-the-connection-url#escaping-values-in-the-connection-url
    id: 'password_in_braces',
    kind: 'SECRET',
    hints: ['password={', 'pwd={'],
    find: onlyWhere(
      (text, at) => /;[^\n]{0,200}$/.test(text.slice(Math.max(0, at - 200), at)),
      matching(/p(?:assword|wd)=\{(?<v>[^}\n]{3,128})(?=\})/i, hasMarkOfSecret),
    ),
    examples: {
      hits: ['jdbc:sqlserver://h;user=sa;password={⟦dr1ft;wood⟧};encrypt=true'],
      misses: [
        'h;user=sa;password={password};x',
        'https://h/x?user=a&password={token1}',
        'Server=h;Pwd={0};',
        'f(password={"a": 1})',
      ],
    },
  },
  {
    id: 'defined_secret',
    kind: 'SECRET',
    hints: ['define ', 'define\\t', '%global '],
    find: matching(
      /(?:define|%global)(?: |\\t){1,4}\w{0,40}?(?:password|passwd|pass|pwd|secret|token|api_?key)\w{0,20}(?:\s|\\t){1,8}\\?["'](?<v>[^\s"'\\]{4,256})(?=\\?["'])/i,
      notPlaceholder,
    ),
    examples: {
      hits: ['#define DB_PASSWORD "⟦n84ASM54y4⟧"'],
      misses: ['#define PASSWORD_LEN 12', '#define TOKEN "${X}"', 'define password policies'],
    },
  },
  {
    id: 'secure_string',
    kind: 'SECRET',
    hints: ['to-securestring '],
    find: matching(
      /to-securestring (?:-(?:string|asplaintext|force) ){0,3}\\?["']?(?<v>[^\s"'\\$-][^\s"'\\]{3,128})/i,
      notPlaceholder,
    ),
    examples: {
      hits: ['ConvertTo-SecureString "⟦P4ss!wd⟧" -AsPlainText -Force'],
      misses: ['ConvertTo-SecureString $env:PW -Force', 'ConvertTo-SecureString -Key x'],
    },
  },
  {
    id: 'ntlm_token',
    kind: 'SECRET',
    hints: ['tlrmtvntuaad'],
    wordStart: true,
    find: matching(/TlRMTVNTUAAD[A-Za-z0-9+/]{40,4000}={0,2}/, (value) => !saysItIsExample(value)),
    examples: {
      hits: [`NTLM ⟦TlRMTVNTUAAD${fake(80)}==⟧`],
      misses: ['TlRMTVNTUAADx'],
    },
  },
  {
    id: 'card_check',
    kind: 'SECRET',
    hints: [
      'cvc',
      'cvv',
      'prüfziffer',
      'kartenprüf',
      'cryptogramme',
      'security code on',
      'digits on the back',
    ],
    wordStart: true,
    find: matching(
      /(?:cv[vc]2?(?: ?\/ ?cv[vc]2?)?(?:[ -](?:code|number|код|kod|nummer))?|prüfziffer|kartenprüfnummer|cryptogramme(?: visuel)?|(?:security code|digits) on (?:the|its|my) back(?: of (?:the|my) card)?)["')]?(?: (?:is|are|ist|est|es|è|é|to|lautet))? {0,2}[:=]? {0,2}["']?(?<v>\d{3,4})(?![\w-]|\.\d)/iu,
    ),
    examples: {
      hits: ['exp 09/27 CVC ⟦123⟧,', 'vence 09/27, cvv ⟦123⟧.', 'Prüfziffer ⟦123⟧'],
      misses: ['cvc check', 'cvv: ***', 'cvc-4021-x', 'cvv 123.4'],
    },
  },
  {
    id: 'basic_credential',
    kind: 'SECRET',
    hints: ['basic '],
    wordStart: true,
    find: matching(/basic {1,3}(?<v>[A-Za-z0-9+/_-]{8,1024}={0,2})(?![\w+/=-])/i, isBasicCredential),
    examples: {
      hits: ['Authorization: Basic ⟦YWRtaW46cHcx⟧'],
      misses: ['basic configuration', 'the basic understanding of it'],
    },
  },
  {
    // RFC 7616: it is computed from the password, which can be guessed from it
    id: 'digest_response',
    kind: 'SECRET',
    hints: ['nse="'],
    find: onlyWhere(
      (text, at) => /digest\b[^]*respo$/i.test(text.slice(Math.max(0, at - 400), at)),
      matching(/nse="(?<v>[a-f0-9]{32,128})(?=")/i),
    ),
    examples: {
      hits: [`Digest username="b", response="⟦${fakeHex(32)}⟧"`],
      misses: [`response="${fakeHex(32)}"`, 'Digest username="b", response="ok"'],
    },
  },
  {
    id: 'rapidapi_key',
    kind: 'SECRET',
    hints: ['msh'],
    find: decidedBy(WITHIN_WORD, findRapidApi),
    examples: {
      hits: ['k ⟦7f3a91c04bmsh7f3a91c04be2d86p17f3a9jsn7f3a91c04be2⟧ x'],
      misses: ['gmsh mesh', 'msh file'],
    },
  },
  {
    // What a file is made of that is called so: `> ~/.vault_pass`
    id: 'written_secret',
    kind: 'SECRET',
    hints: ['echo ', 'printf '],
    wordStart: true,
    find: matching(
      /(?:echo|printf)(?: -[en]{1,2})? \\?["']?(?<v>[^\s"'|$<>\\`]{6,256})(?=\\?["']? ?>{1,2} ?["']?[\w~./-]{0,80}?(?:passw|_pass|\/pass|\.pass|secret|token|api[_-]?key|credential)[\w.-]{0,24}["']?(?:\s|;|&|$))/i,
      (value) => hasMarkOfSecret(value) && isRandom(value) && !isAboutSecrets(value),
    ),
    examples: {
      hits: ["echo '⟦dr1ftwoodQ7⟧' > ~/.vault_pass && ls", 'printf ⟦dr1ftwoodQ7⟧ > /run/secrets/token'],
      misses: ['echo password2 > notes.txt', 'echo $PW > ~/.vault_pass', 'echo done > token.log-is-written'],
    },
  },
  {
    id: 'encoded_secret',
    kind: 'SECRET',
    hints: ['echo '],
    find: matching(/echo (?:-n )?["']?(?<v>[A-Za-z0-9+/]{8,2048}={0,2})(?=["']? ?\| ?(?:base64|openssl))/),
    examples: {
      hits: ['echo ⟦aHVudGVyMmh1bnRlcjI=⟧ | base64 -d'],
      misses: ['echo hello world'],
    },
  },
];
