import { textBefore, wordsBefore } from '../characters.ts';
import { fitsAt, matchAt } from '../match-at.ts';
import { decidedBy, fake, listOf, matching, onlyWhere } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { isActualValue, isKeyMaterial, isMachineMade } from './secret-value.ts';
import { isTechnical } from './technical-words.ts';

/** Secrets by their place among the arguments of calls that log in, hash, sign, encrypt or keep something. */

const TEXT = String.raw`(?:b|@|N)?(?:"[^"\r\n]{0,200}"|'[^'\r\n]{0,200}')`;
/** A text, perhaps in a constructor, or an expression. */
const ARGUMENT = String.raw`\s{0,8}(?:(?:(?:[\w:.]{1,32}|\[\]byte)\()?${TEXT}\)?(?:\.[\w.]{1,24}\(\)|\.[\w.]{1,24}\((?:"[\w-]{1,12}")?\))?|[^\s"'(),;{}]{1,80}(?:\([^()"'\r\n]{0,60}\))?)\s{0,8}`;
const MAX_ARGUMENTS = 6;
const ARGUMENTS = new RegExp(`${ARGUMENT}(?:,${ARGUMENT}){0,${MAX_ARGUMENTS - 1}}`, 'y');
const NEXT_ARGUMENT = new RegExp(ARGUMENT, 'y');
const NAME = /[\w$.:>-]{0,48}\(/y;
const OPEN_CALL = new RegExp(
  String.raw`[\w$.:>-]{0,48}\(?(?:${ARGUMENT}(?:,${ARGUMENT}){0,${MAX_ARGUMENTS - 1}})?[,)]?`,
);
const IN_QUOTES = /^\s{0,8}(?:(?:[\w:.]{1,32}|\[\]byte)\()?(?:b|@|N)?(["'])/;
const LOOKED_BACK = 64;

/** Which argument is the password: counted from 1; the last of several that there are. */
const PLACES: readonly (readonly [RegExp, readonly number[]])[] = [
  // Of Redis and its kin
  [
    /(?:^|[^\w])\$?(?:red|redis|jedis|rdb|r|rc|kv|cache|client|conn|connection|pool)\w{0,8}(?:\.|:|->)auth$/i,
    [1],
  ],
  // Of a user and a password
  [
    /(?:^|[^A-Za-z_])(?:log_?in|sign_?in|logon|authenticate|basic_?auth|with_?credentials|username_pw_set)$/i,
    [2],
  ],
  [/(?:auth\w{0,16}\(?\)?(?:\.preemptive\(\))?|credentials)\.basic$|(?:^|[^\w])\.auth$/i, [2]],
  [/(?:signIn|createUser|logIn)With(?:Email|Username)AndPassword$/, [2, 3]],
  [/(?:^|[^\w])(?:oci_p?connect|cx_oracle\.connect|oracledb\.connect|getConnection)$/i, [2]],
  [/(?:wi_?fi|wlan|sta|sta_if|radio|multi)\w{0,8}(?:\.|->)(?:begin|connect|softAP|addAP|join)$/i, [2]],
  // Behind what it is for
  [/(?:^|[^\w.])(?:database|odbcConnect|db2_p?connect|login_?as|Sequelize)$/i, [3]],
  [/(?:keyring|keytar|keychain)\.set_?password$/i, [3]],
  [/\.create_(?:super)?user$/i, [3]],
  [/ClientSecretCredential$/, [3]],
  [/(?:^|[^\w])(?:ssh|sftp|ftp|mqtt|client|conn|connection|session|db)\w{0,8}(?:\.|->)connect$/i, [3, 4]],
  [/(?:^|[^\w])ftp(?:_tls)?(?:\.(?:open|new))?$/i, [3]],
  [/(?:^|[^\w])mysql_real_connect$/, [4]],
  // Of what is made from it
  [
    /(?:^|[^\w])(?:bcrypt|argon2|scrypt|BCrypt|\w{0,12}(?:hasher|encoder|pwd_context)(?:\(\))?)(?:\.|::)(?:hash\w{0,8}|encode)$/i,
    [1],
  ],
  [/(?:^|[^\w])(?:password_(?:hash|verify)|generate_password_hash|make_password|Hash::make)$/i, [1]],
  [/(?:^|[^\w])(?:check_password_hash)$/i, [2]],
  [/(?:change|reset|set|update)_?user_?password$/i, [2]],
  // Keys that people choose
  [/(?:pgp_sym|aes|des)_(?:en|de)crypt$/i, [2]],
  [/(?:^|\W)new Secret$/, [1]],
  [/CryptoJS\.\w{2,9}\.(?:en|de)crypt$/, [2]],
  [/CryptoJS\.Hmac\w{2,8}$/i, [2]],
  [
    /(?:SecretKeySpec|Algorithm\.HMAC\d{3}|SymmetricSecurityKey|cookieParser|(?:AES|DES3?|ARC4|Blowfish)\.new|Fernet)$/,
    [1],
  ],
  [/(?:^|[^\w])hmac\.new$/, [1, 2]],
  [/(?:^|[^\w])hmac\.New$/, [2]],
  [/HMAC\.(?:hex)?digest$/, [2]],
  [/\.signWith$/, [2]],
  // Of documents and archives
  [
    /(?:^|[^\w])(?:pdf|reader|writer|doc|document|zf|zip|archive|workbook)\w{0,12}\.(?:(?:en|de)crypt|set_?password)$/i,
    [1],
  ],
  [/key_?store\w{0,8}\.load$/i, [2]],
];

/** Whose passwords are phrases; words elsewhere are titles. */
const IS_WIRELESS = /wi_?fi|wlan|sta_if|softAP|addAP/i;

/** What is no password wherever it stands: an address, a path, a name of a machine, a date, an expression. */
const OTHER =
  /^(?:[a-z][a-z\d+.-]{1,20}:\/\/|[/~.]|\d{1,5}$|[\w-]+\.(?:com|org|net|io|lan|local|internal)$)|@[\w-]+\.\w|[<>{}]|anonymous/i;

function isPasswordArgument(value: string): boolean {
  return value.length >= 3 && isActualValue(value) && !isTechnical(value) && !OTHER.test(value);
}

/** The text of the argument with this number. */
function textOf(text: string, from: number, number: number): Span | undefined {
  let start = from;
  for (let i = 1; ; i++) {
    const argument = matchAt(NEXT_ARGUMENT, text, start)?.[0];
    if (argument === undefined) return undefined;
    if (i === number) {
      const open = IN_QUOTES.exec(argument);
      if (!open) return undefined;
      const value = start + open[0].length;
      const end = text.indexOf(open[1] ?? '"', value);
      return end <= start + argument.length && end > value ? { start: value, end } : undefined;
    }
    start += argument.length;
    if (text.charAt(start) !== ',') return undefined;
    start++;
  }
}

function findArgument(text: string, at: number): Span | undefined {
  const head = matchAt(NAME, text, at)?.[0];
  if (head === undefined) return undefined;
  const from = at + head.length;
  const call = wordsBefore(text, from - 1, LOOKED_BACK + head.length - 1);
  const places = PLACES.find(([name]) => name.test(call))?.[1];
  if (!places) return undefined;
  if (!fitsAt(ARGUMENTS, text, from)) return undefined;
  for (const place of places.toReversed()) {
    const span = textOf(text, from, place);
    if (!span) continue;
    const value = text.slice(span.start, span.end);
    return isPasswordArgument(value) && (!/\s/.test(value) || IS_WIRELESS.test(call)) ? span : undefined;
  }
  return undefined;
}

/** Names of keys of tables and of parts of a text, which a selector takes as well. */
const NO_KEY = /(?:for|object|value|sort|cache|primary|foreign|map|public|partition)_?$/i;

const KEPT_NAME = String.raw`["'][\w.-]{0,40}(?:passw(?:or)?d|passphrase|secret|token|api_?key|pin)["']`;

export const LOGIN_CALL_RULES: readonly Rule[] = [
  {
    // https://redis.io/docs/latest/commands/auth, https://docs.python.org/3/library/smtplib.html,
    // https://www.mathworks.com/help/database/ug/database.html, https://sequelize.org/docs/v6/getting-started,
    // https://pypi.org/project/bcrypt, https://www.rfc-editor.org/rfc/rfc2104, https://docs.arduino.cc/libraries/wifi
    id: 'argument_of_login',
    kind: 'SECRET',
    hints: listOf(
      'auth(|login(|log_in(|signin(|sign_in(|logon(|authenticate(|credentials(|username_pw_set(|.basic(',
      'andpassword(|oci_connect(|oci_pconnect(|.connect(|ftp.open(|ftp.new(|ftp(|ftp_tls(|getconnection(',
      '>connect(|.begin(|softap(|addap(|.join(|database(|odbcconnect(|db2_connect(|db2_pconnect(|loginas(',
      'login_as(|sequelize(|set_password(|setpassword(|create_user(|create_superuser(',
      'clientsecretcredential(|mysql_real_connect(|.hash|::make(|.encode(|password_hash(|password_verify(',
      'make_password(|check_password_hash(|.encrypt(|.decrypt(|cryptojs.hmac|secretkeyspec(|.hmac256(',
      '.hmac384(|.hmac512(|symmetricsecuritykey(|secret(|userpassword(|user_password(|pgp_sym_',
      'aes_encrypt(|aes_decrypt(|cookieparser(|aes.new(|des.new(|des3.new(|arc4.new(|blowfish.new(|fernet(',
      'hmac.new(|hmac.hexdigest(|hmac.digest(|.signwith(|.load(',
    ),
    find: decidedBy(OPEN_CALL, findArgument),
    examples: {
      hits: [
        'local ok, err = red:auth("⟦driftwood⟧")',
        "conn = database('lab','bob','⟦driftwood⟧','Vendor','MySQL')",
        'smtp.login("bob@example.com", "⟦driftwood⟧")',
        'request.basic_auth("bob", Some("⟦driftwood⟧"))',
        'given().auth().preemptive().basic("bob", "⟦driftwood⟧")',
        'signInWithEmailAndPassword(auth, "bob@example.com", "⟦driftwood⟧")',
        "new Sequelize('shop', 'bob', '⟦driftwood⟧', { host: 'h' })",
        'mysql_real_connect(c, "h", "bob", "⟦driftwood⟧", "db", 0, NULL, 0)',
        'client.connect("id", "bob", "⟦driftwood⟧")',
        'wlan.connect("Home", "⟦drift wood⟧")',
        'keyring.set_password("svc", "bob", "⟦driftwood⟧")',
        'bcrypt.hashpw(b"⟦driftwood⟧", bcrypt.gensalt())',
        'CryptoJS.AES.encrypt(data, "⟦driftwood⟧")',
        'new SecretKeySpec("⟦driftwood1234567⟧".getBytes(), "AES")',
        'hmac.New(sha256.New, []byte("⟦driftwood⟧"))',
        'keyStore.load(in, "⟦driftwood⟧".toCharArray())',
      ],
      misses: [
        'smtp.login(user, password)',
        'login("bob", "password")',
        'app.auth("driftwood")',
        'client.connect("localhost", 5432, "db.example.com")',
        'client.auth("bearer")',
        'path.join("a", "driftwood")',
        'auth.parse_www_authenticate(response, "www-authenticate")',
        "ftp.login('anonymous', '-anonymous@')",
        'text.encode("driftwood")',
        'crypto.hash("driftwood")',
        'json.load(f, "driftwood")',
        'page.login("bob", "https://h/login")',
      ],
    },
  },
  {
    // Selectors of Objective-C and labels of Swift
    id: 'key_of_selector',
    kind: 'SECRET',
    hints: ['key:@"', 'token:@"', 'secret:@"', 'session:@"', 'key:"', 'key: "', 'idekey("'],
    find: onlyWhere(
      (text, at) => !NO_KEY.test(textBefore(text, at, 12)),
      matching(
        /(?:(?:key|token|secret|session): ?@"|(?<=[a-z])key: ?"|idekey\(")(?<v>[\w+/=.-]{16,256})(?=")/i,
        (value) => isKeyMaterial(value) || isMachineMade(value),
      ),
    ),
    examples: {
      hits: [
        `[[Client shared] startWithConsumerKey:@"⟦${fake(25)}⟧"`,
        `GMSServices.provideKey("⟦${fake(25)}⟧")`,
      ],
      misses: [`[d objectForKey:@"${fake(25)}"]`, '[x startWithKey:@"some-name-of-a-thing"]'],
    },
  },
  {
    // https://developer.apple.com/documentation/foundation/userdefaults: what is kept stands before its name
    id: 'kept_secret',
    kind: 'SECRET',
    hints: ['.set("', ".set('", '.save("', '.store("', 'setobject:@"', '.add("'],
    find: matching(
      new RegExp(
        String.raw`(?:\.(?:set|save|store|add)\(|setobject:@)["'](?<v>[^\s"'\\]{4,256})(?=["'](?:, ?(?:for_?key|key|for|as|with_?key|name): ?@?| forkey:@?)(?:${KEPT_NAME}|k\w{0,24}pass))`,
        'i',
      ),
      (value) => isActualValue(value) && !isTechnical(value),
    ),
    examples: {
      hits: [
        'keychain.set("⟦driftwood⟧", forKey: "password")',
        '[keychain setObject:@"⟦driftwood⟧" forKey:@"api_token"]',
      ],
      misses: ['keychain.set("driftwood", forKey: "zone")', 'store.set("password", forKey: "secret")'],
    },
  },
  {
    // https://learn.microsoft.com/en-us/office/vba/api/excel.worksheet.protect
    id: 'protected_sheet',
    kind: 'SECRET',
    hints: ['protect "', 'protect("'],
    find: onlyWhere(
      (text, at) => /\.(?:un)?$/i.test(textBefore(text, at, 3)),
      matching(/protect[ (]"(?<v>[^"\r\n]{3,128})(?=")/i, isActualValue),
    ),
    examples: {
      hits: ['Sheet1.Unprotect "⟦driftwood⟧"'],
      misses: ['to protect "driftwood"', 'Sheet1.Protect "password"'],
    },
  },
];
