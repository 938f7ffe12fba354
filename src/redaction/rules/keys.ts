import { isAlnum, isDigit, wordsBefore } from '../characters.ts';
import { lengthAt, matchAt } from '../match-at.ts';
import { decidedBy, fake, fakeHex, matching, MAX_MATCH, onlyWhere, WITHIN_WORD } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { isRandom, saysItIsExample, UUID } from '../validators.ts';

const PEM_HEAD = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const PEM_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;

const KEY_MATERIAL = /[A-Za-z0-9+/]{16}/;
/** As long as a key of any kind, with a digit: no sentence between the two lines. */
const SPREAD_KEY = /(?=[^\d]{0,40}\d)[A-Za-z0-9+/]{60}/;

/** Its lines may be short, with quotes around them. */
function holdsKey(body: string): boolean {
  return KEY_MATERIAL.test(body) || SPREAD_KEY.test(body.replaceAll(/\\[nr]|[\s"'\x60\\,]/g, ''));
}

/** Code and sentences name the line, with nothing behind it that a key could begin with. */
const IS_NAMED = /^["'\x60](?![^]*[A-Za-z0-9+/]{16})[^]/;

/** One piece of an unfinished block, with the white space or escaped line ends before it. */
const PEM_PIECE = /(?:\s|\\[nr]){0,8}([A-Za-z0-9+/=]{1,4096})/y;

/** Lines before the key material (RFC 1421, RFC 4880). */
const PEM_LINES =
  /(?:(?:\s|\\[nr]){0,8}(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash|MessageID):[^\r\n\\]{0,200}){0,8}/y;
/** The text ends before, or within, the line that ends the block. */
const PEM_BREAKS_OFF = /^(?:\s|\\[nr]?){0,8}(?:-{1,5}|-----E[A-Z0-9 ]{0,55}-{0,4})?$/;

/**
 * An unfinished block ends where no key material follows; a short piece counts when nothing comes after it but the
 * beginning of the last line.
 */
function openPemEnd(text: string, body: number): number {
  let end = body + lengthAt(PEM_LINES, text, body);
  while (end - body < MAX_MATCH) {
    const piece = matchAt(PEM_PIECE, text, end);
    if (!piece?.[1]) break;
    const next = end + piece[0].length;
    const isWord = piece[1].length < 16 && /^(?:[A-Za-z][a-z]*|[A-Z]+)$/.test(piece[1]);
    if (isWord && !PEM_BREAKS_OFF.test(text.slice(next, next + 80))) break;
    end = next;
  }
  const rest = text.slice(end, end + 80);
  return rest.includes('-') && PEM_BREAKS_OFF.test(rest) ? text.length : end;
}

/** Where a private key begins whose end is missing and may still come. */
export function openPrivateKey(text: string): number | undefined {
  const at = text.lastIndexOf('-----BEGIN ');
  if (at < 0) return undefined;
  const head = matchAt(PEM_HEAD, text, at);
  if (!head) return undefined;
  const body = at + head[0].length;
  return text.length < body + MAX_MATCH && !PEM_END.test(text.slice(body)) ? at : undefined;
}

/** RFC 7468 text of a private key, also with escaped line ends. */
function findPem(text: string, at: number): Span | undefined {
  const head = matchAt(PEM_HEAD, text, at);
  if (!head) return undefined;
  const body = at + head[0].length;
  const nextHead = text.indexOf('-----BEGIN', body);
  const limit = Math.min(body + MAX_MATCH, nextHead < 0 ? text.length : nextHead);
  const tail = PEM_END.exec(text.slice(body, limit));
  if (tail) {
    return holdsKey(text.slice(body, body + tail.index))
      ? { start: at, end: body + tail.index + tail[0].length }
      : undefined;
  }
  const end = openPemEnd(text, body);
  return end === body && IS_NAMED.test(text.slice(body, body + 80)) ? undefined : { start: at, end };
}

/**
 * A compact JWS or JWE whose header decodes to JSON with an `alg` (RFC 7515, 7516). The claims of what calls itself a JWT
 * are JSON as well (RFC 7519).
 */
function isJwt(value: string): boolean {
  const [header = '', claims = '', ...rest] = value.split('.');
  const head = decoded(header);
  if (!head.startsWith('{') || !/"(?:alg|typ|enc|kid)"/.test(head) || saysItIsExample(value)) return false;
  if (rest.length > 1 || !/"typ" ?: ?"JWT"/i.test(head) || CLAIMS_ARE_CODED.test(head)) return true;
  return /^(?:\u00ef\u00bb\u00bf)?\s{0,40}\{/.test(decoded(claims.slice(0, 64)));
}

/** Packed, another token, or as they are (RFC 7516, 7519 and 7797). */
const CLAIMS_ARE_CODED = /"(?:zip|cty|enc|b64|crit)"/;

function decoded(part: string): string {
  return Buffer.from(part, 'base64url').toString('latin1').trimStart();
}

/** `digits:AA…`: a bot token of Telegram, also glued to `/bot`. `at` is the colon. */
function findTelegram(text: string, at: number): Span | undefined {
  let start = at;
  while (start > 0 && at - start < 11 && isDigit(text.charCodeAt(start - 1))) start--;
  if (at - start < 8 || at - start > 10) return undefined;
  const match = /^:AA[\w-]{33}(?![\w-])/.exec(text.slice(at, at + 40));
  return match ? { start, end: at + match[0].length } : undefined;
}

/** Entra ID client secret: three characters, a digit, `Q~`, then 31 to 34 more. `at` is the digit. */
function findAzureSecret(text: string, at: number): Span | undefined {
  const start = at - 3;
  if (start < 0 || !/^[A-Za-z0-9_~.-]{3}$/.test(text.slice(start, at))) return undefined;
  const match = /^\dQ~[A-Za-z0-9_~.-]{31,34}/.exec(text.slice(at, at + 40));
  return match ? { start, end: at + match[0].length } : undefined;
}

/** `<14 characters>.atlasv1.<60 or more>`: a HashiCorp Terraform token. `at` is the first dot. */
function findTerraform(text: string, at: number): Span | undefined {
  const start = at - 14;
  if (start < 0) return undefined;
  for (let i = start; i < at; i++) if (!isAlnum(text.charCodeAt(i))) return undefined;
  const match = /^\.atlasv1\.[\w=-]{60,70}/.exec(text.slice(at, at + 90));
  return match && !/x{8}/i.test(match[0]) ? { start, end: at + match[0].length } : undefined;
}

const ENDS_IN_UUID = new RegExp(String.raw`(?:^|[^\w-])(${UUID})$`);

/** A UUID and the name of the plan. `at` is the colon. */
function findDeepL(text: string, at: number): Span | undefined {
  const id = ENDS_IN_UUID.exec(wordsBefore(text, at, 52))?.[1];
  return id === undefined || /\w/.test(text.charAt(at + 3))
    ? undefined
    : { start: at - id.length, end: at + 3 };
}

/** 32 hex digits and the data centre: `…-us12`. `at` is the dash. */
function findMailchimp(text: string, at: number): Span | undefined {
  const centre = /^-us\d{1,2}(?![\w-])/.exec(text.slice(at, at + 7));
  if (!centre || at < 32 || !/^[a-f0-9]{32}$/.test(text.slice(at - 32, at))) return undefined;
  return { start: at - 32, end: at + centre[0].length };
}

const DASH = 45;

/** 32 hex digits and twice eight: `…-7f3a91c0-4be2d865`. `at` is the first dash. */
function findMailgun(text: string, at: number): Span | undefined {
  if (text.charCodeAt(at + 9) !== DASH) return undefined;
  const behind = /^-[a-f0-9]{8}-[a-f0-9]{8}(?![\w-])/.exec(text.slice(at, at + 19));
  if (!behind || !/(?:^|[^a-z\d-])[a-f0-9]{32}$/i.test(wordsBefore(text, at, 48))) return undefined;
  return { start: at - 32, end: at + behind[0].length };
}

/** 40 characters that end so, of which those before are hex digits, or begin with the region. `at` is where the end begins. */
function findNewRelic(text: string, at: number): Span | undefined {
  const start = at - 36;
  if (start < 0 || !/^NRAL(?!\w)/.test(text.slice(at, at + 5))) return undefined;
  if (
    !/(?:^|\W)(?:[a-f0-9]{32}(?:[a-f0-9]{4}|FFFF)|[a-z]{2}\d\dx{2}[a-f0-9]{26}(?:[a-f0-9]{4}|FFFF))$/.test(
      wordsBefore(text, at, 52),
    )
  )
    return undefined;
  return { start, end: at + 4 };
}

/** In the case that they have: `acdb` is in many a hash. */
const AZURE_SIGNATURE = /^(?:JQQJ99|AZDO|\+(?:ASt|AB[ar]|AMC|ASb|AEh|ARm|ACR)|ACDb|AzFu|AzSe|AzCa|APIM|AIoT)/;

/** The signatures of Azure's services and what is around them. `at` is where one begins. */
function findAzureKey(text: string, at: number): Span | undefined {
  const before = /[A-Za-z0-9+/_-]{0,77}$/.exec(wordsBefore(text, at, 92))?.[0] ?? '';
  const key = /^[A-Za-z0-9+/_-]{8,40}={0,2}/.exec(text.slice(at, at + 48))?.[0] ?? '';
  if (!AZURE_SIGNATURE.test(key)) return undefined;
  const isWhole = before.length + key.replace(/=+$/, '').length;
  if (before.length < 33 || before.length > 76 || ![43, 52, 54, 64, 84, 86].includes(isWhole))
    return undefined;
  const value = before + key;
  return /\d/.test(value) && /[a-z]/.test(value) && isRandom(value)
    ? { start: at - before.length, end: at + key.length }
    : undefined;
}

/** `-----BEGIN … PRIVATE KEY-----` in base64, perhaps on several lines or in several texts of a program. */
const ENCODED_PEM =
  /LS0tLS1CRUdJTi[A-Za-z0-9+/]{20,12000}={0,2}(?:["']?[ \t]{0,4}(?:[+.\\][ \t]{0,4})?(?:\r?\n|\\n)[ \t]{0,32}["']?[A-Za-z0-9+/]{16,4096}={0,2}){0,200}/;
const isPrivate = (code: string): boolean =>
  Buffer.from(code.slice(0, 64), 'base64').toString('latin1').includes(' PRIVATE ');

const FAKE_JWT = [
  Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url'),
  Buffer.from('{"sub":"1234567890"}').toString('base64url'),
  fake(43),
].join('.');

/** The claims are another token. */
const NESTED_JWT = [
  Buffer.from('{"alg":"HS256","typ":"JWT","cty":"JWT"}').toString('base64url'),
  Buffer.from(FAKE_JWT).toString('base64url'),
  fake(43),
].join('.');

const IN_SHORT_LINES = `-----BEGIN PRIVATE KEY-----\n${fake(8)}\n${fake(70).replaceAll(/.{8}/g, '$&\n')}\n-----END PRIVATE KEY-----`;

const FAKE_ENCODED = Buffer.from(`-----BEGIN RSA PRIVATE KEY-----\n${fake(83)}`).toString('base64');

const pem = (label: string): string =>
  `-----BEGIN ${label}-----\n${fake(60)}\n${fake(60)}\n-----END ${label}-----`;

export const KEY_RULES: readonly Rule[] = [
  {
    id: 'private_key',
    kind: 'SECRET',
    hints: ['-----begin '],
    find: findPem,
    consumes: true,
    examples: {
      hits: [
        `a ⟦${pem('RSA PRIVATE KEY')}⟧ b`,
        `in short lines: ⟦${IN_SHORT_LINES}⟧`,
        `cut: -----BEGIN PRIVATE KEY-----\n⟦${fake(60)}⟧\n${fake(30)}`,
      ],
      misses: [
        pem('CERTIFICATE'),
        pem('PUBLIC KEY'),
        'if (text.includes("-----BEGIN PRIVATE KEY-----")) sign(text);',
        '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
        'starts with "-----BEGIN PRIVATE KEY-----" and ends with "-----END PRIVATE KEY-----"',
      ],
    },
  },
  {
    id: 'encoded_private_key',
    kind: 'SECRET',
    hints: ['ls0tls1crudjti'],
    wordStart: true,
    find: matching(ENCODED_PEM, isPrivate),
    consumes: true,
    examples: {
      hits: [`KEY=⟦${FAKE_ENCODED}⟧\n`, `k = ("⟦${FAKE_ENCODED}"\n     "${fake(40)}⟧")`],
      misses: [Buffer.from(`-----BEGIN CERTIFICATE-----\n${fake(80)}`).toString('base64')],
    },
  },
  {
    id: 'jwt',
    kind: 'SECRET',
    hints: ['eyj'],
    wordStart: true,
    find: matching(/eyJ[\w-]{8,4000}\.[\w-]{2,8000}\.[\w-]{0,4000}(?:\.[\w-]{1,4000}){0,2}/, isJwt),
    consumes: true,
    examples: {
      hits: [`t=⟦${FAKE_JWT}⟧.`, `t=⟦${FAKE_JWT}fakeX7⟧`, `t=⟦${NESTED_JWT}⟧.`],
      misses: [`eyJ${fake(30)}`, FAKE_JWT.replace(/[.].*[.]/, '.cGxhaW4gd29yZHM.')],
    },
  },
  {
    id: 'jwk',
    kind: 'SECRET',
    hints: ['"d"', '"k"', '"p"', '"q"', '"dp"', '"dq"', '"qi"'],
    find: matching(/"(?:d[pq]?|qi?|[kp])"\s{0,8}:\s{0,8}"(?<v>[\w-]{22,2048})/),
    examples: {
      hits: [`{"kty":"EC","d":"⟦${fake(43)}⟧"}`],
      misses: ['{"d":"short","q":"what is the weather"}'],
    },
  },
  {
    // https://learn.microsoft.com/en-us/dotnet/api/system.security.cryptography.rsa.toxmlstring
    id: 'rsa_xml_key',
    kind: 'SECRET',
    hints: ['<d>', '<p>', '<q>', '<dp>', '<dq>', '<inverseq>'],
    find: matching(
      /<(?:d[pq]?|[pq]|inverseq)>\s{0,8}(?<v>[A-Za-z0-9+/]{40,2048}={0,2})(?=\s{0,8}<\/)/i,
      (value) => /\d/.test(value),
    ),
    examples: {
      hits: [`<RSAKeyValue><D>⟦${fake(86)}==⟧</D></RSAKeyValue>`],
      misses: ['<p>short</p>', `<p>${'Lorem'.repeat(10)}</p>`, `<Modulus>${fake(86)}==</Modulus>`],
    },
  },
  {
    id: 'telegram_token',
    kind: 'SECRET',
    hints: [':aa'],
    find: decidedBy(WITHIN_WORD, findTelegram),
    examples: {
      hits: [`/bot⟦123456789:AA${fake(33)}⟧/get`],
      misses: ['12345678:AAB'],
    },
  },
  {
    id: 'azure_client_secret',
    kind: 'SECRET',
    hints: ['0q~', '1q~', '2q~', '3q~', '4q~', '5q~', '6q~', '7q~', '8q~', '9q~'],
    find: decidedBy(WITHIN_WORD, findAzureSecret),
    examples: { hits: [`s ⟦abc8Q~${fake(34)}⟧ t`], misses: ['a 8Q~x'] },
  },
  {
    // https://learn.microsoft.com/en-us/purview/sit-defn-azure-devops-personal-access-token (AZDO)
    // https://github.com/microsoft/security-utilities/blob/main/docs/ReadMe.md: the services' signatures in keys of fixed length
    id: 'azure_signed_key',
    kind: 'SECRET',
    hints: [
      'jqqj99',
      'azdo',
      '+ast',
      '+abr',
      '+aba',
      '+amc',
      '+asb',
      '+aeh',
      '+arm',
      'acdb',
      'azfu',
      'azse',
      'azca',
      'apim',
      'aiot',
      '+acr',
    ],
    find: decidedBy(WITHIN_WORD, findAzureKey),
    examples: {
      hits: [`pat ⟦${fake(52)}JQQJ99${fake(18)}AZDO${fake(4)}⟧ t`, `k=⟦${fake(76)}+ASt${fake(6)}==⟧`],
      misses: ['the AZDO pipeline', `${'abcdefghijklmnopqrs'.repeat(4)}AZDOabcd`, 'an APIM gateway'],
    },
  },
  {
    // https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/#bootstrap-token-format
    id: 'bootstrap_token',
    kind: 'SECRET',
    hints: ['token ', 'token=', 'token: ', 'token": '],
    find: matching(
      /token(?:[ =](?:create )?|"?: )["']?(?<v>[a-z0-9]{6}\.[a-z0-9]{16})(?![\w(-]|\.[\w(])/,
      (value) => /\d/.test(value.slice(7)) && isRandom(value),
    ),
    examples: {
      hits: [
        'kubeadm join h:6443 --token ⟦k7q2mx.9wrtb4vhn8lcy3sd⟧',
        'kubeadm token create ⟦k7q2mx.9wrtb4vhn8lcy3sd⟧',
      ],
      misses: ['token: config.readtokenfromenv', 'create script.backupdatabase()', 'token abcdef.short1'],
    },
  },
  {
    // https://openvpn.net/community-resources/static-key-mini-howto
    id: 'openvpn_static_key',
    kind: 'SECRET',
    hints: ['-----begin openvpn static key'],
    find: matching(
      /-----begin openvpn static key v1-----(?<v>(?:(?:\s|\\n){1,4}(?=[a-f]{0,31}\d)[a-f0-9]{1,32}){1,16})/i,
    ),
    examples: {
      hits: [
        `-----BEGIN OpenVPN Static key V1-----\n⟦${fakeHex(32)}\n${fakeHex(32)}⟧\n-----END OpenVPN Static key V1-----`,
      ],
      misses: ['-----BEGIN OpenVPN Static key V1-----\n...'],
    },
  },
  {
    id: 'terraform_token',
    kind: 'SECRET',
    hints: ['.atlasv1.'],
    find: decidedBy(WITHIN_WORD, findTerraform),
    examples: {
      hits: [`⟦${fake(14)}.atlasv1.${fake(67)}⟧`],
      misses: ['see x.atlasv1.y'],
    },
  },
  {
    // https://developers.deepl.com/docs/getting-started/auth: of the free plan
    id: 'deepl_key',
    kind: 'SECRET',
    hints: [':fx'],
    find: decidedBy(WITHIN_WORD, findDeepL),
    examples: {
      hits: ['k ⟦7f3a91c0-4be2-4d86-a57f-3a91c04be2d8:fx⟧ t'],
      misses: ['std:fx', '7f3a91c0-4be2-4d86-a57f-3a91c04be2d8:fx2'],
    },
  },
  {
    id: 'mailchimp_key',
    kind: 'SECRET',
    hints: ['-us'],
    find: onlyWhere(
      (text, at) => /[a-f0-9]{32}$/.test(text.slice(Math.max(0, at - 32), at)),
      decidedBy(WITHIN_WORD, findMailchimp),
    ),
    examples: {
      hits: ['⟦7f3a91c04be2d8657f3a91c04be2d865-us12⟧'],
      misses: ['en-us locale'],
    },
  },
  {
    // https://documentation.mailgun.com/docs/mailgun/api-reference/authentication tells of such keys, not of their form
    id: 'mailgun_new_key',
    kind: 'SECRET',
    trigger: 'hex-sign',
    find: decidedBy(WITHIN_WORD, findMailgun),
    examples: {
      hits: [`set ⟦${fakeHex(32)}-7f3a91c0-4be2d865⟧ there`],
      misses: ['7f3a91c0-4be2d865-7f3a91c0', `${fakeHex(33)}-7f3a91c0-4be2d865`, `${fakeHex(32)}-7f3a91c0`],
    },
  },
  {
    // https://docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys (40 characters)
    id: 'newrelic_license_key',
    kind: 'SECRET',
    hints: ['nral'],
    find: decidedBy(WITHIN_WORD, findNewRelic),
    examples: {
      hits: [`of ⟦${fakeHex(36)}NRAL⟧ now`, `of ⟦eu01xx${fakeHex(30)}NRAL⟧ now`],
      misses: ['ends in NRAL', `${fakeHex(30)}NRAL`, `${fakeHex(37)}NRAL`],
    },
  },
  {
    // https://developer.hashicorp.com/vault/docs/upgrading/upgrade-to-1.0.0: to 1.9, and those of OpenBao. Without a word
    // for them, `s.` is code.
    id: 'vault_old_token',
    kind: 'SECRET',
    hints: ['vault', ...[': ', '=', ' = ', ' ', '":"', '": "'].map((join) => `token${join}s.`)],
    find: matching(
      /(?:vault|token|bao)[\w-]{0,16}["']?(?: (?:is|was|login|token)){0,2}[ \t:="'`]{1,6}(?<v>[sbr]\.[A-Za-z0-9]{24}(?:\.[A-Za-z0-9]{5,6})?)(?!\w|\.\w)/i,
      (value) => /\d/.test(value) && /[A-Z]/.test(value) && isRandom(value),
    ),
    examples: {
      hits: [`X-Vault-Token: ⟦s.${fake(24)}⟧`, `vault login ⟦s.${fake(24)}⟧`],
      misses: ['token: s.slice', 'token = s.someVeryLongMethodNameHere', `vault s.${'a'.repeat(24)}`],
    },
  },
];
