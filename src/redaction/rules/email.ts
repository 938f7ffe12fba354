import { isAlnum, UNSPACED } from '../characters.ts';
import { matchAt } from '../match-at.ts';
import { decidedBy, onlyWhere } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { begun } from '../open-pattern.ts';

/** Addresses of RFC 5321 as people write them, with the letters of RFC 6531, and as they spell them out. */

const LETTER = String.raw`A-Za-z0-9\u00c0-\u024f\u0370-\u052f`;
const LOCAL = new RegExp(`[${LETTER}._%+'-]`);
const MAX_LOCAL = 64;
/** Only where it ends in one, a local part has such letters. */
const ENDS_UNSPACED = new RegExp(`[${UNSPACED}]{1,12}$`);
/** Top-level domains in these scripts (IANA's root zone). */
const UNSPACED_TLD =
  '中国|中國|香港|台湾|台灣|新加坡|한국|公司|网络|網絡|网址|网站|在线|企业|集团|世界|政务|公益|移动|商城|商标|我爱你|コム|みんな|닷컴|닷넷';
/** RFC 5321: any sign may stand in quotes. Of several words the last one is hidden. */
const QUOTED_LOCAL = /(?<![^\s"<([:,;=])"?[^\s"\\@]{1,64}"$/;
/** A mail client can break the line behind the `@`. */
const DOMAIN = new RegExp(
  String.raw`(?:@(?:(?:\r?\n|\\n)[ \t>]{0,8})?|%40)((?:[${LETTER}${UNSPACED}](?:[${LETTER}${UNSPACED}-]{0,62})\.){1,8})([A-Za-z\u0430-\u044f]{2,24}|${UNSPACED_TLD})(?![A-Za-z0-9])`,
  'y',
);
/** What stands after an `@` in file names and package specifiers. */
const NOT_A_TLD =
  /^(?:png|jpe?g|gif|svg|webp|js|mjs|cjs|ts|tsx|json|css|html?|md|py|rb|go|rs|sh|lock|tgz|zip|whl|internal|local|localhost)$/i;

/** A remote of git and the password of a URL are no addresses. `at` is the `@`, or its percent code. */
function findEmail(text: string, at: number): Span | undefined {
  const domain = matchAt(DOMAIN, text, at);
  if (!domain || NOT_A_TLD.test(domain[2] ?? '') || /^[\d.]+$/.test(domain[1] ?? '')) return undefined;
  const start = localStart(text, at);
  if (start >= at) return undefined;
  const before = text.charAt(start - 1);
  if (before === ':' && /:\/\/[^\s/@]{0,128}$/.test(text.slice(Math.max(0, start - 132), start)))
    return undefined;
  const end = at + domain[0].length;
  if (text.slice(start, at) === 'git' && (text.charAt(end) === ':' || before === '/')) return undefined;
  return { start, end };
}

/** Where the part before the `@` begins; an escape in front of it does not belong to it. */
function localStart(text: string, at: number): number {
  const last = text.charCodeAt(at - 1);
  const quoted = last === QUOTE && QUOTED_LOCAL.exec(text.slice(Math.max(0, at - MAX_LOCAL - 2), at));
  if (quoted) return at - quoted[0].length;
  const unspaced = last > MAX_ASCII && ENDS_UNSPACED.exec(text.slice(Math.max(0, at - MAX_LOCAL), at));
  if (unspaced) return at - unspaced[0].length;
  let start = at;
  while (start > 0 && at - start < MAX_LOCAL && isInLocal(text, start - 1)) start--;
  const escape = /(?:\\[nrt]|%[0-9A-Fa-f]{2})/.exec(text.slice(Math.max(0, start - 1), at));
  if (escape && escape.index <= 1) start = Math.max(0, start - 1) + escape.index + escape[0].length;
  while (start < at && /[.'%-]/.test(text.charAt(start))) start++;
  return start;
}

const QUOTE = 34;
const MAX_ASCII = 0x7f;

function isInLocal(text: string, at: number): boolean {
  return isAlnum(text.charCodeAt(at)) || LOCAL.test(text.charAt(at));
}

const AT = /\s{0,2}[([{<]\s?(?:at|@)\s?[)\]}>]\s{0,2}|\s{1,2}(?:at|@)\s{1,2}|@/gi;
const DOT = String.raw`(?:\s{0,2}[([{<]\s?(?:dot|\.)\s?[)\]}>]\s{0,2}|\s{1,2}dot\s{1,2}|\.)`;
const SPELLED_DOMAIN = new RegExp(
  String.raw`[a-z0-9-]{1,63}(?:${DOT}[a-z0-9-]{1,63}){0,3}${DOT}([a-z]{2,24})(?!\w)`,
  'iy',
);
/** In plain words `at` and `dot` are only taken for signs before one of these. */
const COMMON_TLD =
  /^(?:com|org|net|edu|gov|io|co|dev|ai|app|info|uk|de|fr|es|it|nl|ch|at|eu|ca|au|in|jp|us)$/i;
const MAIL_WORD = /(?:e-?mail|mail|contact|write|reach|address|send|ping)\b[^.\n]{0,24}$/i;
const NO_LOCAL =
  /^(?:us|me|him|her|it|them|you|look|is|are|was|be|shop|hosted|found|available|here|team|support)$/i;

/** How far before `dot` its address's `at` can stand. */
const MAX_SPELLED = 100;

/** `jane (at) example (dot) com`. `at` is at `dot` or `at`. */
function findSpelledEmail(text: string, at: number): Span | undefined {
  const from = Math.max(0, at - MAX_SPELLED);
  const sign = Array.from(text.slice(from, at + 6).matchAll(AT)).at(-1);
  if (!sign) return undefined;
  const signStart = from + sign.index;
  const start = localStart(text, signStart);
  const domain = matchAt(SPELLED_DOMAIN, text, signStart + sign[0].length);
  const end = signStart + sign[0].length + (domain?.[0].length ?? 0);
  if (!domain || start >= signStart || end <= at || NOT_A_TLD.test(domain[1] ?? '')) return undefined;
  const isPlainWords = /^\s{1,2}(?:at|@)\s{1,2}$/i.test(sign[0]);
  if (isPlainWords && !isLikelyAddress(text, start, signStart, domain[1] ?? '')) return undefined;
  return { start, end };
}

function isLikelyAddress(text: string, start: number, end: number, tld: string): boolean {
  const local = text.slice(start, end);
  if (!COMMON_TLD.test(tld) || NO_LOCAL.test(local) || /^v?[\d.]+$/i.test(local)) return false;
  return /[._\d]/.test(local) || MAIL_WORD.test(text.slice(Math.max(0, start - 40), start));
}

const LOCAL_PART = `${LOCAL.source}{1,${MAX_LOCAL}}`;
/** An address that is spelled out, up to where its hint may stand, as far as it is there. */
const SPELLED_BEGUN = begun(
  new RegExp(
    String.raw`(?<!${LOCAL.source})(?:${LOCAL_PART}(?:\s{0,2}[([{<]\s?(?:at|@)\s?[)\]}>]\s{0,2}|@)|(?:${LOCAL.source}{0,${MAX_LOCAL}}[._\d]${LOCAL.source}{0,${MAX_LOCAL}}|(?<=${MAIL_WORD.source.slice(0, -1)})${LOCAL_PART})\s{1,2}(?:at|@)\s{1,2})${SPELLED_DOMAIN.source}`,
    'i',
  ),
);
/** What every sign begins with that may stand for the `@`, and a place where one may. */
const SIGN_BEGUN = /[@([{<]|\sa(?:t?$|t\s)|\s$/i;
const SPELLED_END = new RegExp(
  String.raw`(?:dot|at| @)\s?[)\]}>]?\s{0,2}[a-z0-9-]{1,63}(?:${DOT}[a-z0-9-]{1,63}){0,4}[^]`,
  'i',
);

function isSpelledSign(text: string, at: number): boolean {
  if (text.charAt(at) === ' ') return true;
  const length = text.charAt(at).toLowerCase() === 'd' ? 3 : 2;
  return !/\w/.test(text.charAt(at - 1)) && !/\w/.test(text.charAt(at + length));
}

/** Whatever stands behind an address tells whether it is one. */
const ADDRESS_END = new RegExp(String.raw`${DOMAIN.source}[^]{0,2}`);

export const EMAIL_RULES: readonly Rule[] = [
  {
    id: 'spec.email',
    kind: 'EMAIL',
    trigger: 'at',
    find: decidedBy(ADDRESS_END, findEmail),
    examples: {
      hits: [
        'mail ⟦jane.doe+x@mail.example.com⟧ now',
        String.raw`"a\n⟦bob@example.org⟧"`,
        'to ⟦jürgen@müller.example.de⟧',
        'to ⟦"jane(x),roe"@example.com⟧.',
        'write to ⟦jane@\nexample.com⟧.',
        '邮箱是⟦jane@例子.公司⟧。',
        'to ⟦用户@例え.jp⟧ now',
      ],
      misses: [
        'git@github.com:a/b.git',
        'lodash@4.17.21',
        '@scope/pkg',
        'icon@2x.png',
        'postgres://u:pw@db.example.com/x',
        'a @ b.com',
        '@小明.看这里',
      ],
    },
  },
  {
    id: 'email-encoded',
    kind: 'EMAIL',
    hints: ['%40'],
    find: decidedBy(ADDRESS_END, findEmail),
    examples: {
      hits: ['https://a.example/x?to=⟦jane.doe%40mail.example.com⟧&y=1'],
      misses: ['https://a.example/%40scope%2Fpkg', 'lodash%404.17.21', 'icon%402x.png'],
    },
  },
  {
    id: 'email_spelled',
    kind: 'EMAIL',
    hints: ['dot', 'at)', 'at]', 'at}', ' @ '],
    find: onlyWhere(isSpelledSign, decidedBy(SPELLED_END, findSpelledEmail)),
    before: (text) => (SIGN_BEGUN.test(text) ? text.search(SPELLED_BEGUN) : -1),
    examples: {
      hits: [
        'ask ⟦jane (at) example (dot) com⟧',
        'ask ⟦jane[at]example.com⟧ now',
        'contact ⟦jane at mail dot example dot org⟧',
        'I am ⟦j.doe at example dot com⟧',
        'I am ⟦j.doe @ example.com⟧',
        'mail ⟦jane @ example.com⟧',
      ],
      misses: [
        'look at amazon dot com',
        'dinner @ example.com',
        'version 1.2 @ example.com',
        'name @ https://example.com/x.tgz',
        'arrive at noon, dot the i',
        'contact us at example dot com',
        'a.map(at) x.y',
        'format(at).then',
      ],
    },
  },
];
