import type { Draw } from './draw.ts';

/** Values that have broken programs before: for any place that takes a text, a number, a time or an id. */

const TEXTS = [
  '',
  ' ',
  '0',
  'null',
  'undefined',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '\0',
  '\u0007\u001b[2J',
  '\ud800',
  'a\udfff\ud800b',
  '\u202e\u2066\ufeff',
  '👩‍👩‍👧‍👦'.repeat(9),
  'é'.normalize('NFD'),
  '\u212a\u0130ı',
  '../../etc/passwd',
  '%00%2e%2e%2f',
  '<script>alert(1)</script>',
  '"}]},{"type":"ping"',
  '\r\nset-cookie: a=b\r\n\r\n',
  'password=hunter2-and-more',
  'api_key="abcdefghijklmnopqrstuvwxyz"',
  '-----BEGIN RSA PRIVATE KEY-----\nMIIEow',
  'jane.doe@example.org',
  '4111 1111 1111 1111',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
  Buffer.from('password=hunter2').toString('base64'),
  '{"a":[{"b":"{\\"c\\":1}"}]}',
  '[[[[[[[[[[',
  '```',
  'CoderAgent',
  'gpt-4o',
  'T012',
  'and then it looked at the file once more',
] as const;

const NUMBERS = [
  0,
  -0,
  1,
  -1,
  0.1,
  7,
  500,
  2 ** 31,
  2 ** 32,
  -(2 ** 31),
  2 ** 53,
  -(2 ** 53),
  2 ** 63,
  1e21,
  1e308,
  -1e308,
  5e-324,
  1_750_000_000_000,
  8.64e15,
  8.64e15 + 1,
] as const;

const WORDS = [
  'the',
  ' ',
  'a',
  '|',
  '\n',
  'pass',
  'word=',
  'se',
  'cret',
  '@',
  'example',
  '.org',
  '```',
  '-----',
  '\ud83d',
  '\ude00',
];
const LONG_CHARS = 300_000;
const LONG = 0.0005;

export function hostileText(draw: Draw): string {
  if (draw.chance(LONG))
    return draw.pick(['a', '(', 'a@', '-', '\u0130', '=A', '{"']).repeat(draw.int(LONG_CHARS));
  if (draw.chance(0.3)) return draw.list(draw.int(12), () => draw.pick(WORDS)).join('');
  if (draw.chance(0.1)) return draw.bytes(draw.int(40)).toString('latin1');
  return draw.pick(TEXTS);
}

export function hostileNumber(draw: Draw): number {
  return draw.chance(0.3) ? draw.int(1000) : draw.pick(NUMBERS);
}

/** Nanoseconds, milliseconds or what is neither, as text. */
export function hostileNanos(draw: Draw): bigint {
  if (draw.chance(0.6)) return 1_750_000_000_000_000_000n + BigInt(draw.int(1e9));
  return draw.pick([
    0n,
    1n,
    2n ** 63n - 1n,
    2n ** 63n,
    2n ** 64n - 1n,
    1_750_000_000_000n,
    253_402_300_800_000_000_000n % 2n ** 64n,
  ]);
}

export function hostileTime(draw: Draw): unknown {
  if (draw.chance(0.6)) return 1_750_000_000_000 + draw.int(1e6);
  return draw.pick<unknown>([
    '2025-06-20T14:23:45.123Z',
    '2025-06-20T14:23:45.123456789+14:00',
    '+275760-09-13T00:00:00Z',
    '-271821-04-20T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '2025-02-30T25:61:61Z',
    'yesterday',
    '',
    -1,
    8.64e15,
    8.64e15 + 1,
    1e300,
    null,
    true,
    [],
  ]);
}

/** Few enough that spans meet, share ids and form circles of parents and links. */
const TRACES = 60;
const SPANS = 120;

export function traceId(draw: Draw): Buffer {
  if (draw.chance(0.03))
    return draw.pick([Buffer.alloc(16), Buffer.alloc(0), draw.bytes(15), draw.bytes(32)]);
  return Buffer.alloc(16, draw.int(TRACES) + 1);
}

export function spanId(draw: Draw): Buffer {
  if (draw.chance(0.03)) return draw.pick([Buffer.alloc(8), Buffer.alloc(0), draw.bytes(7), draw.bytes(64)]);
  return Buffer.alloc(8, draw.int(SPANS) + 1);
}

/** `trace:span` as the service names a node, most of the time one that may exist. */
export function nodeId(draw: Draw): string {
  if (draw.chance(0.3)) return hostileText(draw);
  return `${traceId(draw).toString('hex')}:${spanId(draw).toString('hex')}`;
}

export function taskId(draw: Draw): string {
  return draw.chance(0.7)
    ? `task-${draw.int(20)}`
    : draw.chance(0.5)
      ? traceId(draw).toString('hex')
      : hostileText(draw);
}

export function requestId(draw: Draw): string {
  return draw.chance(0.8) ? `req-${draw.int(100)}` : hostileText(draw);
}

const MAX_ITEMS = 4;

/** Any JSON value, in any depth that JSON.stringify can write. */
export function hostileJson(draw: Draw, depth = 3): unknown {
  const kind = draw.weighted({ text: 4, number: 3, word: 2, list: depth, object: depth });
  switch (kind) {
    case 'text':
      return hostileText(draw);
    case 'number':
      return hostileNumber(draw);
    case 'word':
      return draw.pick([true, false, null]);
    case 'list':
      return draw.list(draw.int(MAX_ITEMS), () => hostileJson(draw, depth - 1));
    case 'object':
      return Object.fromEntries(
        draw.list(draw.int(MAX_ITEMS), () => [hostileText(draw), hostileJson(draw, depth - 1)]),
      );
  }
}

/** To be sent whole or in pieces: secrets are to be cut at every place. */
export const SECRETS =
  'The table is | a | b | and password=correct-horse-battery; then -----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n-----END PRIVATE KEY-----\n mail jane.doe@example.org \ud83d\ude00 {"a":"b"} ```js\nlet a\n``` done.';
