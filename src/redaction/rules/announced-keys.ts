import { listOf } from '../rule.ts';
import type { Rule } from '../rule.ts';
import {
  announced,
  joinedInCjk,
  CJK_VALUE,
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
const KEY_IN_CYRILLIC =
  '(?:(?:api|апи|секретный|закрытый|приватный)[- ]?ключ|ключ (?:api|апи|доступа|шифрования)|токен(?: доступа| api)?)';
const KEY_IN_CJK =
  '(?:api ?)?(?:密钥|密鑰|金钥|金鑰|私钥|私鑰|秘密鍵|シークレット(?:キー)?|アクセスキー|apiキー|キー|비밀 ?키|api ?키|시크릿 ?키|액세스 ?키|암호 ?키)';

/** Keys and tokens that a sentence or a member's name announces. */
export const ANNOUNCED_KEY_RULES: readonly Rule[] = [
  {
    id: 'announced_key',
    kind: 'SECRET',
    hints: listOf(
      'api key|api-key|api-s|api token|access key|access token|zugangsschl|geheime|privater schl|clé ',
      'clés |clave |chiave |chave |klucz |tajny klucz|api-ключ|api ключ|секретный ключ|закрытый ключ',
      'приватный ключ|ключ api|ключ апи|ключ доступа|ключ шифрования|токен',
    ),
    find: announced(
      String.raw`(?:${KEY_IN_LATIN}|${KEY_IN_CYRILLIC})${OF_WHAT}(?:${SIGN}|${VERB})${OPEN_QUOTE}${VALUE}`,
      isKey,
    ),
    examples: {
      hits: [
        'the API key is ⟦kqzvbnmtrewp77⟧',
        'Geheimer Schlüssel: ⟦kqzvbnmtrewp77⟧',
        'la clé secrète est ⟦kqzvbnmtrewp77⟧',
        'секретный ключ: ⟦kqzvbnmtrewp77⟧',
        'ключ доступа: ⟦kqzvbnmtrewp77⟧',
        'токен API: ⟦kqzvbnmtrewp77⟧',
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
      hits: ['API密钥：⟦kqzvbnmtrewp77⟧', 'APIキーは⟦kqzvbnmtrewp77⟧です', '비밀키: ⟦kqzvbnmtrewp77⟧'],
      misses: ['密钥是 string', 'APIキーを設定してください'],
    },
  },
];
