import { isTextAboutSecrets } from '../about-secrets.ts';
import { endsEscape, isAlnum, wordsBefore } from '../characters.ts';
import { listOf, matching, onlyWhere } from '../rule.ts';
import type { Find, Rule } from '../rule.ts';
import { isCode, isPlaceholder } from '../validators.ts';
import { isAboutSecrets, isPlainWord } from './plain-words.ts';
import { hasMarkOfSecret, isActualValue, notPlaceholder, trimEnd } from './secret-value.ts';

/** `-u user:password`, of curl and its kin, or `-a`. `at` is the dash. Numbers are those of a user and a group. */
const findUserFlag = matching(
  /-(?:[au]|-user|-auth|-proxy-user|-(?:src-|dest-)?creds)[ =]{0,4}["']?(?!(?<name>[a-z][\w-]{0,32}):\k<name>(?![^\s"']))[\w.@+-]{1,64}:(?![^\s"']{0,16}\/\/)(?<v>[^\s"'\\]{3,256})/,
  (value) =>
    notPlaceholder(value) && !/^(?:\d{1,5}|pass|passwd|pw|pwd|api_?token|x-oauth-basic|unused)$/i.test(value),
);

const isFlagStart = (text: string, at: number): boolean =>
  at === 0 || !isAlnum(text.charCodeAt(at - 1)) || endsEscape(text, at);

/** The long flag is also one of containers, where a group follows. */
function isOfClient(text: string, at: number): boolean {
  return /\b(?:curl|wget|https?|xh|siege|etcdctl)\b[^|;]{0,300}$/i.test(wordsBefore(text, at, 320));
}

function isOfUser(text: string, at: number): boolean {
  const flag = text.charAt(at + 1);
  if (/^--(?:src-|dest-)?creds/.test(text.slice(at, at + 12))) return true;
  return flag === 'u' || (flag === 'a' ? isAuthFlag(text, at) : isOfClient(text, at));
}

/** Of HTTPie and its kin `-a` is what `-u` is of others. */
function isAuthFlag(text: string, at: number): boolean {
  const before = wordsBefore(text, at, 320);
  // A search for a literal is many times as fast as a pattern that looks at each character.
  if (!before.includes('http') && !before.includes('xh')) return false;
  return /(?<![\w.:/@\\-])(?:https?|xhs?) [^|;\n]{0,300}$/.test(before);
}

/** Without the end of a sentence or of code that it stands in. */
function withoutTail(value: string): string {
  return value.replace(/[.:!?,)\]}\x60…。，]{1,3}$/, '');
}

/** What is given to a flag for secrets, and is no word of a sentence about the flag. */
function isFlagWord(value: string): boolean {
  const word = withoutTail(value);
  return (
    word.length >= 4 &&
    isPlainWord(word) &&
    !isPlaceholder(word) &&
    !isAboutSecrets(word, 'password:') &&
    !isCode(word)
  );
}

/** Neither an expression nor a text about what the flag is for. */
function isPhraseOfFlag(value: string): boolean {
  return (
    notPlaceholder(value) &&
    !isTextAboutSecrets(value) &&
    !/^[$({]|(?:^| )(?:the|your|pass(?:word|phrase)?|secret|to|of|for|from|must)(?: |$)/i.test(value)
  );
}

/** A flag begins a word with one dash or two, and may have words in front: `--db-password`. `at` is its last dash but one. */
function ownFlag(find: Find): Find {
  const isOwn = (text: string, at: number): boolean => {
    const before = text.slice(Math.max(0, at - 40), at);
    return OWN.test(before) && !DOES_SOMETHING.test(before);
  };
  return onlyWhere(isOwn, trimEnd(find));
}

/** Such a flag takes a name, or nothing. */
const DOES_SOMETHING =
  /-(?:change|create|delete|describe|export|fetch|generate|import|list|no|print|remove|revoke|rotate|show|verify)$/i;
const OWN = /(?:^|[^\w-])(?:-|--?[a-z\d]{1,16}(?:-[a-z\d]{1,16}){0,2})?$/i;

/** Secrets that are given to a flag of a command. */
export const FLAG_RULES: readonly Rule[] = [
  {
    id: 'cookie_flag',
    kind: 'SECRET',
    hints: ['-b "', "-b '", '--cookie '],
    find: matching(
      /(?:-b|--cookie) ["']?(?!(?:cn|dc|o|ou|uid)=)[\w.-]{1,64}=(?<v>[^\s"';\\]{8,1024})/,
      notPlaceholder,
    ),
    examples: {
      hits: ['curl -b "PHPSESSID=⟦a2BWkMwCAz61J⟧" https://x'],
      misses: ['git checkout -b "name"', 'ldapsearch -b "dc=example,dc=org" uid=bob'],
    },
  },
  {
    id: 'user_flag',
    kind: 'SECRET',
    hints: [
      '-u ',
      '-a ',
      '--user ',
      '--user=',
      '--auth ',
      '--auth=',
      '--proxy-user ',
      '--creds',
      '--src-creds',
      '--dest-creds',
    ],
    find: onlyWhere((text, at) => isFlagStart(text, at) && isOfUser(text, at), findUserFlag),
    examples: {
      hits: [
        'curl -u admin:⟦pw77⟧ https://x',
        'curl --user bob:⟦driftwood⟧ https://x',
        'http -a bob:⟦driftwood⟧ GET h',
        'http --auth bob:⟦driftwood⟧ GET h',
        'skopeo copy --src-creds bob:⟦driftwood⟧ docker://a docker://b',
      ],
      misses: [
        'sort -u file',
        'ls -a bob:driftwood',
        'docker run -u root:${GROUP} x',
        'docker run --user 1000:1000 x',
        'run --user node:node',
        'chown --user root:wheel file',
      ],
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
      '-storepass',
      '-keypass',
      '-srcstorepass',
      '-deststorepass',
      '-srckeypass',
      '-destkeypass',
    ],
    find: ownFlag(
      matching(
        /-(?:[a-z]{2,12}-){0,2}(?:password|passphrase|passwd|(?:src|dest)?(?:store|key)?pass|(?:secret|token|key)(?![= ]{1,3}\d{1,16}(?:\s|$)))(?:[= ]{1,3}|\\{0,4}["'],? {0,4}\\{0,4}["'])\\{0,4}["']?(?!-|[a-z]{2,12}s (?:from|to) )(?<v>(?<=["'])[^\s"'\\]{4,256}(?=\\{0,4}["'])|[^\s"'<>|;&\\，。]{4,256})/i,
        (value) => hasMarkOfSecret(value) || isFlagWord(value) || /^\d{4,64}$/.test(withoutTail(value)),
      ),
    ),
    examples: {
      hits: [
        'login --password ⟦Tr0ub4dor⟧ user',
        'connect -password "⟦Prl23Db#@⟧"',
        'serve --db-password ⟦driftwood⟧',
        'serve --db-password ⟦482916⟧',
        'keytool -list -storepass ⟦driftwood⟧ -v',
      ],
      misses: [
        'run --password-stdin',
        '--token <token>',
        '--pass-through yes',
        'the one-password 4you',
        'run --stop-token 50256',
      ],
    },
  },
  {
    // What a shell takes for one value, of several words
    id: 'phrase_flag',
    kind: 'SECRET',
    hints: ['-pass', '-secret', '-storepass', '-keypass', '-admin-pass', '-psk'],
    find: ownFlag(
      matching(
        /-(?:[a-z]{2,12}-){0,2}(?:password|passphrase|passwd|(?:store|key)?pass|secret|psk)(?: {1,3}|=)\\?["'](?<v>[^\s"'\\]{1,64}(?: [^\s"'\\]{1,64}){1,12})(?=\\?["'])/i,
        isPhraseOfFlag,
      ),
    ),
    examples: {
      hits: [
        'gpg --batch --passphrase "⟦drift wood⟧" -d x',
        "tool --password='⟦Drift wood 9⟧'",
        'keytool -genkey -storepass "⟦drift wood⟧"',
      ],
      misses: [
        'tool --password "your password"',
        'tool --password "$(cat file)"',
        'option("--password", "Password for the user")',
        'tool --password="must have 8 characters"',
      ],
    },
  },
  {
    // As programs of Windows are told
    id: 'slash_flag',
    kind: 'SECRET',
    hints: [' /pass:', ' /password:', ' /pwd:', ' -p:'],
    find: onlyWhere(
      (text, at) =>
        text.charAt(at + 1) === '/' || / -u:[\w.@\\-]{1,64}$/.test(text.slice(Math.max(0, at - 72), at)),
      matching(
        / (?:\/(?:pass(?:word)?|pwd)|-p):["']?(?<v>(?<=["'])[^"'\r\n%$]{3,128}(?=["'])|[^\s"'%$<*][^\s"'<>|&]{2,127})/i,
        isActualValue,
      ),
    ),
    examples: {
      hits: [
        'wmic /node:h /user:bob /password:⟦driftwood⟧ os get name',
        'cmdkey /add:h /user:bob /pass:⟦driftwood⟧',
        'winrs -r:h -u:bob -p:⟦driftwood⟧ dir',
      ],
      misses: ['runas /password:*', 'tool /pass:%PW%', 'tool -p:80', 'see /password: the page'],
    },
  },
  {
    id: 'command_password',
    kind: 'SECRET',
    hints: listOf(
      'zip -|unzip -|rar |unrar |openssl passwd |mkpasswd |hash-password |samba-tool |set-user-password ',
      'dsmod |7z |7za |openssl enc |htpasswd -|chpasswd <<|smbclient |rpcclient |smbget |winexe |net ads ',
      'net rpc |lftp |rclone |set_network |-setairportnetwork |isql |+login |signtool |input_pw |user_pw ',
      'owner_pw |net use |rdesktop |xfreerdp |az login |requirepass |masterauth |wpa_passphrase ',
      'rabbitmqctl |reset-admin-password |schtasks |wifi connect |setx |env ',
    ),
    wordStart: true,
    // What each of these commands takes for a password, by its manual; of Docker and Windows, what sets a variable.
    find: matching(
      new RegExp(
        String.raw`(?:${[
          '(?:un)?zip (?:-[a-zA-OQ-Z]\\w{0,3} ){0,4}-P ',
          '(?:un)?rar \\w{1,2} (?:[^\\n|;&]{0,80} )?-h?p',
          '(?:openssl passwd|mkpasswd) (?:(?:-salt|-S|-m|-R) \\S{1,24} |--?[\\w=-]{1,24} ){0,4}(?!-)',
          'hash-password [^\\n|;&]{0,80}?--plaintext ',
          'samba-tool user (?:create|add) [\\w.@-]{1,64} (?!-)',
          'set-user-password \\S{1,64} \\S{1,64} ',
          'dsmod user [^\\n|;&]{1,160}? -pwd ',
          '7za? (?:[^\\n|;&]{0,120} )?-p',
          'openssl enc [^\\n|;&]{0,160}? ?-k ',
          'htpasswd (?=(?:-\\w{1,6} ){0,3}-\\w{0,5}b)(?:(?=(?:-\\w{1,6} ){0,3}-\\w{0,5}n)|(?:-\\w{1,6} ){1,4}[^-\\s|;&][^\\s|;&]{0,128} )(?:-\\w{1,6} ){0,4}[^-\\s|;&][^\\s|;&]{0,64} ',
          'chpasswd <<<? ?["\']?[\\w.-]{1,64}:',
          '(?:smbclient|rpcclient|smbget|winexe|net (?:ads|rpc)) [^\\n|;&]{0,160}?-U ?["\']?[\\w.\\\\-]{1,64}%',
          'smbclient //[\\w./$-]{1,120} (?!-)',
          'lftp [^\\n|;&]{0,160}?-u ?[\\w.@-]{1,64},',
          'rclone (?:obscure |config (?:create|update) [^\\n|;&]{0,160}? pass(?:word)? )',
          'set_network \\d{1,3} (?:psk|password) \\\\?["\']?',
          '-setairportnetwork \\w{1,8} \\S{1,64} ',
          'isql (?:-\\w{1,4} ){0,3}[\\w.-]{1,64} [\\w.-]{1,64} (?!-)',
          '\\+login [\\w.@-]{1,64} ',
          'signtool sign [^\\n|;&]{0,160}?/p ',
          '(?:input|user|owner)_pw ',
          'net use [\\w*]{1,2}: [^\\s]{3,128} (?!/)(?=[^\\n]{3,80}/user)',
          '(?:rdesktop|xfreerdp|az login) [^\\n|;&]{0,160}?(?:-p |/p:)',
          'net use [^\\n]{1,160}?/user:[^\\s]{1,80} (?!/)',
          '(?:requirepass|masterauth) ',
          'rabbitmqctl (?:add_user|change_password) [^\\s|;&]{1,64} ',
          'reset-admin-password ',
          'schtasks [^\\n|;&]{0,200}?/rp ',
          'wpa_passphrase [^\\s]{1,32} ',
          'wifi connect [^\\n|;&]{1,64}? password ',
          '(?:setx(?: /[mM])?|ENV) [A-Z\\d_]{0,40}(?:_PAT|PASSWORD|PASSWD|PWD|SECRET|TOKEN|(?:API|ACCESS|AUTH|ENCRYPTION|MASTER|PRIVATE|SECRET|SIGNING)_?KEY)(?:_BASE)? {1,4}',
        ].join(
          '|',
        )})["']?(?<v>(?<=["'])[^"'\r\n$](?:[^"'\r\n$]|\$(?![{(])){2,255}(?=["'])|[^\s"'|;&<>$](?:[^\s"'|;&<>$]|\$(?![{(])){2,255})`,
      ),
      (value) => isActualValue(value) && !/^[.~]{0,2}\//.test(value),
    ),
    examples: {
      hits: [
        'zip -P ⟦driftwood⟧ out.zip a',
        'zip -P ⟦4f$Kd9!x⟧ out.zip a',
        '7z a out.7z -p⟦driftwood⟧ x',
        'openssl enc -aes-256-cbc -k ⟦driftwood⟧ -in x',
        'htpasswd -b users bob ⟦driftwood⟧',
        'htpasswd -b -c users bob ⟦driftwood⟧',
        'htpasswd -nbB bob ⟦driftwood⟧',
        '7z x a.7z -p"⟦drift wood⟧"',
        'rpcclient -U bob%⟦driftwood⟧ h',
        'lftp -u bob,⟦driftwood⟧ h',
        'rclone obscure ⟦driftwood⟧',
        'zip -e -P ⟦driftwood⟧ a.zip b',
        'openssl passwd -1 -salt xy ⟦driftwood⟧',
        'samba-tool user create bob ⟦driftwood⟧',
        'pdftk a.pdf input_pw ⟦driftwood⟧ output b.pdf',
        'steamcmd +login bob ⟦driftwood⟧',
        'chpasswd <<< "bob:⟦driftwood⟧"',
        'smbclient //h/s -U bob%⟦driftwood⟧',
        String.raw`net use z: \\srv\share ⟦driftwood⟧ /user:bob`,
        'az login -u bob -p ⟦driftwood⟧',
        'requirepass ⟦driftwood⟧',
        'ENV DB_PASSWORD ⟦driftwood⟧',
        'ENV SECRET_KEY_BASE ⟦driftwood⟧',
        String.raw`net use z: \\srv\share /user:corp\bob ⟦driftwood⟧`,
        'rabbitmqctl add_user ops ⟦driftwood⟧',
        'grafana-cli admin reset-admin-password ⟦driftwood⟧',
        'schtasks /create /ru bob /rp ⟦driftwood⟧ /tn x',
        'wpa_passphrase home ⟦driftwood⟧',
        'nmcli dev wifi connect home password ⟦driftwood⟧',
        'nmcli dev wifi connect home password ⟦driftwood⟧ of the password list',
        'setx API_KEY ⟦driftwood⟧',
      ],
      misses: [
        'zip -r out.zip a',
        'the env PASSWORD is read',
        'ENV DB_PASSWORD $PW',
        'requirepass is not set',
        'htpasswd -c users bob',
        'rclone config create r sftp host h',
        'smbclient //h/s -L h',
        'net use z: /delete',
        'ENV KEY_FILE /etc/ssl/k.pem',
      ],
    },
  },
  {
    id: 'short_password_flag',
    kind: 'SECRET',
    hints: [
      'sshpass ',
      'mysql ',
      'mysqldump ',
      'mysqladmin ',
      'mysqlshow ',
      'mysqlcheck ',
      'mysqlimport ',
      'docker login',
      'twine upload',
      'redis-cli ',
    ],
    find: matching(
      /(?:(?:sshpass|docker login|twine upload|redis-cli) (?:[^\n|;&]{0,160}? )??-[pa] ?|mysql(?:dump|admin|show|check|import)? (?:[^\n|;&]{0,160}? )??-p(?!assw(?:or)?d\b)(?: (?=["']?(?:[\w.-]{0,64}[!@#%^*?]|(?=[^\sa-z]{0,64}[a-z])(?=[^\sA-Z]{0,64}[A-Z])[^\s\d]{1,64}\d)))?)["']?(?<v>(?<=["'])[^\s"'\\-][^"'\\\r\n]{3,256}(?=["'])|[^\s"'|;&\\-][^\s"'|;&\\]{3,256})/,
      notPlaceholder,
    ),
    examples: {
      hits: [
        'sshpass -p ⟦Zx81kk9⟧ ssh host',
        "sshpass -p '⟦Zx8&1;kk9⟧' ssh host",
        // Of two flags the first is that of sshpass.
        "sshpass -p '⟦Zx81kk9⟧' ssh host tool -p 8080:80x",
        'mysql -u root -p⟦S3cr3tX⟧ db',
        'mysql -p ⟦S3cr3tX⟧ -u root',
      ],
      // Of MySQL a password is glued to its flag: what comes behind a blank is a database, if it is called like one.
      misses: [
        'mysql -u root -p',
        'mysql -u root -p shop',
        'mysql -p shop_2024',
        'mysql -h db -password',
        'the mysql server',
      ],
    },
  },
];
