import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { PROPERTIES, startTests } from './tests/runs.ts';

/**
 * Runs the tests over and over, each time with a new seed, and keeps what a failed run printed.
 * Usage: test-seeds.ts [N] [properties|all]
 */
const N = Number(process.argv[2] ?? 20);
const what = process.argv[3] ?? 'properties';
const SEEDS = 0x7fffffff;
if (!Number.isInteger(N) || N < 1 || !['properties', 'all'].includes(what)) {
  throw new Error('usage: npm run test:seeds -- [number of runs] [properties|all]');
}

const folder = mkdtempSync(join(tmpdir(), 'test-seeds-'));
let failed = 0;
for (let n = 1; n <= N; n++) {
  const seed = String(Math.trunc(Math.random() * SEEDS));
  const started = performance.now();
  const kept = join(folder, `${seed}.txt`);
  const file = createWriteStream(kept);
  const tests = startTests(what === 'all' ? [] : PROPERTIES, { PROPERTY_SEED: seed });
  tests.output.pipe(file);
  const code = await tests.exited;
  await finished(file);
  const seconds = Math.round((performance.now() - started) / 1000);
  if (code === 0) rmSync(kept);
  else failed += 1;
  const outcome = code === 0 ? 'passed' : `FAILED, see ${kept}`;
  console.log(`${n}/${N} PROPERTY_SEED=${seed} ${seconds} s ${outcome}`);
}
if (failed === 0) rmSync(folder, { recursive: true });
console.log(`${N - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
