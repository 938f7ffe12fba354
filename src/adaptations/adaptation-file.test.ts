import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../test/support/property-runs.ts';
import { edited, readAdaptations } from './adaptation-file.ts';

const TEXT = `{
  // Ours.
  "adaptations": [
    { "id": "a", "title": "A", "content": ["one", "two"], /* inline */ "scope": { "agent": "X*" } },
    { "id": "b", "title": "B", "description": "why", "content": "b", "enabled": false }, // last
  ],
}
`;

test('[AD1] a file has comments, trailing commas, defaults, and texts as lists of lines', () => {
  const { items } = readAdaptations(TEXT);
  assert.deepEqual(items, [
    { id: 'a', title: 'A', content: 'one\ntwo', scope: { agent: 'X*' }, tags: [], enabled: true },
    { id: 'b', title: 'B', description: 'why', content: 'b', scope: {}, tags: [], enabled: false },
  ]);
  assert.deepEqual(readAdaptations(`\uFEFF${TEXT}`).items, items, 'a byte order mark is passed over');
});

test('[AD1] what is wrong is said by line and column or by the field, and never by a value', () => {
  const one = (more: object): string =>
    JSON.stringify({ adaptations: [{ id: 'a', title: 'A', content: 'x', ...more }] });
  const cases: readonly (readonly [text: string, problem: RegExp])[] = [
    ['', /^line 1, column 1: not valid JSON/],
    [TEXT.slice(0, 90), /^line 4, column \d+: not valid JSON/],
    ['[]', /./],
    ['{}', /^adaptations: /],
    ['{"adaptations": 7}', /^adaptations: must be a list$/],
    [one({ id: 'secret word' }), /^adaptations\[0\]\.id: must be 1 to 100 letters/],
    [one({ title: ' ' }), /^adaptations\[0\]\.title: must not be empty$/],
    [one({ content: 7 }), /^adaptations\[0\]\.content: must be a text, or a list of lines$/],
    [one({ content: 'x'.repeat(20_001) }), /^adaptations\[0\]\.content: /],
    [one({ enabled: 'secret word' }), /^adaptations\[0\]\.enabled: must be true or false$/],
    [one({ 'secret word': 1 }), /^adaptations\[0\]: has a field that is not known$/],
    [one({ scope: { agents: 'secret word' } }), /^adaptations\[0\]\.scope: has a field that is not known$/],
    [one({ tags: 'secret word' }), /^adaptations\[0\]\.tags: must be a list of words$/],
    [
      '{"adaptations": [{"id":"a","title":"A","content":"x"},{"id":"a","title":"A","content":"x"}]}',
      /^adaptations\[1\]\.id: stands there already$/,
    ],
    [
      JSON.stringify({
        adaptations: Array.from({ length: 501 }, (_, n) => ({ id: `a${n}`, title: 'A', content: 'x' })),
      }),
      /^adaptations: has more than 500 adaptations$/,
    ],
    [' '.repeat(2 * 1024 * 1024 + 1), /^has more than 2 MiB$/],
    ['['.repeat(1_000_000), /./],
  ];
  for (const [text, problem] of cases) {
    const found = readAdaptations(text);
    assert.equal(found.items, undefined);
    assert.match(found.problem ?? '', problem);
    assert.doesNotMatch(found.problem ?? '', /secret/);
  }
});

test('[AD1] any text is read or refused', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(), (noise, at) => {
      const place = at % TEXT.length;
      const { items, problem } = readAdaptations(TEXT.slice(0, place) + noise + TEXT.slice(place));
      assert.ok((items === undefined) !== (problem === undefined));
    }),
    propertyRuns(),
  );
});

test('[AD5] an edit changes its field, and leaves comments, order and everything else', () => {
  assert.equal(
    edited(TEXT, 1, { content: 'new "b"', enabled: true }),
    TEXT.replace('"content": "b", "enabled": false', '"content": "new \\"b\\"", "enabled": true'),
  );
  // An item that gets or loses a field is laid out anew; the others are not.
  const without = edited(TEXT, 1, { description: '' });
  assert.ok(
    without.startsWith(TEXT.slice(0, TEXT.indexOf('{ "id": "b"'))) &&
      without.endsWith(', // last\n  ],\n}\n'),
  );
  assert.equal(readAdaptations(without).items?.[1]?.description, undefined);
  const added = edited(TEXT, 0, { tags: ['x'], description: 'd' });
  assert.ok(added.includes('/* inline */') && added.endsWith(TEXT.slice(TEXT.indexOf('{ "id": "b"'))));
  const [item] = readAdaptations(added).items ?? [];
  assert.deepEqual([item?.tags, item?.description, item?.content], [['x'], 'd', 'one\ntwo']);
});
