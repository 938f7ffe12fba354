import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OwnBlocks } from './own-blocks.ts';

test('[FZ2] what is joined stays as it was, however much follows, and leaves little of its blocks unused', () => {
  const blocks = new OwnBlocks();
  const lengths = [0, 1, 700, 8191, 8192, 8193, 70_000];
  const made = Array.from({ length: 400 }, (_, n) => {
    const parts = [n, n + 1].map((byte) => Buffer.alloc(lengths[(n * byte) % lengths.length] ?? 0, byte));
    return { joined: blocks.join(parts), expected: Buffer.concat(parts) };
  });
  for (const { joined, expected } of made) assert.deepEqual(joined, expected);
  const taken = new Set(made.map(({ joined }) => joined.buffer));
  const bytes = [...taken].reduce((sum, { byteLength }) => sum + byteLength, 0);
  assert.ok(bytes < 1.2 * made.reduce((sum, { joined }) => sum + joined.length, 65_536));
});
