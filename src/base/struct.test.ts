import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fromStruct, toStruct } from './struct.ts';

test('[SV70] property: JSON goes through a Struct unchanged', () => {
  const json = fc.dictionary(
    fc.string().filter((key) => key !== '__proto__'),
    fc.jsonValue({ noUnicodeString: false }).filter((value) => !JSON.stringify(value).includes('__proto__')),
  );
  fc.assert(
    fc.property(json, (value) => {
      const plain: unknown = JSON.parse(JSON.stringify(value));
      assert.deepEqual(fromStruct(toStruct(plain as Record<string, unknown>)), plain);
    }),
    { numRuns: 500 },
  );
});

test('[SV70] what JSON leaves out is left out, what it cannot say is null', () => {
  const value = { gone: undefined, nan: Number.NaN, big: Infinity, fn: () => 1, list: [undefined, 1] };
  assert.deepEqual(fromStruct(toStruct(value)), { nan: null, big: null, fn: null, list: [null, 1] });
});
