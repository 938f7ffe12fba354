import { fake, fakeHex, matching, onlyWhere } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { isPlaceholder, isRandom } from '../validators.ts';
import { hit, OF_WHAT, SIGN, VERB } from './announcement.ts';
import { isKeyMaterial } from './secret-value.ts';

/** What a key is for, or whose it is, where that makes it a secret one. */
const IS_SECRET =
  /(?:^|[^\w-])(?:account|admin|consumer|deploy|encryption|ingest(?:ion)?|integration|licen[cs]e|master|private|service|signing|write) $/i;
/** Keys and tokens of tables, stores, pages and lists, and those that are shown to everybody. */
const IS_PUBLIC =
  /(?:public|publishable|anon|anonymous|site|primary|foreign|composite|partition|shard|sort|cache|idempotency|dedup\w{0,12}|routing|row|map|object|document|item|file|record|lookup|host|ssh|index|unique|group|hash|trace|s3|next|page|pagination|continuation|resume|sync)[ _-]?$/i;

const JOINED_KEYS = ['key: ', 'key:** ', 'key = ', 'key is ', 'key was '];
/** Where a value of another kind follows, the first word of it decides. */
const WHOLE_VALUE = String.raw`(?:${SIGN}(?:\*\*[ \t]{1,4})?|${VERB})["'\x60]?(?<v>[\w+=~-][\w+/=~-]{19,511})(?![\w+/=~:-]|\.\w)`;

/** Also in hex, but for the fingerprint of a public key as OpenPGP writes it. */
const isKeyMaterialOrHex = (value: string): boolean =>
  isKeyMaterial(value) ||
  (/^(?:[a-f\d]{32,128}|[A-F\d]{32,128})$/.test(value) &&
    !/^[A-F\d]{40}$/.test(value) &&
    isRandom(value) &&
    !isPlaceholder(value));

/** Keys that only a machine makes, behind any word for a key. */
export const MACHINE_MADE_KEY_RULES: readonly Rule[] = [
  {
    id: 'secret_key_of',
    kind: 'SECRET',
    hints: [...JOINED_KEYS, 'key for '],
    find: onlyWhere(
      (text, at) => IS_SECRET.test(text.slice(Math.max(0, at - 16), at)),
      matching(new RegExp(`key${OF_WHAT}${WHOLE_VALUE}`, 'iu'), isKeyMaterialOrHex),
    ),
    examples: {
      hits: [
        hit('algolia admin key: ', fakeHex(32)),
        hit('**Write key:** `', fake(30), '`'),
        hit('the license key is ', fake(30), '.'),
        hit('the signing key for staging = ', fake(30)),
      ],
      misses: [
        'the signing key: 4AEE18F83AFDEB234AEE18F83AFDEB234AEE18F8',
        'private key: /etc/ssl/private/server.pem',
        'the admin key is missing',
        `public key: ${fakeHex(64)}`,
      ],
    },
  },
  {
    id: 'machine_made_key',
    kind: 'SECRET',
    hints: [...JOINED_KEYS, 'token is ', 'token was '],
    find: onlyWhere(
      (text, at) => !IS_PUBLIC.test(text.slice(Math.max(0, at - 24), at)),
      matching(new RegExp(`(?:key|token)${WHOLE_VALUE}`, 'i'), isKeyMaterial),
    ),
    examples: {
      hits: [hit('key: ', fake(30)), hit('the deploy token is ', fake(30), '.')],
      misses: [
        `key: ${fakeHex(32)}`,
        `partition key: ${fake(30)}`,
        `the next token is ${fake(30)}`,
        'key: ArrowDownKeyPressedHandler2',
        'the token is expired',
      ],
    },
  },
];
