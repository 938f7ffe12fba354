import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { groupsOf, ROOT, writeGroup } from './tests/groups.ts';

/**
 * Runs tests, with one seed for everything random in them: `PROPERTY_SEED`, or a new one, which is printed.
 * Usage: test.ts [FILES OR GLOBS]
 */
const started = performance.now();
const seed = (process.env['PROPERTY_SEED'] ??= String(Math.trunc(Math.random() * 0x7fffffff)));
// Programs that tests start load several times faster when they were compiled before.
process.env['NODE_COMPILE_CACHE'] ??= join(ROOT, 'node_modules/.cache/compile');
const folder = mkdtempSync(join(tmpdir(), 'tests-'));
const groups = groupsOf(process.argv.slice(2));
if (groups.length === 0) throw new Error('there is no such test file');
console.log(`PROPERTY_SEED=${seed}`);

const files = groups.map((group) => writeGroup(folder, group));
// Many wait for a program or a time most of the while: two more than can run at once keep the processors busy.
const tests = run({ files, concurrency: availableParallelism() + 2, cwd: ROOT });
tests.on('test:fail', () => (process.exitCode = 1));
const output = tests.compose(spec);
output.pipe(process.stdout);
output.on('end', () => {
  rmSync(folder, { recursive: true });
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`${seconds} s with PROPERTY_SEED=${seed}`);
});
