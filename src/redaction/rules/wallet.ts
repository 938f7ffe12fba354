import { matching } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { isRandom } from '../validators.ts';

/** Accounts of blockchains, their private keys, and keys of licences. */

const BASE58 = '[1-9A-HJ-NP-Za-km-z]';
const HEX_DIGITS = Array.from('0123456789abcdef');
/** Where something is said to be a private key. */
const SAID_TO_BE = String.raw`(?:["']?(?: (?:is|was|in hex|hex|here|of the wallet)){0,2}[ \t]{0,2}[:=]?[ \t]{0,2}\\{0,2}["'\x60(]?)`;

export const WALLET_RULES: readonly Rule[] = [
  {
    // https://eips.ethereum.org/EIPS/eip-55: 20 bytes; those of the system begin with zeros
    id: 'ethereum_address',
    kind: 'WALLET',
    hints: HEX_DIGITS.map((digit) => `0x${digit}`),
    wordStart: true,
    find: matching(/0x(?!0{12})[\da-f]{40}(?![\da-z])/i, (value) => !/^0x(.)\1*$/.test(value)),
    examples: {
      hits: ['sent to ⟦0x52908400098527886E0F7030069857D2E4169EE7⟧.'],
      misses: [
        `0x${'0'.repeat(39)}1`,
        `0x${'f'.repeat(40)}`,
        'at 0x7ffee4b1a2c8',
        `tx 0x${'7f3a91c04be2d865'.repeat(4)}`,
      ],
    },
  },
  {
    // https://github.com/bitcoin/bips/blob/master/bip-0173.mediawiki
    id: 'bech32_address',
    kind: 'WALLET',
    hints: ['bc1q', 'bc1p', 'tb1q', 'tb1p', 'ltc1q'],
    wordStart: true,
    find: matching(/(?:bc|tb|ltc)1[02-9ac-hj-np-z]{39,87}(?![\w])/i),
    examples: {
      hits: ['pay ⟦bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4⟧ now'],
      misses: ['bc1query', 'the bc1q form'],
    },
  },
  {
    id: 'announced_wallet',
    kind: 'WALLET',
    hints: ['bitcoin', 'btc', 'wallet', 'litecoin', 'dogecoin', 'solana', 'tron addr', 'ripple addr', 'xrp'],
    wordStart: true,
    find: matching(
      new RegExp(
        String.raw`(?:bitcoin|btc|wallet|litecoin|dogecoin|solana|tron|ripple|xrp)(?:[ _-]?(?:wallet|address|addr|account|id)){0,2}\\{0,2}["']?(?: (?:is|was|at|to))?[ \t]{0,2}[:=]?[ \t]{1,2}\\{0,2}["'\x60]?(?<v>${BASE58}{26,44})(?!\w)`,
        'i',
      ),
      (value) => isRandom(value) && /[A-Z]/.test(value) && /\d/.test(value),
    ),
    examples: {
      hits: ['my BTC address is ⟦1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa⟧.'],
      misses: ['bitcoin address formats', 'wallet: WalletConnectorFactoryProviderBean'],
    },
  },
  {
    // https://github.com/bitcoin/bips/blob/master/bip-0032.mediawiki (xpub and its kin are public and stay)
    id: 'extended_private_key',
    kind: 'SECRET',
    hints: ['xprv', 'yprv', 'zprv', 'tprv', 'uprv', 'vprv'],
    wordStart: true,
    find: matching(new RegExp(`[xyztuv]prv${BASE58}{100,110}`)),
    examples: {
      hits: [
        'root ⟦xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi⟧',
      ],
      misses: ['xprv keys', 'xprv9s21ZrQH'],
    },
  },
  {
    // 32 bytes in hex, or https://en.bitcoin.it/wiki/Wallet_import_format
    id: 'announced_private_key',
    kind: 'SECRET',
    hints: ['wif', 'privkey', 'priv_key', 'private key', 'private_key', 'secp256k1', 'signing key', 'priv:'],
    find: matching(
      new RegExp(
        String.raw`(?:wif(?: key)?|priv(?:ate)?[_ -]?key|secp256k1(?: private)?(?: key)?|signing key|priv)${SAID_TO_BE}(?<v>(?:0x)?[\da-f]{64}|[5KLc9]${BASE58}{50,51})(?!\w)`,
        'i',
      ),
    ),
    examples: {
      hits: [
        'secp256k1 key ⟦7f3a91c04be2d8657f3a91c04be2d8657f3a91c04be2d8657f3a91c04be2d865⟧',
        'WIF ⟦5Kb8kLf9zgWQnogidDA76MzPL6TsZZY36hWXMssSzNydYXYB9KF⟧',
      ],
      misses: [
        'private key in 7f3a.pem',
        'sha256 7f3a91c04be2d8657f3a91c04be2d8657f3a91c04be2d8657f3a91c04be2d865',
      ],
    },
  },
  {
    id: 'licence_key',
    kind: 'SECRET',
    hints: ['license', 'licence', 'activation', 'product key', 'product_key', 'registration'],
    find: matching(
      /(?:licen[cs]e|activation|product|registration)[ _-]?(?:key|code|number|no\.?)\\{0,2}["']?(?: (?:is|was))?[ \t]{0,2}[:=]?[ \t]{0,2}\\{0,2}["'`]?(?<v>[A-Z\d]{4,8}(?:-[A-Z\d]{4,8}){2,9})(?![\w-])/i,
      (value) => /\d/.test(value) && /[A-Z]/.test(value) && !/[a-z]/.test(value) && !/XXXX/.test(value),
    ),
    examples: {
      hits: ['License key: ⟦7QF3K-22LM8-91QXA-77TBD-K4V6P⟧ ok'],
      misses: ['License key: XXXXX-XXXXX-XXXXX', 'license: Apache-2.0', 'license key format A1B2-C3D4'],
    },
  },
];
