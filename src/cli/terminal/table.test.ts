import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toJson } from '../output.ts';
import { tableLines } from './table.ts';

const DECEIVING = 'a\u001b[31m\u202e\u2066b\u0007';

test('[CLI20] no cell of a table holds what a terminal would obey, whoever answered', () => {
  assert.deepEqual(
    tableLines(
      [
        ['ID', 'LAST'],
        [DECEIVING, '5'],
      ],
      new Set([1]),
    ),
    ['ID   LAST', 'ab      5'],
  );
});

test('[CLI10] JSON turns no text round on a terminal, and says the same', () => {
  const json = toJson({ [DECEIVING]: DECEIVING });
  assert.match(json, /^[\x20-\x7e]+$/);
  assert.deepEqual(JSON.parse(json), { [DECEIVING]: DECEIVING });
});
