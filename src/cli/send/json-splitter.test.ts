import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JsonSplitter, MAX_ITEM_BYTES, type Item } from './json-splitter.ts';

/** @param sizes of the pieces in which the text comes; the last one again and again */
function split(text: string, sizes: readonly number[] = [text.length + 1]): readonly Item[] {
  const splitter = new JsonSplitter();
  const bytes = Buffer.from(text);
  const items: Item[] = [];
  for (let at = 0, piece = 0; at < bytes.length; piece++) {
    const size = Math.max(1, sizes[Math.min(piece, sizes.length - 1)] ?? 1);
    items.push(...splitter.push(bytes.subarray(at, at + size)));
    at += size;
  }
  return [...items, ...splitter.end()];
}

function textsOf(items: readonly Item[]): readonly string[] {
  return items.map((item) =>
    'text' in item ? item.text.trim() : `line ${item.line}: ${item.problem.split(':')[0]}`,
  );
}

const anyObject = fc.dictionary(fc.string(), fc.jsonValue());
const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 });

test('[CLI30] the values of a file are found in every layout, however its bytes come', () => {
  fc.assert(
    fc.property(fc.array(anyObject, { minLength: 1, maxLength: 5 }), sizes, (objects, pieces) => {
      const layouts = [
        JSON.stringify(objects),
        JSON.stringify(objects, null, 2),
        objects.map((object) => JSON.stringify(object)).join('\n'),
        objects.map((object) => JSON.stringify(object)).join('\r\n\r\n') + '\n',
        objects.map((object) => JSON.stringify(object, null, 2)).join('\n'),
      ];
      for (const layout of layouts) {
        const found = split(layout, pieces).map((item) => {
          assert.ok('text' in item, layout);
          return JSON.parse(item.text) as unknown;
        });
        assert.deepEqual(found, JSON.parse(JSON.stringify(objects)), layout);
      }
    }),
  );
});

test('[CLI31] a broken line costs no other, and each item knows its line', () => {
  const items = split('{"a":1}\n{"b":\n\n{"c":[1,{}]}\nword\n{"d":"}"}');
  assert.deepEqual(textsOf(items), ['{"a":1}', '{"b":', '{"c":[1,{}]}', 'word', '{"d":"}"}']);
  assert.deepEqual(
    items.map((item) => item.line),
    [1, 2, 4, 5, 6],
  );
});

test('[CLI31] a file that ends in the middle says where what is missing began', () => {
  assert.deepEqual(textsOf(split('{"a":\n {"b"')), ['line 1: the JSON that begins here ends in the middle']);
  assert.deepEqual(textsOf(split('[{"a":1},\n{"b')), [
    '{"a":1}',
    'line 2: the JSON that begins here ends in the middle',
  ]);
  assert.deepEqual(textsOf(split('[{"a":1},\n')), ['{"a":1}', 'line 2: the array has no end']);
  assert.deepEqual(textsOf(split('{"a":1}\n{"b":"x')), [
    '{"a":1}',
    'line 2: the JSON that begins here ends in the middle',
  ]);
});

test('[CLI32] an item that is larger than a request may be is left out, and holds no memory', () => {
  const splitter = new JsonSplitter();
  const piece = Buffer.alloc(1024 * 1024, 'x');
  const items: Item[] = [...splitter.push(Buffer.from('{"a":1}\n{"a":"'))];
  for (let sent = 0; sent <= MAX_ITEM_BYTES; sent += piece.length) items.push(...splitter.push(piece));
  items.push(...splitter.push(Buffer.from('"}\n{"b":2}\n')), ...splitter.end());
  assert.deepEqual(textsOf(items), [
    '{"a":1}',
    'line 2: is larger than 16 MiB, the most that one request may have',
    '{"b":2}',
  ]);
});
