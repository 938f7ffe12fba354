import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BREAKS } from '../scripts/broken-rules/breaks.ts';

const ROOT = join(import.meta.dirname, '..');

test('every deliberate break of a rule can still be made: the text that it replaces stands in its file once', () => {
  const outdated = BREAKS.filter(
    ({ file, from }) => readFileSync(join(ROOT, file), 'utf8').split(from).length !== 2,
  );
  assert.deepEqual(
    outdated.map(({ rule, what, file }) => `${rule}: ${what}: ${file}`),
    [],
  );
});
