import { wordsBefore } from '../characters.ts';
import { matchAt } from '../match-at.ts';
import { fake, fakeHex, matching, onlyWhere } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { isPlaceholder, isRandom } from '../validators.ts';
import { isAboutSecrets } from './plain-words.ts';
import { hasMarkOfSecret, isActualValue } from './secret-value.ts';
import { isReadableId } from './technical-words.ts';

/** Secrets in files and scripts of one program, where its own form says what they are. */

const SECRET_MANIFEST = /\bkind: ?["']?Secret\b/;
/** How far above `data:` a manifest says what it is. */
const MANIFEST_HEAD = 400;
const DATA_LINES =
  /data:[ \t]{0,4}\r?\n(?<indent>[ \t]{1,8})[\w.-]{1,128}: ?["']?(?<v>[A-Za-z0-9+/]{4,8192}={0,2}["']?(?:\r?\n\k<indent>[\w.-]{1,128}: ?["']?[A-Za-z0-9+/]{4,8192}={0,2}["']?(?=\s|$)){0,32})(?=\s|$)/y;

/** As they are, texts of several lines too: all that is further in than the name above. */
const STRING_LINES =
  /stringdata:[ \t]{0,4}\r?\n(?<indent>[ \t]{1,8})[\w.-]{1,128}:[ \t]{1,4}(?<v>[^\r\n]{1,1024}(?:\r?\n\k<indent>[^\r\n]{1,1024}){0,64})/iy;

/** Each value stands for one, as in a template. */
function isTemplate(lines: string): boolean {
  return lines
    .split(/\r?\n/)
    .map((line) => line.replace(/^\s*[\w.-]{1,128}: /, '').replaceAll(/["'\s]/g, ''))
    .every((value) => value === '' || isPlaceholder(value));
}

/** Everything below `data:` or `stringData:` in a Secret of Kubernetes, from the first value to the last. */
function findSecretData(text: string, at: number): Span | undefined {
  if (!SECRET_MANIFEST.test(wordsBefore(text, at, MANIFEST_HEAD))) return undefined;
  const isEncoded = text.charAt(at).toLowerCase() === 'd';
  const lines = isEncoded ? DATA_LINES : STRING_LINES;
  const match = matchAt(lines, text, at);
  const value = match?.groups?.['v'];
  if (!match || value === undefined || (!isEncoded && isTemplate(value))) return undefined;
  const end = at + match[0].length;
  return { start: end - value.length, end };
}

/**
 * The default of a variable of Terraform that is called so:
 * https://developer.hashicorp.com/terraform/language/values/variables
 */
const defaultOf = (names: string): RegExp =>
  new RegExp(
    String.raw`variable "[\w-]{0,60}(?:${names})"\s{0,4}\{[^{}]{0,600}?\bdefault\s{0,16}=\s{0,4}"(?<v>[^"\n]{3,256})(?=")`,
    'i',
  );

/** A prompt for a password is waited for before `at`. */
const isAsked = (text: string, at: number): boolean =>
  /(?:assw(?:or)?d|assphrase)(?:(?!\bsend|\bexpect|ndline)[^]){0,60}$/i.test(
    text.slice(Math.max(0, at - 80), at),
  );

export const FILE_RULES: readonly Rule[] = [
  {
    // FileZilla's wiki on its settings, https://docs.sonarsource.com/sonarqube-server/analyzing-source-code/analysis-parameters
    id: 'setting_of_program',
    kind: 'SECRET',
    hints: ['<pass encoding=', 'sonar.login'],
    find: matching(
      /(?:<pass encoding=["']base64["']>|sonar\.login["']?[ \t]{0,4}[=:,][ \t]{0,4}["']?(?=\w{20}))(?<v>[A-Za-z\d+/]{4,256}={0,2})/i,
    ),
    examples: {
      hits: ['<Pass encoding="base64">⟦ZHJpZnR3b29k⟧</Pass>', `sonar.login=⟦${fakeHex(40)}⟧`],
      misses: ['sonar.login=admin', '<Pass encoding="crypt">x</Pass>'],
    },
  },
  {
    id: 'kubernetes_secret',
    kind: 'SECRET',
    hints: ['data:', 'stringdata:'],
    wordStart: true,
    find: findSecretData,
    examples: {
      hits: [
        'kind: Secret\nmetadata:\n  name: db\ntype: Opaque\ndata:\n  a: ⟦d2ludGVy\n  b: c3VtbWVy⟧\n',
        'kind: Secret\nstringData:\n  a.conf: |\n    ⟦drift: wood\n  b: seashell⟧\n',
      ],
      misses: [
        'kind: ConfigMap\ndata:\n  a: d2ludGVy\n',
        'kind: Secret\ndata: {}\n',
        'kind: Secret\nstringData:\n  a: {{ .Values.a }}\n  b: ${B}\n',
        'kind: Other\nstringData:\n  a: driftwood\n',
        'data:\n  a: d2ludGVy\n',
      ],
    },
  },
  {
    // https://www.postgresql.org/docs/current/libpq-pgpass.html: `host:port:database:user:password`
    id: 'pgpass',
    kind: 'SECRET',
    hints: [':543', ':1543', ':6432:', ':6543:', ':*:'],
    find: onlyWhere(
      (text, at) => /(?<![\w.:/@-])(?:[\w.-]{1,128}|\*)$/.test(wordsBefore(text, at, 130)),
      matching(
        /:(?:\d{4,5}|\*):[\w.*-]{1,64}:[\w.*@-]{1,64}:(?<v>(?:\\:|[^\s:]){3,128})(?![^\s])/,
        (value) => !isPlaceholder(value) && !isAboutSecrets(value),
      ),
    ),
    examples: {
      hits: [
        'db.example:5432:shop:app:⟦driftwood⟧',
        '*:*:*:app:⟦driftwood⟧',
        String.raw`h:5439:*:app:⟦drift\:wood⟧`,
        '*:*:*:app:⟦drift.wood⟧',
      ],
      misses: ['127.0.0.1:5432:5432', 'db.example:5432:shop:app:password', 'at 12:30: a:*:b'],
    },
  },
  {
    // https://tartarus.org/~simon/putty-snapshots/htmldoc/AppendixC.html
    id: 'putty_key',
    kind: 'SECRET',
    hints: ['private-lines: '],
    find: matching(
      /private-lines: \d{1,3}\r?\n(?<v>[A-Za-z0-9+/=]{16,128}(?:\r?\n[A-Za-z0-9+/=]{1,128}){0,64})(?![\w-])/i,
    ),
    examples: {
      hits: [`Private-Lines: 2\n⟦${fake(64)}\n${fake(20)}=⟧\nPrivate-MAC: 0`],
      misses: ['Public-Lines: 2\nAAAA', 'private-lines: how many lines follow'],
    },
  },
  {
    id: 'default_password',
    kind: 'SECRET',
    hints: ['variable "'],
    find: matching(defaultOf('password|passwd|passphrase|_pass|_pwd'), isActualValue),
    examples: {
      hits: ['variable "db_password" {\n  type    = string\n  default = "⟦driftwood⟧"\n}'],
      misses: [
        'variable "db_password" {\n  default = ""\n}',
        'variable "db_password" {\n  type = string\n}\nvariable "zone" {\n  default = "eu-1"\n}',
        'variable "password_policy" {\n  default = "strict"\n}',
      ],
    },
  },
  {
    id: 'default_key',
    kind: 'SECRET',
    hints: ['variable "'],
    find: matching(
      defaultOf('secret|token|api_?key|access_key|private_key'),
      (value) => value.length >= 12 && isRandom(value) && isActualValue(value) && !isReadableId(value),
    ),
    examples: {
      hits: [`variable "api_token" {\n  default = "⟦${fake(24)}⟧"\n}`],
      misses: ['variable "tls_secret" {\n  default = "ingress-tls-2024"\n}'],
    },
  },
  {
    // https://maven.apache.org/guides/mini/guide-encryption.html
    id: 'maven_password',
    kind: 'SECRET',
    hints: ['<password>{', '<master>{', '<passphrase>{'],
    find: matching(/<[a-z]{6,10}>(?<v>\{[A-Za-z0-9+/=]{12,512}\})(?=<\/)/i, isRandom),
    examples: {
      hits: [`<master>⟦{${fake(24)}=}⟧</master>`],
      misses: ['<password>{password}</password>', '<password>${env.PASSWORD}</password>'],
    },
  },
  {
    // Of OpenLDAP, nslcd and Kickstart
    id: 'password_directive',
    kind: 'SECRET',
    hints: ['bindpw', 'rootpw'],
    wordStart: true,
    find: matching(
      /(?:bindpw|rootpw)[ \t]{1,16}(?:--plaintext )?["']?(?![-{$<@])(?<v>[^\s"']{3,128})/,
      hasMarkOfSecret,
    ),
    examples: {
      hits: ['binddn cn=x\nbindpw ⟦dr1ftwood⟧\n', 'rootpw --plaintext ⟦dr1ftwood⟧'],
      misses: ['the rootpw directive is missing', 'bindpw $PW', 'rootpw --lock'],
    },
  },
  {
    // Of Expect
    id: 'sent_password',
    kind: 'SECRET',
    hints: ['send "', "send '", 'send -- '],
    wordStart: true,
    find: onlyWhere(
      isAsked,
      matching(/send (?:-- )?["'](?<v>[^\s"'\\$][^\s"'\\]{2,127})(?=\\[rn])/, isActualValue),
    ),
    examples: {
      hits: ['expect "*?assword:"\nsend "⟦driftwood⟧\\r"'],
      misses: [
        'expect "password:"\nsend "$pw\\r"',
        'expect "login:"\nsend "driftwood\\r"',
        'ask for the password, send "driftwood"',
      ],
    },
  },
  {
    // Of pexpect
    id: 'sent_line',
    kind: 'SECRET',
    hints: ['ndline'],
    find: onlyWhere(isAsked, matching(/ndline\(["'](?<v>[^\s"'\\$][^\s"'\\]{2,127})(?=["'])/, isActualValue)),
    examples: {
      hits: [
        "child.expect('Password:')\nchild.sendline('⟦driftwood⟧')",
        "child.expect('Password:')\nchild.sendline('⟦4f$Kd9!x⟧')",
      ],
      misses: ["child.expect('login:')\nchild.sendline('driftwood')", 'password: sendline(pw)'],
    },
  },
];
