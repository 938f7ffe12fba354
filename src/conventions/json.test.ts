import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseJson, parseTruncated } from './json.ts';
import { MAX_PARSE_CHARS } from './limits.ts';

const TRUNCATED: readonly [string, unknown][] = [
  ['[{"role":"user","content":"Hel', [{ role: 'user', content: 'Hel' }]],
  ['[{"role":"user","content":"a\\', [{ role: 'user', content: 'a' }]],
  ['[{"content":"a\\u00', [{ content: 'a' }]],
  ['[{"content":"a\\\\', [{ content: 'a\\' }]],
  ['[{"a":1,"ke', [{ a: 1 }]],
  ['[{"a":1,"key"', [{ a: 1 }]],
  ['[{"a":1,"key":', [{ a: 1 }]],
  ['[{"a":1},', [{ a: 1 }]],
  ['{"a":[1,2', { a: [1, 2] }],
  ['{"a":tru', {}],
  ['[{"role":"user","content":"Hel…[cut 5 chars]', [{ role: 'user', content: 'Hel…[cut 5 chars]' }]],
  ['[{"role":"user","content":"a\\…[cut 5 chars]', [{ role: 'user', content: 'a…[cut 5 chars]' }]],
  [
    '[{"content":"Hello","role":"user"},{"ro…[cut 5 chars]',
    [{ content: 'Hello…[cut 5 chars]', role: 'user' }, {}],
  ],
  ['{"text":"Hello","a":tru…[cut 5 chars]', { text: 'Hello…[cut 5 chars]' }],
  ['[{"text":"Hello","a":1}…[cut 5 chars]', [{ text: 'Hello…[cut 5 chars]', a: 1 }]],
];

for (const [text, value] of TRUNCATED) {
  test(`[CV15] what is there of ${text} is read`, () => {
    assert.deepEqual(parseJson(text), value);
  });
}

test('[CV15] [IN7] a text that was cut where it came in, or is cut here, says how much is missing', () => {
  const json = (text: string): string => `[{"content":"${text}`;
  const room = MAX_PARSE_CHARS - json('').length;
  const whole = 'x'.repeat(room);
  const marked = [{ content: `${whole}…[cut 7 chars]` }];
  assert.deepEqual(parseJson(json(`${whole}…[cut 7 chars]`)), marked);
  assert.deepEqual(parseJson(json(`${whole}yyyyy…[cut 2 chars]`)), marked);
  assert.deepEqual(parseJson(json(`${whole}yyyy"}]`)), marked);
});

test('[CV15] JSON cut anywhere never throws, and whole JSON is read exactly', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.nat(), (json, at) => {
      parseTruncated(json.slice(0, at % (json.length + 1)));
      const value: unknown = JSON.parse(json);
      if (typeof value === 'object' && value !== null) assert.deepEqual(parseJson(json), value);
    }),
  );
});

test('[CV15] text that is no JSON is not taken for it', () => {
  for (const text of ['', 'hello', '12 passed', '{not json}', '[x', ']']) {
    assert.ok(
      [undefined, []].some((none) => JSON.stringify(parseJson(text)) === JSON.stringify(none)),
      text,
    );
  }
});
