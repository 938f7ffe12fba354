import { matching, onlyWhere } from '../rule.ts';
import type { Rule } from '../rule.ts';

/** Keys that a program holds as a row of numbers. */

/** In hex, decimal or octal digits, or a character: a byte in C, Go, Java, JavaScript, Python and Rust. */
const BYTE = String.raw`(?:(?:\(byte\) ?)?-?(?:0x[0-9a-f]{1,2}|\d{1,3})u?|'[^'\\\r\n]')`;
/** Eight of them at least: a key of 64 bits. */
const BYTES = String.raw`(?<v>${BYTE}(?:\s{0,20},\s{0,20}(?:\\\r?\n\s{0,20})?${BYTE}){7,255})`;
/** What stands before the first bracket in one of these languages. */
const OPENING = String.raw`(?:\] ?= ?|byte(?:\[\])? ?|array\(|bytes\()?[{[(]{1,2}\s{0,12}`;

/** What a row of numbers is called that is a secret; a key of a table or a keyboard is called otherwise, as tokens of texts are. */
const NAME =
  /(?:(?:aes|des|rc4|xtea|enc|dec|crypt|encrypt(?:ion)?|cipher|hmac|mac|signing|secret|private|master|shared|session|api|auth|access|root|device|app|nwks?|network|s|xor|priv)_?key|secret|passw(?:or)?d|passphrase|(?<!s)token|\bkey)(?:_?(?:bytes|data|buf(?:fer)?|array|value|\d{1,3}))?(?!\w)["']?[^\n"',]{0,60}$/i;
const LOOKED_BACK = 120;

export const BYTE_RULES: readonly Rule[] = [
  {
    id: 'bytes_of_secret',
    kind: 'SECRET',
    hints: [
      '{0x',
      '{ 0x',
      '[0x',
      '[ 0x',
      '(0x',
      'byte{',
      'byte {',
      'byte[]{',
      'byte[] {',
      'array([',
      'bytes([',
      '] = [',
      '] = {',
    ],
    find: onlyWhere(
      (text, at) => NAME.test(text.slice(Math.max(0, at - LOOKED_BACK), at)),
      matching(new RegExp(`${OPENING}${BYTES}`, 'i')),
    ),
    examples: {
      hits: [
        '#define AESKEY {⟦0x35, 0x34, 0x65, 0x9b, 0x1c, 0x2e, 023, 010⟧}',
        'Secret: []byte{⟦33, 9, 100, 114, 245, 164, 134, 217⟧}',
        'let api_key: [u8; 8] = [⟦1, 2, 3, 4, 5, 6, 7, 9⟧];',
        'private static final byte[] SECRET = new byte[] {⟦1, 2, -3, 4, 5, 6, 7, 9⟧};',
        'const secret = new Uint8Array([⟦1, 2, 3, 4, 5, 6, 7, 9⟧])',
        'uint8_t master_key[8] = {\n  ⟦0x01, 0x02, 0x03, 0x04,\n  0x05, 0x06, 0x07, 0x09⟧\n};',
      ],
      misses: [
        'public_key = bytes([1, 2, 3, 4, 5, 6, 7, 9])',
        'tokens = np.array([1, 2, 3, 4, 5, 6, 7, 9])',
        'key_codes = [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x09]',
        'secret = bytes([0x01, 0x02])',
        'hash[8] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x09}',
      ],
    },
  },
];
