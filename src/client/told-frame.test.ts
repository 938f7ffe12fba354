import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageField } from '../base/protobuf.ts';
import { keepingNodes, MAX_ITEM_BYTES } from './told-frame.ts';

test('[CL37] a frame of millions of tiny nodes is refused before any is read', () => {
  const nothing = (): never => assert.fail('nothing of it is decoded');
  const read = keepingNodes(nothing, { deserialize: nothing, serialize: nothing });
  const empty = Buffer.alloc(20_002).fill(Buffer.from([10, 0]));
  for (const frame of [empty, inFields(empty, 1), inFields(empty, 3, 1)])
    assert.throws(() => read(frame), /more than 10000 nodes and edges at once/);
});

test('[CL37] a node or an edge of more than a mebibyte is refused', () => {
  const nothing = (): never => assert.fail('nothing of it is decoded');
  const read = keepingNodes(nothing, { deserialize: nothing, serialize: nothing });
  // Of a graph and of an update: nodes, and edges.
  for (const [item, content] of [
    [1, 1],
    [2, 1],
    [1, 2],
    [3, 2],
  ] as const) {
    const frame = inFields(Buffer.alloc(MAX_ITEM_BYTES + 1), item, 3, content);
    assert.throws(() => read(frame), /a node or edge of more than 1048576 bytes/);
  }
});

/** In a field of that number, this one in one of the next. */
function inFields(value: Buffer, ...numbers: readonly number[]): Buffer {
  return numbers.reduce((inner, number) => Buffer.concat(messageField(number, [inner])), value);
}
