import { isAlnum, isDigit } from '../characters.ts';
import { decidedBy, fake, fakeHex, matching, MAX_MATCH, onlyWhere, WITHIN_WORD } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { isRandom } from '../validators.ts';

const PEM_HEAD = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const PEM_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;

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
  PEM_LINES.lastIndex = body;
  let end = body + (PEM_LINES.exec(text)?.[0].length ?? 0);
  while (end - body < MAX_MATCH) {
    PEM_PIECE.lastIndex = end;
    const piece = PEM_PIECE.exec(text);
    if (!piece?.[1]) break;
    const next = end + piece[0].length;
    const isWord = piece[1].length < 16 && !/\d/.test(piece[1]);
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
  PEM_HEAD.lastIndex = at;
  const head = PEM_HEAD.exec(text);
  if (!head) return undefined;
  const body = at + head[0].length;
  return text.length < body + MAX_MATCH && !PEM_END.test(text.slice(body)) ? at : undefined;
}

/** RFC 7468 text of a private key, also with escaped line ends. */
function findPem(text: string, at: number): Span | undefined {
  PEM_HEAD.lastIndex = at;
  const head = PEM_HEAD.exec(text);
  if (!head) return undefined;
  const body = at + head[0].length;
  const nextHead = text.indexOf('-----BEGIN', body);
  const limit = Math.min(body + MAX_MATCH, nextHead < 0 ? text.length : nextHead);
  const tail = PEM_END.exec(text.slice(body, limit));
  if (tail) return { start: at, end: body + tail.index + tail[0].length };
  return { start: at, end: openPemEnd(text, body) };
}

/** A compact JWS or JWE whose header decodes to JSON with an `alg` (RFC 7515, 7516). */
function isJwt(value: string): boolean {
  const header = Buffer.from(value.slice(0, value.indexOf('.')), 'base64url').toString('latin1');
  return header.startsWith('{') && /"(?:alg|typ|enc|kid)"/.test(header);
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

/** 32 hex digits and the data centre: `…-us12`. `at` is the dash. */
function findMailchimp(text: string, at: number): Span | undefined {
  const centre = /^-us\d{1,2}(?![\w-])/.exec(text.slice(at, at + 7));
  if (!centre || at < 32 || !/^[a-f0-9]{32}$/.test(text.slice(at - 32, at))) return undefined;
  return { start: at - 32, end: at + centre[0].length };
}

/** 32 hex digits and twice eight: `…-7f3a91c0-4be2d865`. `at` is the first dash. */
function findMailgun(text: string, at: number): Span | undefined {
  const behind = /^-[a-f0-9]{8}-[a-f0-9]{8}(?![\w-])/.exec(text.slice(at, at + 19));
  if (!behind || !/(?:^|[^a-z\d-])[a-f0-9]{32}$/i.test(text.slice(Math.max(0, at - 33), at)))
    return undefined;
  return { start: at - 32, end: at + behind[0].length };
}

/** 40 characters that end so, of which those before are hex digits, or begin with the region. `at` is where the end begins. */
function findNewRelic(text: string, at: number): Span | undefined {
  const start = at - 36;
  if (start < 0 || !/^NRAL(?!\w)/.test(text.slice(at, at + 5))) return undefined;
  if (!/(?:^|\W)(?:[a-f0-9]{36}|[a-z]{2}\d\dx{2}[a-f0-9]{30})$/.test(text.slice(Math.max(0, start - 1), at)))
    return undefined;
  return { start, end: at + 4 };
}

const FAKE_JWT = [
  Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url'),
  Buffer.from('{"sub":"1234567890"}').toString('base64url'),
  fake(43),
].join('.');

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
        { text: `a ${pem('RSA PRIVATE KEY')} b`, hidden: pem('RSA PRIVATE KEY') },
        { text: `cut: -----BEGIN PRIVATE KEY-----\n${fake(60)}\n${fake(30)}`, hidden: fake(60) },
      ],
      misses: [pem('CERTIFICATE'), pem('PUBLIC KEY')],
    },
  },
  {
    id: 'jwt',
    kind: 'SECRET',
    hints: ['eyj'],
    wordStart: true,
    find: matching(/eyJ[\w-]{8,4000}\.[\w-]{2,8000}\.[\w-]{0,4000}(?:\.[\w-]{1,4000}){0,2}/, isJwt),
    consumes: true,
    examples: { hits: [{ text: `t=${FAKE_JWT}.`, hidden: FAKE_JWT }], misses: [`eyJ${fake(30)}`] },
  },
  {
    id: 'jwk',
    kind: 'SECRET',
    hints: ['"d"', '"k"', '"p"', '"q"', '"dp"', '"dq"', '"qi"'],
    find: matching(/"(?:d[pq]?|qi?|[kp])"\s{0,8}:\s{0,8}"(?<v>[\w-]{22,2048})/),
    examples: {
      hits: [{ text: `{"kty":"EC","d":"${fake(43)}"}`, hidden: fake(43) }],
      misses: ['{"d":"short","q":"what is the weather"}'],
    },
  },
  {
    id: 'telegram_token',
    kind: 'SECRET',
    hints: [':aa'],
    find: decidedBy(WITHIN_WORD, findTelegram),
    examples: {
      hits: [{ text: `/bot123456789:AA${fake(33)}/get`, hidden: `123456789:AA${fake(33)}` }],
      misses: ['12345678:AAB'],
    },
  },
  {
    id: 'azure_client_secret',
    kind: 'SECRET',
    hints: ['0q~', '1q~', '2q~', '3q~', '4q~', '5q~', '6q~', '7q~', '8q~', '9q~'],
    find: decidedBy(WITHIN_WORD, findAzureSecret),
    examples: { hits: [{ text: `s abc8Q~${fake(34)} t`, hidden: `abc8Q~${fake(34)}` }], misses: ['a 8Q~x'] },
  },
  {
    id: 'terraform_token',
    kind: 'SECRET',
    hints: ['.atlasv1.'],
    find: decidedBy(WITHIN_WORD, findTerraform),
    examples: {
      hits: [{ text: `${fake(14)}.atlasv1.${fake(67)}`, hidden: `${fake(14)}.atlasv1.${fake(67)}` }],
      misses: ['see x.atlasv1.y'],
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
      hits: [
        { text: '7f3a91c04be2d8657f3a91c04be2d865-us12', hidden: '7f3a91c04be2d8657f3a91c04be2d865-us12' },
      ],
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
      hits: [
        {
          text: `set ${fakeHex(32)}-7f3a91c0-4be2d865 there`,
          hidden: `${fakeHex(32)}-7f3a91c0-4be2d865`,
        },
      ],
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
      hits: [
        { text: `of ${fakeHex(36)}NRAL now`, hidden: `${fakeHex(36)}NRAL` },
        { text: `of eu01xx${fakeHex(30)}NRAL now`, hidden: `eu01xx${fakeHex(30)}NRAL` },
      ],
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
      /(?:vault|token|bao)[\w-]{0,16}["']?(?: (?:is|was|login|token)){0,2}[ \t:="'`]{1,6}(?<v>[sbr]\.[A-Za-z0-9]{24}(?:\.[A-Za-z0-9]{5,6})?)(?![\w.])/i,
      (value) => /\d/.test(value) && /[A-Z]/.test(value) && isRandom(value),
    ),
    examples: {
      hits: [
        { text: `X-Vault-Token: s.${fake(24)}`, hidden: `s.${fake(24)}` },
        { text: `vault login s.${fake(24)}`, hidden: `s.${fake(24)}` },
      ],
      misses: ['token: s.slice', 'token = s.someVeryLongMethodNameHere', `vault s.${'a'.repeat(24)}`],
    },
  },
];
