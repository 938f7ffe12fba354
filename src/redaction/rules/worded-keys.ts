import { isAlnum, wordsBefore } from '../characters.ts';
import { matchAt } from '../match-at.ts';
import { decidedBy, fake, fakeHex } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { isUuid, saysItIsExample } from '../validators.ts';
import { isKeyMaterial, isMachineMade } from './secret-value.ts';

/**
 * Keys of vendors that nobody has listed. A vendor that gives its keys a form puts together a name and a word that says
 * what it is or for which environment: `acme_live_…`, `acme_pat_…`, `signkey-prod-…`
 * (https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats).
 */

const WORDS = [
  'live',
  'prod',
  'production',
  'sandbox',
  'sbox',
  'staging',
  'pat',
  'sat',
  'oat',
  'api',
  'apikey',
  'key',
  'token',
  'tkn',
  'secret',
  'sk',
  'sec',
  'svc',
];
const BODY =
  /(?:[_-](?:live|prod|production|test|dev|sandbox|sbox|staging|api|key|token|secret|sk|v\d|[a-z]{2}\d?)){0,2}[_-]([\w-]{22,256}={0,2})(?![\w+/]|\.[a-z]\w{1,4}\b)/y;
const IN_FRONT = /(?:^|[^\w-])((?:[a-z][a-z\d]{0,15}[_-]){0,2}[a-z][a-z\d]{0,15})$/i;
/** What vendors show to everybody, and what is no key: ids of payments, caches, files. */
const PUBLIC =
  /(?:^|[_-])(?:pk|pub|public|publishable|anon|client|cs|id|cache|etag|hash|sha\d*|file|img|css|js|msg|req|run|job|task|trace|span)(?:[_-]|$)/i;

/** Ids of things are in the form of a UUID as well. */
const OF_KEYS = /key|pat|secret|sk|token/i;
/** Words with numbers between them are of names and dates. */
const MIXED = /(?=[A-Za-z]{0,24}\d)(?=[a-z\d]{0,24}[A-Z])(?=[A-Z\d]{0,24}[a-z])[A-Za-z\d]{8}/;

/** Builds and images are called after a name, an environment and a hash. */
const SAYS_KEY = /key|secret|token|live|[_-]pat[_-]|[_-]sk[_-]/i;

function isBody(body: string, word: string, front: string): boolean {
  if (isUuid(body)) return OF_KEYS.test(word);
  if (/^[a-f\d]+$/.test(body) && !SAYS_KEY.test(front)) return false;
  return /[-_=]/.test(body) ? isKeyMaterial(body) && MIXED.test(body) : isMachineMade(body);
}

/** Whether no more than a name has stands before `at` in one word. */
function mayBeNamed(text: string, at: number): boolean {
  let start = at;
  while (start > 0 && at - start <= MAX_NAME && isInName(text.charCodeAt(start - 1))) start--;
  return start < at && at - start <= MAX_NAME;
}

const MAX_NAME = 50;

function isInName(unit: number): boolean {
  return isAlnum(unit) || unit === DASH || unit === UNDERSCORE;
}

const DASH = 45;
const UNDERSCORE = 95;

/** `at` is the sign in front of the word. */
function findWorded(text: string, at: number): Span | undefined {
  if (!mayBeNamed(text, at)) return undefined;
  const word = /^[_-][a-z]{2,10}/i.exec(text.slice(at, at + 12))?.[0] ?? '';
  const found = matchAt(BODY, text, at + word.length);
  if (!found) return undefined;
  const name = IN_FRONT.exec(wordsBefore(text, at, 52))?.[1];
  const body = found[1] ?? '';
  const end = at + word.length + found[0].length;
  if (name === undefined || PUBLIC.test(name + word)) return undefined;
  const start = at - name.length;
  if (!isBody(body, word, text.slice(start, end - body.length))) return undefined;
  return saysItIsExample(text.slice(start, end)) ? undefined : { start, end };
}

export const WORDED_KEY_RULES: readonly Rule[] = [
  {
    id: 'worded_key',
    kind: 'SECRET',
    hints: WORDS.flatMap((word) => [`_${word}_`, `-${word}-`, `-${word}_`, `_${word}-`]),
    find: decidedBy(/[_-][a-z]{2,10}[\w=+/-]{0,340}(?:\.\w{0,5}[^]?)?/i, findWorded),
    examples: {
      hits: [
        `use ⟦acme_live_${fake(32)}⟧ now`,
        `⟦acmekey-prod-${fakeHex(64)}⟧`,
        `⟦acme-live-${fake(11)}-${fake(18)}=⟧`,
        `"⟦acme_api_v1_${fake(24)}⟧"`,
      ],
      misses: [
        `acme_pk_live_${fake(32)}`,
        'my_test_key_for_everything_in_2024',
        'deploy-prod-7f3a91c04be2d8657f3a91c0',
        `image-prod-${fakeHex(12)}.tar`,
        `main-prod-${fake(22)}.js`,
        `web-prod-${fakeHex(40)}`,
        `acme-api-${fakeHex(64)}`,
        `cache_key_${fake(32)}`,
        `index_api_${fake(20)}`,
        'backup-prod-2024-11-23-FullExportOfOrders',
        'order-live-7f3a91c0-4be2-4d86-a57f-3a91c04be2d8',
      ],
    },
  },
];
