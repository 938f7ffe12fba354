import { textBefore } from '../characters.ts';
import { fake, fakeHex, listOf, matching, onlyWhere } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { isRandom } from '../validators.ts';
import { isAboutSecrets } from './plain-words.ts';
import { hasMarkOfSecret, isActualValue } from './secret-value.ts';
import { isTechnical } from './technical-words.ts';

/** Secrets in the settings of routers, switches, firewalls and their agents, where the place in the line says what they are. */

/** How the value is coded: a digit of Cisco's, a word of Huawei's, H3C's, Fortinet's and Juniper's. */
const CODING = String.raw`(?: (?:\d{1,2}|cipher|simple|irreversible-cipher|hash|plain|enc|ascii(?:-text)?|hex(?:adecimal)?))?`;
const QUOTED_OR_WORD = String.raw`["']?(?<v>(?<=["'])[^"'\r\n]{3,256}(?=["'])|(?!(?:address|ascii(?:-text)?|cipher|enc|hash|hex(?:adecimal)?|host|irreversible-cipher|key|local|md5|password|plain|remote|secret|simple|traps|informs|version)[\s"'])[^\s"';]{4,256})(?![^\s"';])`;

/** A word of it may be a word of a sentence, where the words before it may be. */
const isKey = (value: string): boolean =>
  isActualValue(value) && !isAboutSecrets(value, 'password:') && !/^[-|]/.test(value);
const isMarked = (value: string): boolean => hasMarkOfSecret(value) && isRandom(value) && !isTechnical(value);

const KEYS = [
  String.raw`(?:isakmp|ikev?\d?|wpa|preshared) key${CODING}`,
  String.raw`pre-?shared-(?:key|secret)(?: (?:local|remote))?(?: address(?: [\d.:/a-f]{2,45}){1,2} key)?${CODING}`,
  String.raw`s-server (?:host )?(?:[\w.:-]{2,64} )?(?:(?:auth-port|acct-port|timeout) \d{1,5} ){0,3}(?:shared-)?key${CODING}`,
  String.raw`s scheme [^\n]{0,80} key${CODING}`,
  String.raw`neighbor [\w.:-]{2,64} password${CODING}`,
  String.raw`digest-key \d{1,3} md5${CODING}`,
  String.raw`ntication-key(?: \d{1,5} (?:md5|sha\d*|hmac-\S{3,12}|cmac-\S{3,12}))?${CODING}(?: value)?`,
  String.raw`key-string${CODING}`,
  String.raw`wpa-psk (?:ascii|hex)${CODING}`,
  String.raw`password (?:cipher|simple|irreversible-cipher|enc)`,
  String.raw`(?:shared-key|community (?:read|write)|psk) (?:cipher|simple)`,
  String.raw`plain-?text-password(?:-value)?`,
  String.raw`encrypted-password`,
  String.raw`set psksecret${CODING}`,
  String.raw`privilege \d{1,2} (?:password|secret)${CODING}`,
  String.raw`(?:ch|p)ap password${CODING}`,
];

/** SNMP of Net-SNMP, Cisco and Juniper: https://net-snmp.sourceforge.io/docs/man/snmpd.conf.html */
const COMMUNITIES = [
  String.raw`r[ow]community6? `,
  String.raw`trapcommunity `,
  String.raw`com2sec6? (?:-Cn \S{1,32} )?[\w.-]{1,64} [\w.:/-]{1,64} `,
  String.raw`(?:trap2?|inform)sink [\w.:-]{2,64} `,
  String.raw`snmp(?:-server)? community `,
  String.raw`snmp-server host [\w.:-]{2,64} (?:traps |informs )?(?:version (?:1|2c) )?(?!version|traps|informs)`,
].map((line) => line.replaceAll(' ', String.raw`[ \t]{1,16}`));

const USER = String.raw`(?:createuser (?:-e \S{1,64} )?[\w.@-]{1,64}|snmp-server user [\w.@-]{1,64} [\w.@-]{1,64} v3(?: encrypted)? auth) (?:md5|sha(?:-?\d{1,3})?) `;
const PRIVACY = String.raw`(?:"[^"\n]{1,128}"|[^\s"]{1,128}) (?:priv )?(?:3?des|aes(?:-?\d{3}| \d{3})?) `;
const spaced = (line: string): string => line.replaceAll(' ', String.raw`[ \t]{1,8}`);

export const DEVICE_RULES: readonly Rule[] = [
  {
    // https://www.cisco.com/c/en/us/td/docs/ios-xml/ios/security/d1/sec-d1-cr-book: the digit tells how it is coded
    id: 'device_password',
    kind: 'SECRET',
    hints: [
      'password 0 ',
      'password 5 ',
      'password 7 ',
      'secret 0 ',
      'secret 5 ',
      'secret 8 ',
      'secret 9 ',
      'key 7 ',
      'enable secret ',
      'enable password ',
      'set passwd ',
      'set password ',
    ],
    find: matching(
      /(?:(?:(?:password|secret|key) [05789]|enable (?:password|secret)(?: level \d{1,2})?(?: \d)?|set passw(?:or)?d(?: ENC)?) )["']?(?<v>[^\s"'<>$][^\s"'<>]{4,128}|\$\d{1,2}\$[^\s"'<>]{5,128})/i,
      (value) =>
        /[\dA-Z$]/.test(value) ? isActualValue(value) && !isAboutSecrets(value, 'password:') : false,
    ),
    examples: {
      hits: [
        'username ann password 7 ⟦08351F1B1D431516475E⟧',
        'enable secret ⟦Zork1234⟧',
        'set passwd ENC ⟦Zork1234Zork⟧',
      ],
      misses: ['password 5 times', 'enable secret scanning', 'set password policy', 'set password Required'],
    },
  },
  {
    // Of Cisco, Juniper, Huawei, H3C, Fortinet, VyOS, Aruba
    id: 'device_key',
    kind: 'SECRET',
    hints: listOf(
      'isakmp key |ike key |ikev1 key |ikev2 key |preshared key |preshared-|pre-shared-|s-server ',
      's scheme |neighbor |digest-key |ntication-key |key-string |wpa-psk |password cipher ',
      'password simple |password irrev|shared-key |community read |community write |plaintext-password',
      'plain-text-password|encrypted-password |set psksecret |privilege |chap password |pap password ',
    ),
    find: matching(new RegExp(`(?:${KEYS.join('|')})[ =]${QUOTED_OR_WORD}`, 'i'), isKey),
    examples: {
      hits: [
        'crypto isakmp key 6 ⟦driftwood⟧ address 10.0.0.1',
        'pre-shared-key ascii-text "⟦drift wood⟧"',
        ' pre-shared-key address 0.0.0.0 0.0.0.0 key ⟦driftwood⟧',
        "pre-shared-secret '⟦driftwood⟧'",
        'tacacs-server host 10.0.0.1 key ⟦driftwood⟧',
        'neighbor 10.0.0.1 password ⟦driftwood⟧',
        'ip ospf message-digest-key 1 md5 ⟦driftwood⟧',
        'ntp authentication-key 1 md5 ⟦driftwood⟧',
        'local-user bob password cipher ⟦driftwood⟧',
        "authentication plaintext-password '⟦driftwood⟧'",
        'set psksecret ⟦driftwood⟧',
        'username ann privilege 15 secret ⟦driftwood⟧',
      ],
      misses: [
        'the pre-shared-key is required',
        'a pre-shared-key must be changed',
        'authentication-key <key>',
        'the key-string value',
        'radius-server key missing',
      ],
    },
  },
  {
    id: 'community',
    kind: 'SECRET',
    hints: [
      'rocommunity',
      'rwcommunity',
      'trapcommunity',
      'com2sec',
      'trapsink',
      'trap2sink',
      'informsink',
      'snmp community ',
      'snmp-server community ',
      'snmp-server host ',
    ],
    wordStart: true,
    find: matching(new RegExp(`(?:${COMMUNITIES.join('|')})${QUOTED_OR_WORD}`, 'i'), isKey),
    examples: {
      hits: [
        'rocommunity ⟦driftwood⟧ 10.0.0.0/8',
        'com2sec readonly default ⟦driftwood⟧',
        'trap2sink 10.0.0.1 ⟦driftwood⟧',
        'set snmp community ⟦driftwood⟧ authorization read-only',
        'snmp-server community ⟦Zork1234⟧ RO',
        'snmp-server host 10.0.0.1 version 2c ⟦driftwood⟧',
      ],
      misses: [
        'rocommunity public',
        'snmp-server community <name>',
        'the snmp community is required',
        'snmp-server host 10.0.0.1 version 3',
      ],
    },
  },
  {
    id: 'snmp_user',
    kind: 'SECRET',
    hints: ['createuser ', 'snmp-server user '],
    wordStart: true,
    find: matching(new RegExp(spaced(USER) + QUOTED_OR_WORD, 'i'), isActualValue),
    examples: {
      hits: [
        'createUser bob SHA "⟦drift wood⟧" AES "sea shell"',
        'createUser -e 0x1 bob SHA-256 ⟦driftwood⟧',
        'snmp-server user bob ops v3 auth sha ⟦driftwood⟧',
      ],
      misses: ['createUser bob sha <secret>', 'createUser(name)'],
    },
  },
  {
    id: 'snmp_privacy',
    kind: 'SECRET',
    hints: ['createuser ', 'snmp-server user '],
    wordStart: true,
    find: matching(new RegExp(spaced(USER + PRIVACY) + QUOTED_OR_WORD, 'i'), isActualValue),
    examples: {
      hits: [
        'createUser bob SHA "drift wood" AES "⟦sea shell⟧"',
        'snmp-server user bob ops v3 auth sha driftwood priv aes 128 ⟦seashell⟧',
      ],
      misses: ['createUser bob SHA driftwood AES'],
    },
  },
  {
    // https://docs.ntpsec.org/latest/ntp_keys.html, https://chrony-project.org/doc/4.6/chrony.conf.html#keyfile
    id: 'ntp_key',
    kind: 'SECRET',
    hints: [
      ' md5 ',
      ' sha1 ',
      ' sha256 ',
      ' sha384 ',
      ' sha512 ',
      ' sha ',
      ' m ',
      ' aes ',
      ' aes128 ',
      ' aes256 ',
    ],
    find: onlyWhere(
      (text, at) => /(?:^|\n)[ \t]{0,8}\d{1,5}$/.test(textBefore(text, at, 16)),
      matching(
        / (?:MD5|SHA\d{0,3}|M|AES(?:128|256)?) {1,8}(?:(?:HEX|ASCII):)?(?<v>(?=[^\s]{0,63}\d)[^\s#]{6,128})(?=\s{0,8}(?:#|\n|$)|\s{1,8}\d{1,3}\.)/,
        isMarked,
      ),
    ),
    examples: {
      hits: ['\n1 M ⟦dr1ftwood⟧\n', `\n2 SHA1 ⟦${fakeHex(40)}⟧\n`, '\n20 MD5 ASCII:⟦dr1ftwood⟧ # for ops\n'],
      misses: ['\n1 M tall\n', 'see 2 SHA1 dr1ftwood', '\n3 MD5 sums of file2\n', `\n4 m ${fake(8)}\n`],
    },
  },
];
