import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { test } from 'node:test';
import fc from 'fast-check';
import { codecOf, fieldNumbers } from '../../test/support/explain-proto.ts';
import { BoundaryError } from '../base/boundary-error.ts';
import { messageField, varint } from '../base/protobuf.ts';
import { toStruct } from '../base/struct.ts';
import type { ExplanationNode } from '../model/node.ts';
import { ToldNode } from '../model/told-node.ts';
import { nodeOf } from './grpc-messages.ts';
import { LAST_FIELD, toldNodes } from './told-nodes.ts';

function areTold(nodes: readonly object[]): nodes is readonly (ToldNode & ExplanationNode)[] {
  return nodes.length > 0 && nodes.every((node) => node instanceof ToldNode);
}

const codec = codecOf('ExplanationNode');
const serialize = (node: object): Buffer => codec.serialize(node);
const deserialize = (message: Buffer): object => codec.deserialize(message);

const text = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '\n', '\u0001', 'é', '…', '😀', '\u2028', '_'),
});
const number = fc.oneof(fc.double(), fc.nat());
const value = fc.oneof({ weight: 4, arbitrary: text }, number, fc.boolean(), fc.constant(null), {
  weight: 1,
  arbitrary: fc.jsonValue({ maxDepth: 3 }),
});
const key = fc.oneof(text, fc.constantFrom('__proto__', 'details', ''));
const details = fc.uniqueArray(fc.tuple(key, value), { selector: ([name]) => name, maxLength: 5 });
const whole = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const message = fc
  .record(
    {
      id: text,
      timestamp: text,
      agent: text,
      type: fc.constantFrom('LLM_CALL', 'TOOL_CALL', 'SUMMARY'),
      name: text,
      title: text,
      taskId: text,
      state: text,
      model: text,
      promptSummary: text,
      tokensIn: whole,
      tokensOut: whole,
      latencyMs: number,
      costUsd: number,
      status: text,
      details: details.map((entries) => toStruct(Object.fromEntries(entries))),
      summary: fc.record({ count: fc.nat(), reason: text, types: fc.constant({ LLM_CALL: 2 }) }),
      ui: fc.record({ label: text, size: number, metadata: fc.constant(toStruct({ a: [1] })) }),
    },
    { requiredKeys: ['id'] },
  )
  .map((node) => serialize(node));
const decoded = (bytes: Buffer): unknown => JSON.parse(JSON.stringify(nodeOf(deserialize(bytes))));
const told = (bytes: readonly Buffer[]): readonly ExplanationNode[] => toldNodes(bytes, codec);

test('[CL36] a node that is kept as it was told is what a decoded one is, as JSON and field by field', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 4 }), (messages) => {
      const nodes = told(messages);
      for (const [n, bytes] of messages.entries()) {
        const node = nodes[n];
        const expected = decoded(bytes) as ExplanationNode;
        assert.deepEqual(JSON.parse(JSON.stringify(node)), expected);
        for (const name of ['id', 'timestamp', 'type', 'taskId', 'state', 'status'] as const)
          assert.equal(node?.[name], expected[name] ?? '');
        for (const name of ['agent', 'title', 'details', 'summary', 'latencyMs'] as const)
          assert.deepEqual(node?.[name], expected[name]);
      }
      if (!areTold(nodes)) return assert.equal(messages.length, 0);
      for (const [n, { json, message: bytes }] of nodes.entries()) {
        assert.deepEqual(JSON.parse(json.toString()), decoded(messages[n] as Buffer));
        assert.deepEqual(decoded(bytes), decoded(messages[n] as Buffer));
      }
    }),
    { numRuns: 300 },
  );
});

test('[CL36] bytes that are no node are refused, or become JSON all the same', () => {
  const damage = fc.tuple(fc.nat(), fc.nat({ max: 255 }));
  fc.assert(
    fc.property(message, fc.array(damage, { minLength: 1, maxLength: 3 }), (bytes, changes) => {
      const damaged = Buffer.from(bytes);
      for (const [at, byte] of changes) damaged[at % damaged.length] = byte;
      let nodes: readonly ExplanationNode[];
      try {
        nodes = told([damaged]);
      } catch (error) {
        if (error instanceof BoundaryError) return;
        // What only a decoder reads is refused by it.
        assert.throws(() => deserialize(damaged));
        return;
      }
      assert.ok(areTold(nodes));
      assert.ok(isUtf8(nodes[0]?.json ?? Buffer.alloc(0)));
      assert.equal(JSON.parse(JSON.stringify(nodes[0])).id ?? '', nodes[0]?.id);
      assert.deepEqual(JSON.parse(nodes[0]?.json.toString() ?? ''), decoded(damaged));
      assert.deepEqual(decoded(nodes[0]?.message ?? damaged), decoded(damaged));
    }),
    { numRuns: 300 },
  );
});

test('[CL36] a value that ends after its tag is refused', () => {
  const value = [0x98, 0x01];
  const entry = [10, 1, 97, 18, value.length, ...value];
  const struct = [10, entry.length, ...entry];
  assert.throws(() => told([Buffer.from([122, struct.length, ...struct])]), /index out of range/);
});

const NODE = serialize({ id: 'a', type: 'LLM_CALL' });

function detail(key: Buffer, value: Buffer): Buffer[] {
  return messageField(1, [...messageField(1, [key]), ...messageField(2, messageField(3, [value]))]);
}

test('[CL37] a field that a node does not have hides none', () => {
  // Of a later version, with a number 32 above that of the agent.
  const bytes = Buffer.concat([NODE, Buffer.from([0x98, 0x02, 1])]);
  const [node] = told([bytes]);
  assert.deepEqual(JSON.parse(JSON.stringify(node)), decoded(bytes));
  assert.equal(node?.agent, '');
});

test('[CL37] a field of another type is refused: some decoders go by its number alone', () => {
  for (const number of [3, 10, 12, 15, 16, 18])
    for (const type of [0, 1, 2, 5]) {
      const isOfType = type === (number === 10 ? 0 : number === 12 ? 1 : 2);
      const bytes = Buffer.concat([
        NODE,
        varint(number * 8 + type),
        Buffer.alloc(type === 1 ? 8 : type === 5 ? 4 : 1),
      ]);
      if (isOfType) told([bytes]);
      else assert.throws(() => told([bytes]), new RegExp(`field ${number} of wire type ${type}`));
    }
});

test('[CL37] a tag or a length that is longer than any need be is refused: decoders differ in where it ends', () => {
  const [tag, length, text] = [[5 * 8 + 2], [1], [0x61]];
  const long = (value: readonly number[]): readonly number[] => [
    (value[0] ?? 0) | 0x80,
    0x80,
    0x80,
    0x80,
    0x80,
    0,
  ];
  told([Buffer.concat([NODE, Buffer.from([...tag, ...length, ...text])])]);
  for (const field of [
    [...long(tag), ...length, ...text],
    [...tag, ...long(length), ...text],
    // Of over 32 bits.
    [...tag, 0x81, 0x80, 0x80, 0x80, 0x10, ...text],
  ])
    assert.throws(() => told([Buffer.concat([NODE, Buffer.from(field)])]), /a tag or length of over 32 bits/);
});

test('[CL37] a key of details that comes twice is there once, as decoders have it', () => {
  const [a, b, c] = ['a', '1', '2'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];
  const nodes = told([Buffer.concat([NODE, ...messageField(15, [...detail(a, b), ...detail(a, c)])])]);
  assert.ok(areTold(nodes));
  assert.equal(nodes[0]?.json.toString().match(/"a":"/g)?.length, 1);
  assert.deepEqual(nodes[0]?.details, { a: '2' });
});

test('[CL37] text that is no UTF-8 is passed on as what decoders make of it: others refuse the whole frame', () => {
  const [bad, good] = [Buffer.from([0x61, 0xff, 0xfe]), Buffer.from('b')];
  const fields = [
    messageField(5, [bad]),
    messageField(15, detail(bad, good)),
    messageField(15, detail(good, bad)),
  ];
  for (const field of fields) {
    const bytes = Buffer.concat([NODE, ...field]);
    const nodes = told([bytes]);
    assert.ok(areTold(nodes));
    const [node] = nodes;
    assert.ok(isUtf8(node?.json ?? bad));
    assert.equal(node?.message.includes(bad), false);
    assert.deepEqual(JSON.parse(JSON.stringify(node)), decoded(bytes));
    assert.deepEqual(decoded(node?.message ?? bad), decoded(bytes));
  }
});

test('[CL37] a node that is kept keeps nothing of those that came with it', () => {
  const nodes = told([NODE, NODE]);
  assert.ok(areTold(nodes));
  for (const { bytes } of nodes) assert.equal(bytes.buffer.byteLength, bytes.length);
});

test('[CL36] a field that nodes get in explain.proto is written as the others are', () => {
  const known = Array.from({ length: LAST_FIELD }, (_, n) => n + 1);
  // Where this fails the field is to be named in FIELDS, and among those that are drawn above.
  assert.deepEqual(fieldNumbers('ExplanationNode'), known);
});
