import { decidedBy, fake, fakeHex } from '../rule.ts';
import type { Rule, Span } from '../rule.ts';
import { isKeyMaterial, isMachineMade } from './secret-value.ts';
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

const KEY_IN_LATIN =
  "(?:api|access|secret|private|zugangs|geheimer?|geheime|privater?|clés?|clave|chiave|chave|klucz|tajny)[- ]?(?:de )?(?:key|token|schlüssel|api|secr[eè]te|d['’]api|secreta|segreta|privada|privata|privée|d['’]accès|sleutel|klucz|prywatny)";
const KEY_IN_CYRILLIC = '(?:(?:api|апи|секретный|закрытый|приватный)[- ]?ключ)';
const KEY_IN_CJK =
  '(?:api ?)?(?:密钥|密鑰|金钥|金鑰|私钥|私鑰|秘密鍵|シークレット(?:キー)?|アクセスキー|apiキー|キー|비밀 ?키|api ?키|시크릿 ?키|액세스 ?키|암호 ?키)';

const KEY_BEFORE = /(?<![\w+/=~.-])[\w+/=~-]{20,256}["'\x60]?$/;
const NAME_BEHIND =
  / (?:(?:as|is) (?:(?:the|your|my|our|its) )?(?:(?!public|cache|partition|row|primary|next|page)[\w-]{2,20} ){0,3}(?:api[- ]?key|api[- ]?secret|secret|token|password|access key|secret key|key)(?![\w-]| (?:change|count|fix|limit|rotation))|as [A-Z][A-Z\d_]{0,32}_(?:KEY|TOKEN|SECRET|PASSWORD)(?!\w)|\((?:api key|token|secret)\))/iy;
/** The name of a variable says what it holds, whatever it looks like. */
const IS_VARIABLE = / [A-Z][A-Z\d_]{0,32}_(?:KEY|TOKEN|SECRET|PASSWORD)$/;
const UUID = /^[a-f\d]{8}(?:-[a-f\d]{4}){3}-[a-f\d]{12}$/i;

/** `at` is the blank behind the key. */
function findKeyBefore(text: string, at: number): Span | undefined {
  const found = KEY_BEFORE.exec(text.slice(Math.max(0, at - 260), at))?.[0].replace(/["'\x60]$/, '');
  if (found === undefined) return undefined;
  NAME_BEHIND.lastIndex = at;
  const name = NAME_BEHIND.exec(text)?.[0];
  if (
    name === undefined ||
    !(IS_VARIABLE.test(name) ? isMachineMade(found) || UUID.test(found) : isKeyMaterial(found))
  )
    return undefined;
  const end = /["'\x60]/.test(text.charAt(at - 1)) ? at - 1 : at;
  return { start: end - found.length, end };
}

/** Keys and tokens that a sentence or a member's name announces. */
export const ANNOUNCED_KEY_RULES: readonly Rule[] = [
  {
    // `… as the API secret`: the key stands before its name
    id: 'key_before_name',
    kind: 'SECRET',
    hints: [' as ', ' is the ', ' is my ', ' is our ', ' is your ', ' (api key', ' (token', ' (secret'],
    find: decidedBy(NAME_BEHIND, findKeyBefore),
    before: (text) => KEY_BEFORE.exec(text)?.index ?? -1,
    examples: {
      hits: [
        hit('I use ', fake(64), ' as the Confluent API secret'),
        hit('', fake(40), ' is the deploy token of staging'),
        hit('use ', '7f3a91c0-4be2-4d86-a57f-3a91c04be2d8', ' as HEROKU_API_KEY'),
      ],
      misses: [
        `${fakeHex(40)} is the commit of the token change`,
        `use ${fake(32)} as the cache key`,
        'use it as the API key',
      ],
    },
  },
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
