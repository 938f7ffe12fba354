import { fake, fakeHex, matching, onlyWhere } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { isPlaceholder, isRandom } from '../validators.ts';
import {
  announced,
  joinedInCjk,
  CJK_VALUE,
  hit,
  isKey,
  OF_WHAT,
  OPEN_QUOTE,
  PARTICLE,
  SIGN,
  VALUE,
  VERB,
} from './announcement.ts';
import { isKeyMaterial } from './secret-value.ts';

const KEY_IN_LATIN =
  "(?:api|access|secret|private|zugangs|geheimer?|geheime|privater?|clés?|clave|chiave|chave|klucz|tajny)[- ]?(?:de )?(?:key|token|schlüssel|api|secr[eè]te|d['’]api|secreta|segreta|privada|privata|privée|d['’]accès|sleutel|klucz|prywatny)";
const KEY_IN_CYRILLIC = '(?:(?:api|апи|секретный|закрытый|приватный)[- ]?ключ)';
const KEY_IN_CJK =
  '(?:api ?)?(?:密钥|密鑰|金钥|金鑰|私钥|私鑰|秘密鍵|シークレット(?:キー)?|アクセスキー|apiキー|キー|비밀 ?키|api ?키|시크릿 ?키|액세스 ?키|암호 ?키)';

/** What a key is for, or whose it is, where that makes it a secret one. */
const SECRET_KEYS = [
  'account',
  'admin',
  'consumer',
  'deploy',
  'encryption',
  'ingest',
  'ingestion',
  'integration',
  'licence',
  'license',
  'master',
  'private',
  'service',
  'signing',
  'write',
];
/** Keys and tokens of tables, stores, pages and lists, and those that are shown to everybody. */
const IS_PUBLIC =
  /(?:public|publishable|anon|anonymous|site|primary|foreign|composite|partition|shard|sort|cache|idempotency|dedup\w{0,12}|routing|row|map|object|document|item|file|record|lookup|host|ssh|index|unique|group|hash|trace|s3|next|page|pagination|continuation|resume|sync)[ _-]?$/i;

/** Where a value of another kind follows, the first word of it decides. */
const WHOLE_VALUE = String.raw`(?:${SIGN}|${VERB})["'\x60]?(?<v>[\w+=~-][\w+/=~-]{19,511})(?![\w+/=~:-]|\.\w)`;

/** Also in hex, but for the fingerprint of a public key as OpenPGP writes it. */
const isKeyMaterialOrHex = (value: string): boolean =>
  isKeyMaterial(value) ||
  (/^(?:[a-f\d]{32,128}|[A-F\d]{32,128})$/.test(value) &&
    !/^[A-F\d]{40}$/.test(value) &&
    isRandom(value) &&
    !isPlaceholder(value));

/** Keys and tokens that a sentence or a member's name announces. */
export const ANNOUNCED_KEY_RULES: readonly Rule[] = [
  {
    id: 'announced_key',
    kind: 'SECRET',
    hints: [
      'api key',
      'api-key',
      'api-s',
      'api token',
      'access key',
      'access token',
      'zugangsschl',
      'geheime',
      'privater schl',
      'clé ',
      'clés ',
      'clave ',
      'chiave ',
      'chave ',
      'klucz ',
      'tajny klucz',
      'api-ключ',
      'api ключ',
      'секретный ключ',
      'закрытый ключ',
      'приватный ключ',
    ],
    find: announced(
      String.raw`(?:${KEY_IN_LATIN}|${KEY_IN_CYRILLIC})${OF_WHAT}(?:${SIGN}|${VERB})${OPEN_QUOTE}${VALUE}`,
      isKey,
    ),
    examples: {
      hits: [
        hit('the API key is ', 'kqzvbnmtrewp77'),
        hit('Geheimer Schlüssel: ', 'kqzvbnmtrewp77'),
        hit('la clé secrète est ', 'kqzvbnmtrewp77'),
        hit('секретный ключ: ', 'kqzvbnmtrewp77'),
      ],
      misses: [
        'the API key is missing',
        'api key: see the wiki',
        'clé : valeur',
        'chave de API: obrigatória',
      ],
    },
  },
  {
    id: 'secret_key_of',
    kind: 'SECRET',
    hints: SECRET_KEYS.map((word) => `${word} key`),
    wordStart: true,
    find: matching(
      new RegExp(String.raw`(?:${SECRET_KEYS.join('|')}) key${OF_WHAT}${WHOLE_VALUE}`, 'iu'),
      isKeyMaterialOrHex,
    ),
    examples: {
      hits: [
        hit('algolia admin key: ', fakeHex(32)),
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
    hints: ['key: ', 'key = ', 'key is ', 'key was ', 'token is ', 'token was '],
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
  {
    id: 'announced_key_cjk',
    kind: 'SECRET',
    hints: [
      ...joinedInCjk(['密钥', '密鑰', '金钥', '金鑰', '私钥', '私鑰']),
      '秘密鍵',
      'シークレット',
      'アクセスキー',
      'apiキー',
      '비밀키',
      '비밀 키',
      'api키',
      'api 키',
      '시크릿',
      '액세스',
    ],
    find: announced(
      String.raw`${KEY_IN_CJK}(?:${SIGN}|${PARTICLE})${OPEN_QUOTE}${CJK_VALUE}`,
      (said) => /^[!-~]+$/.test(said.value) && isKey(said),
    ),
    examples: {
      hits: [
        hit('API密钥：', 'kqzvbnmtrewp77'),
        hit('APIキーは', 'kqzvbnmtrewp77', 'です'),
        hit('비밀키: ', 'kqzvbnmtrewp77'),
      ],
      misses: ['密钥是 string', 'APIキーを設定してください'],
    },
  },
];
