import { textBefore } from '../characters.ts';
import { fake, fakeHex, matching, onlyWhere } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { isPlaceholder } from '../validators.ts';
import { isAboutSecrets } from './plain-words.ts';
import { isActualValue } from './secret-value.ts';

/** Secrets in files of servers, by the grammar of each: what stands in that place of the line is one. */

const BASE64 = String.raw`[A-Za-z0-9+/]`;
const AT_LINE = /(?:^|\n)[ \t]{0,8}[^\s]{1,128}[ \t]{1,16}$/;

/** No address, path or port. */
const isSecret = (value: string): boolean =>
  isActualValue(value) && !isAboutSecrets(value, 'password:') && !/^\/|^\d{1,5}$/.test(value);

export const SERVER_FILE_RULES: readonly Rule[] = [
  {
    // https://docs.strongswan.org/docs/latest/config/legacy.html: `ipsec.secrets`
    id: 'ipsec_secret',
    kind: 'SECRET',
    hints: [
      ': psk ',
      ': eap ',
      ': xauth ',
      ': ntlm ',
      ': pin ',
      ': ppk ',
      ': rsa ',
      ': ecdsa ',
      ': bliss ',
      ': p12 ',
      ': pkcs12 ',
      ': pkcs8 ',
      ': priv ',
    ],
    find: matching(
      /: (?:(?:RSA|ECDSA|BLISS|P12|PKCS12|PKCS8|PRIV) {1,8}(?:"[^"\n]{1,160}"|[\w./-]{1,160}) {1,8}(?=")|(?:PSK|EAP|XAUTH|NTLM|PIN|PPK) {1,8}(?:%smartcard\S{0,64} {1,8})?(?="|0[sx]))"?(?<v>(?<=")[^"\n]{3,256}(?=")|0[sx][A-Za-z0-9+/=]{4,512})/,
      isActualValue,
    ),
    examples: {
      hits: [
        '10.0.0.1 %any : PSK "⟦drift wood⟧"',
        'bob : EAP "⟦driftwood⟧"',
        ': RSA moon.key "⟦driftwood⟧"',
        `@h : PSK ⟦0s${fake(24)}⟧`,
      ],
      misses: [': RSA moon.key', ': RSA key %prompt', ': PSK "<psk>"', 'use: PIN "required"'],
    },
  },
  {
    // https://httpd.apache.org/docs/2.4/misc/password_encryptions.html, RFC 2307, https://doc.dovecot.org/latest/core/config/auth/schemes.html
    id: 'schemed_password',
    kind: 'SECRET',
    hints: ['sha}', 'sha256}', 'sha512}', 'md5}', '{plain}', '{cleartext}', '{crypt}', '{pbkdf2', '{argon2'],
    find: onlyWhere(
      (text, at) => text.charAt(at) === '{' || /(?:^|[^$\w{])\{(?:S|PBKDF2-)?$/.test(textBefore(text, at, 9)),
      matching(
        new RegExp(
          String.raw`(?:(?:SHA(?:256|512)?|MD5)\}(?<!\$\{[A-Z\d-]{1,16}\})(?=${BASE64}{20})|\{(?:PLAIN|CLEARTEXT|CRYPT|PBKDF2[\w-]{0,12}|ARGON2\w{0,2})\})(?<v>[^\s:"'<>{}]{4,256})`,
        ),
        isActualValue,
      ),
    ),
    examples: {
      hits: [
        `bob:{SHA}⟦${fake(27)}=⟧`,
        `userPassword: {SSHA512}⟦${fake(36)}⟧`,
        'bob:{PLAIN}⟦driftwood⟧:1000',
      ],
      misses: ['{SSHA}', 'the {SHA} scheme', '{PLAIN} text', `\${SHA}${fake(27)}`],
    },
  },
  {
    // RFC 2849: in base64 behind two colons
    id: 'ldif_password',
    kind: 'SECRET',
    hints: ['password:: '],
    find: matching(
      new RegExp(
        String.raw`password:: {1,4}(?<v>(?:${BASE64}{4}){2,64}(?:${BASE64}{2}==|${BASE64}{3}=)?)(?![\w+/=-]|\.\w)`,
        'i',
      ),
    ),
    examples: {
      hits: ['userPassword:: ⟦ZHJpZnR3b29k⟧'],
      misses: ['password:: string', 'Password:: new()'],
    },
  },
  {
    // RFC 5803, https://www.postgresql.org/docs/current/catalog-pg-authid.html, https://www.pgbouncer.org/config.html
    id: 'password_verifier',
    kind: 'SECRET',
    hints: ['scram-sha-1$', 'scram-sha-256$', 'scram-sha-512$', '" "md5'],
    find: matching(
      new RegExp(
        String.raw`(?:(?=scram)|" "(?=md5))(?<v>scram-sha-\d{1,3}\$\d{3,7}:${BASE64}{8,128}={0,2}\$${BASE64}{20,128}={0,2}:${BASE64}{20,128}={0,2}|md5[a-f\d]{32}(?="))`,
        'i',
      ),
    ),
    examples: {
      hits: [`⟦SCRAM-SHA-256$4096:${fake(22)}==$${fake(43)}=:${fake(43)}=⟧`, `"bob" "⟦md5${fakeHex(32)}⟧"`],
      misses: ['SCRAM-SHA-256$', '"a" "md5sum"'],
    },
  },
  {
    // https://www.postfix.org/SASL_README.html: the host of a relay, then the user and the password
    id: 'relay_password',
    kind: 'SECRET',
    hints: [':587', ':465', ':2525', ':25 ', ']:submission', ':smtps'],
    find: matching(
      /\]?:(?:587|465|2525|25|submission|smtps)[ \t]{1,32}[\w.@+-]{1,128}:(?<v>[^\s"'<>]{3,128})(?![^\s"'<>])/,
      isSecret,
    ),
    examples: {
      hits: ['[smtp.example.com]:587 bob@example.com:⟦driftwood⟧', 'smtp.example.com:465    bob:⟦driftwood⟧'],
      misses: ['h:587 is open', 'h:25 at 10:30', 'h:465 bob:${PW}'],
    },
  },
  {
    // https://redis.io/docs/latest/commands/acl-setuser
    id: 'password_of_acl',
    kind: 'SECRET',
    hints: [' on >', ' >>'],
    find: onlyWhere(
      (text, at) => /(?:^|\s|["'])user [\w.@-]{1,64}$|setuser [\w.@-]{1,64}$/i.test(textBefore(text, at, 80)),
      matching(/ (?:on )?>(?<v>[^\s"'<>|;$][^\s"'<>|;]{2,127})(?=\s|["']|$)/, isSecret),
    ),
    examples: {
      hits: ['ACL SETUSER bob on >⟦driftwood⟧ ~* +@all'],
      misses: ['ACL SETUSER bob on nopass', 'go on >next', 'user bob on >$PW'],
    },
  },
  {
    // https://docs.haproxy.org/3.0/configuration.html, https://www.squid-cache.org/Doc/config/cache_peer
    id: 'password_of_proxy',
    kind: 'SECRET',
    hints: ['stats auth ', 'insecure-password ', ' login='],
    find: matching(
      /(?:stats auth {1,8}[\w.@-]{1,64}:|insecure-password {1,8}| login=[\w.@-]{1,64}:)(?<v>[^\s"'<>$*][^\s"'<>]{2,127})(?![^\s"'<>])/,
      isSecret,
    ),
    examples: {
      hits: [
        'stats auth admin:⟦driftwood⟧',
        'user bob insecure-password ⟦driftwood⟧',
        'cache_peer h parent 3128 0 login=bob:⟦driftwood⟧',
      ],
      misses: [
        'cache_peer h parent 3128 0 login=*:password',
        'an insecure-password warning is',
        '?a=1 login=PASS',
      ],
    },
  },
  {
    // https://manpages.debian.org/bookworm/ppp/pppd.8.en.html#AUTHENTICATION: client, server, secret, addresses
    id: 'ppp_secret',
    kind: 'SECRET',
    hints: ['pptpd', 'l2tpd', '*'].flatMap((server) => [` ${server} `, `\t${server}\t`]),
    find: onlyWhere(
      (text, at) =>
        AT_LINE.test(`${textBefore(text, at, 160)} `) &&
        (text.charAt(at + 1) !== '*' ||
          /[cp]ap[ -]secrets|using [CP]AP|server\s{1,8}secret/.test(textBefore(text, at, 400))),
      matching(
        /[ \t](?:pptpd|l2tpd|\*)[ \t]{1,16}"?(?<v>[^\s"]{3,128})(?="?[ \t]{1,16}(?:\*|"\*"|\d{1,3}\.|-)|"?[ \t]{0,4}(?:\n|$))/,
        isSecret,
      ),
    ),
    examples: {
      hits: ['\nbob pptpd ⟦driftwood⟧ *', '# client server secret\nbob * "⟦driftwood⟧" *'],
      misses: ['\nx * width *', 'start the pptpd service *', '\nbob pptpd $PW *'],
    },
  },
  {
    // Of Debian's installer, cloud-init, OpenVPN, PAM and nss
    id: 'answer_of_installer',
    kind: 'SECRET',
    hints: ['passwd/', 'chpasswd:', '<auth-user-pass>', '_authtok'],
    find: matching(
      /(?:passwd\/[\w-]{0,40}password(?:-again|-crypted)? password |chpasswd:\s{1,16}(?:expire:[^\n]{0,16}\s{1,16})?list: ?[|>]?-?\s{1,16}(?:- )?["']?[\w.-]{1,32}:|<auth-user-pass>\s{1,8}\S{1,128}\s{1,8}|_authtok ?= ?)(?<v>[^\s"'<>$][^\s"'<>]{2,127})(?=["']?(?:\s|<|$))/,
      (value) => isSecret(value) && !/^(?:R|RANDOM)$/.test(value),
    ),
    examples: {
      hits: [
        'd-i passwd/root-password-again password ⟦driftwood⟧',
        'chpasswd:\n  list: |\n    root:⟦driftwood⟧',
        '<auth-user-pass>\nbob\n⟦driftwood⟧\n</auth-user-pass>',
        'ldap_default_authtok = ⟦driftwood⟧',
      ],
      misses: [
        'd-i passwd/root-login boolean false',
        'chpasswd:\n  expire: false',
        'auth-user-pass file.txt',
      ],
    },
  },
  {
    // https://learn.microsoft.com/en-us/windows/win32/nativewifi/wlan-profileschema-keymaterial-sharedkey-element,
    // https://learn.microsoft.com/en-us/windows-hardware/customize/desktop/unattend
    id: 'password_of_windows',
    kind: 'SECRET',
    hints: ['keymaterial', '<value>'],
    find: onlyWhere(
      (text, at) => text.charAt(at) !== '<' || /<\w{0,24}password>\s{0,24}$/i.test(textBefore(text, at, 64)),
      matching(
        /(?:keymaterial[>=]|<value>)["']?(?<v>[^\s"'<>{}$][^\r\n"'<>]{2,127})/i,
        (value) => !isPlaceholder(value),
      ),
    ),
    examples: {
      hits: ['<keyMaterial>⟦drift wood⟧</keyMaterial>', '<Password><Value>⟦driftwood⟧</Value></Password>'],
      misses: [
        '<Name><Value>driftwood</Value></Name>',
        '<keyMaterial>$KEY</keyMaterial>',
        'the keyMaterial element',
      ],
    },
  },
  {
    id: 'wep_key',
    kind: 'SECRET',
    hints: ['wep_key', 'wep-key'],
    find: matching(/wep[_-]key\d?["']? ?[=:] ?["']?(?<v>[^\s"'<>$]{5,64})/i, isActualValue),
    examples: {
      hits: ['wep_key0="⟦driftwood⟧"'],
      misses: ['wep_key0=<key>', 'wep_key_idx=0'],
    },
  },
];
