import { textBefore } from '../characters.ts';
import { fake, matching, onlyWhere } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { isPlaceholder } from '../validators.ts';
import { isAboutSecrets } from './plain-words.ts';
import { isActualValue } from './secret-value.ts';

/** Secrets in lines of protocols and in what tools print, by the grammar of each. */

const SECRET_NAME = String.raw`(?:[\w.-]{0,40}[._-])?(?:passw(?:or)?d|passphrase|pwd|secret|(?:api|access|auth)[._-]?(?:key|token))`;
/** An element that holds the name of a secret. */
const SECRET_ELEMENT = new RegExp(`<(?:name|key)>${SECRET_NAME}$`, 'i');
/** The members of an object that is called a secret. */
const IN_SECRET_MEMBER = new RegExp(String.raw`"${SECRET_NAME}": ?\{[^{}]{0,120}$`, 'i');
/** What prints a new password or key into the next line. */
const GENERATOR = String.raw`(?:pwgen|openssl rand|makepasswd|apg|xkcdpass|diceware|mkpasswd|gpg --gen-random|(?:cat|head [^\n|]{0,40}|tr [^\n|<]{0,60}<) ?\/dev\/u?random)[^\r\n]{0,120}`;

export const PROTOCOL_RULES: readonly Rule[] = [
  {
    // https://github.com/zxing/zxing/wiki/Barcode-Contents#wi-fi-network-config-android-ios-11
    id: 'wifi_code',
    kind: 'SECRET',
    hints: ['wifi:'],
    wordStart: true,
    find: matching(
      /WIFI:(?:[TSHRE]\d?:(?:\\.|[^;\\\n]){0,64};){1,4}P:(?<v>(?:\\[^\n]|[^;\\\n]){3,128})(?=;|$)/,
      isActualValue,
    ),
    examples: {
      hits: ['WIFI:T:WPA;S:Home;P:⟦drift wood⟧;;'],
      misses: ['WIFI:T:nopass;S:Home;;', 'wifi: S:Home', 'WIFI:S:Home;P:${PW};;'],
    },
  },
  {
    // RFC 4954, RFC 5034
    id: 'coded_login',
    kind: 'SECRET',
    hints: ['auth plain ', 'auth login '],
    wordStart: true,
    find: matching(
      /AUTH (?:PLAIN|LOGIN) (?<v>[A-Za-z0-9+/]{6,512}={0,2})(?![\w+/=-]|\.\w)/,
      (value) => /[a-z]/.test(value) && /[A-Z]\w*[A-Z\d]/.test(value),
    ),
    examples: {
      hits: ['C: AUTH PLAIN ⟦AGJvYgBkcmlmdHdvb2Q=⟧'],
      misses: ['250-AUTH PLAIN LOGIN', 'AUTH PLAIN mechanism'],
    },
  },
  {
    // RFC 9051: a tag, then the user and the password
    id: 'imap_login',
    kind: 'SECRET',
    hints: ['login '],
    wordStart: true,
    find: onlyWhere(
      (text, at) => /(?:^|\n|[>:] )[A-Za-z]{0,4}\d{1,6} $/.test(textBefore(text, at, 16)),
      matching(
        /LOGIN (?:"[^"\n]{1,64}"|[^\s"]{1,64}) "?(?<v>(?<=")[^"\n]{3,128}(?=")|(?<!")[^\s"{}]{3,128}(?=\s|$))/,
        isActualValue,
      ),
    ),
    examples: {
      hits: ['C: a1 LOGIN "bob" "⟦drift wood⟧"'],
      misses: ['OK LOGIN completed successfully now', 'C: a1 LOGIN bob {10}'],
    },
  },
  {
    // RFC 959, RFC 1939
    id: 'pass_command',
    kind: 'SECRET',
    hints: ['pass '],
    wordStart: true,
    find: onlyWhere(
      (text, at) => /(?:^|\n|[>:] ?)USER \S{1,64}\s[^]{0,160}(?:\n|[>:] ?)$/.test(textBefore(text, at, 240)),
      matching(/PASS (?<v>[^\s"']{3,128})(?![^\s"'])/, isActualValue),
    ),
    examples: {
      hits: ['\nUSER bob\n331 Password required\nPASS ⟦driftwood⟧\n'],
      misses: ['PASS src/auth.test.ts', 'USER bob\nPASS <password>'],
    },
  },
  {
    id: 'identify_command',
    kind: 'SECRET',
    hints: ['identify '],
    find: onlyWhere(
      (text, at) => /nickserv\s{1,3}:?$/i.test(textBefore(text, at, 16)),
      matching(/identify (?:[^\s]{1,32} )?(?<v>[^\s<]{3,128})(?=\s{0,8}(?:\n|$))/i, isActualValue),
    ),
    examples: {
      hits: ['/msg NickServ IDENTIFY bob ⟦driftwood⟧\n'],
      misses: ['/msg NickServ IDENTIFY <password>', 'identify the user'],
    },
  },
  {
    // http://xmlrpc.com/spec.md, https://keepass.info/help/base/importexport.html
    id: 'value_element',
    kind: 'SECRET',
    hints: ['</name>', '</key>'],
    find: onlyWhere(
      (text, at) => SECRET_ELEMENT.test(textBefore(text, at, 64)),
      matching(
        /<\/(?:name|key)>\s{0,40}<value(?: [^<>\n]{0,60})?>\s{0,16}(?:<string>)?(?<v>[^<>{}\r\n]{3,256})(?=<|$)/i,
        isActualValue,
      ),
    ),
    examples: {
      hits: [
        '<member><name>password</name><value><string>⟦driftwood⟧</string></value>',
        '<String><Key>Password</Key><Value>⟦drift wood⟧</Value></String>',
      ],
      misses: ['<name>zone</name><value>driftwood</value>', '<name>password</name><value></value>'],
    },
  },
  {
    // Of a dump of accounts of Windows, and of what logs in to them
    id: 'account_of_windows',
    kind: 'SECRET',
    hints: [':aad3b435b51404ee', '[+] '],
    find: matching(
      /(?::(?=[a-f\d]{32}:[a-f\d]{32}:::)|\[\+\] [\w.-]{1,64}\\[\w.$-]{1,64}:)(?<v>[^\s"'<>]{3,128}?)(?=:::|\s|$)/i,
      isActualValue,
    ),
    examples: {
      hits: [
        'bob:1000:⟦aad3b435b51404eeaad3b435b51404ee:7f3a91c04be2d8657f3a91c04be2d865⟧:::',
        String.raw`[+] corp\bob:⟦driftwood⟧ (admin)`,
      ],
      misses: ['[+] found 3 hosts', 'a:aad3b435b51404ee:b'],
    },
  },
  {
    // https://bind9.readthedocs.io/en/stable/manpages.html
    id: 'tsig_key',
    kind: 'SECRET',
    hints: ['-y '],
    find: matching(
      /-y ["']?(?:hmac-?\w{2,8}:)?[\w.-]{1,64}:(?<v>[A-Za-z0-9+/]{16,128}={0,2})(?![\w+/=-]|\.\w)/i,
    ),
    examples: {
      hits: [`nsupdate -y hmac-sha256:ops:⟦${fake(43)}=⟧`],
      misses: ['apt install -y package:amd64', 'tool -y a:b'],
    },
  },
  {
    // https://learn.microsoft.com/en-us/windows/security/operating-system-security/data-protection/bitlocker/recovery-overview
    id: 'recovery_key',
    kind: 'SECRET',
    hints: ['recovery '],
    find: matching(/recovery (?:key|password)[^\d\n]{0,32}\s{0,8}(?<v>\d{6}(?:-\d{6}){7})(?![\d-])/i),
    examples: {
      hits: ['recovery key: ⟦123456-234567-345678-456789-567890-678901-789012-890123⟧'],
      misses: ['recovery key: 123456-234567'],
    },
  },
  {
    id: 'generated_line',
    kind: 'SECRET',
    hints: [
      'pwgen ',
      'openssl rand ',
      'makepasswd',
      'apg ',
      'xkcdpass',
      'diceware',
      'mkpasswd',
      'gpg --gen-random',
      '/dev/urandom',
      '/dev/random',
    ],
    find: onlyWhere(
      (text, at) => /(?:^|[\n$#>%] ?)(?:\w[^\n]{0,120})?$/.test(textBefore(text, at, 160)),
      matching(
        new RegExp(
          String.raw`(?:${GENERATOR}|\/dev\/u?random[^\r\n]{0,120})\r?\n(?<v>[^\s<>]{8,256})(?=[ \t]{0,4}(?:\r?\n|$))`,
        ),
        (value) => /\d/.test(value) && /[a-z]/i.test(value) && !isPlaceholder(value),
      ),
    ),
    examples: {
      hits: [
        `$ openssl rand -base64 24\n⟦${fake(32)}⟧\n`,
        '$ pwgen -s 16 1\n⟦aeb4Quoh7ieTh3ph⟧\n',
        `$ tr -dc a-z0-9 < /dev/urandom | head -c 20\n⟦${fake(20)}⟧\n`,
      ],
      misses: ['use openssl rand -hex 16\nThen go on.\n', '$ pwgen -s 16 1\n\n'],
    },
  },
  {
    // https://registry.terraform.io/providers/hashicorp/random/latest/docs/resources/password, outputs of Terraform
    id: 'generated_result',
    kind: 'SECRET',
    hints: ['result": "', 'result":"', '"value": "', '"value":"', 'result = "'],
    find: onlyWhere(
      (text, at) =>
        /^r/i.test(text.charAt(at))
          ? /random_password|(?:generat\w{0,3}|random|create|new|make)_?(?:pass(?:word|phrase)|secret|token)|pass(?:word|phrase)[_.]?gen/i.test(
              textBefore(text, at, 400),
            )
          : IN_SECRET_MEMBER.test(textBefore(text, at, 200)),
      matching(
        /"?(?:result|value)"?(?:: ?| = )"(?<v>[^"\\\r\n]{4,256})(?=")/i,
        (value) => !isPlaceholder(value) && !isAboutSecrets(value),
      ),
    ),
    examples: {
      hits: [
        '"type": "random_password", "attributes": {"length": 16, "result": "⟦dr1ft[wood⟧"}',
        '"db_password": {"sensitive": true, "type": "string", "value": "⟦driftwood⟧"}',
      ],
      misses: [
        '"type": "random_pet", "attributes": {"result": "driftwood"}',
        '"zone": {"type": "string", "value": "driftwood"}',
      ],
    },
  },
];
