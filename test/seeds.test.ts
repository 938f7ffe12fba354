import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { startTests } from '../scripts/tests/runs.ts';

const RANDOM = ['test/support/tells-what-is-random.ts'];

test('[TS1] [TS4] a run draws a seed and prints it and how long it took; given that seed, everything random comes again', async () => {
  const first = await outputOf({});
  const seed = /^PROPERTY_SEED=(\d+)$/m.exec(first)?.[1] ?? assert.fail(first);
  const [again, other] = [await outputOf({ PROPERTY_SEED: seed }), await outputOf({ PROPERTY_SEED: '1' })];
  assert.equal(randomIn(again), randomIn(first));
  assert.notEqual(randomIn(other), randomIn(first));
  assert.match(again, new RegExp(`^\\d+ s with PROPERTY_SEED=${seed}$`, 'm'));
});

async function outputOf(env: Readonly<Record<string, string>>): Promise<string> {
  const tests = startTests(RANDOM, env);
  const output = await text(tests.output);
  assert.equal(await tests.exited, 0, output);
  return output;
}

function randomIn(output: string): string {
  return /random: (.+)$/m.exec(output)?.[1] ?? assert.fail(output);
}
