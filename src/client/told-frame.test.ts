import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepingNodes } from './told-frame.ts';

test('[CL37] a frame of millions of tiny nodes is refused before any is read', () => {
  const nothing = (): never => assert.fail('nothing of it is decoded');
  const read = keepingNodes(nothing, { deserialize: nothing, serialize: nothing });
  const empty = Buffer.alloc(20_002).fill(Buffer.from([10, 0]));
  const inField = (tag: number, value: Buffer): Buffer => {
    const { length } = value;
    const head = [tag, (length & 0x7f) | 0x80, ((length >>> 7) & 0x7f) | 0x80, length >>> 14];
    return Buffer.concat([Buffer.from(head), value]);
  };
  for (const frame of [empty, inField(10, empty), inField(10, inField(26, empty))])
    assert.throws(() => read(frame), /more than 10000 nodes and edges at once/);
});
