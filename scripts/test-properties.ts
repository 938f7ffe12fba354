import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SituationsTold } from '../test/support/situations.ts';
import { PROPERTIES, startTests } from './tests/runs.ts';

/**
 * The property tests with many cases, and a check that all these cases together came to every situation that the
 * properties are about. Usage: test-properties.ts [FILE... instead of all but those of the gateway] (`PROPERTY_RUNS`: cases of each, 900 if not set: some three minutes on two processors)
 * A failing case is told as it is: looking for the smallest may take longer than all cases together, and its seed
 * repeats it in its file alone. `PROPERTY_SHRINK=1` looks for it here.
 */
const CASES = process.env['PROPERTY_RUNS'] ?? '900';
const SHRINK = process.env['PROPERTY_SHRINK'] ?? '0';
/** With fewer expected, a run without one would be bad luck more often than once in a billion: e^-21. */
const SURE = 21;

const folder = mkdtempSync(join(tmpdir(), 'test-properties-'));
try {
  const file = join(folder, 'situations.jsonl');
  const given = process.argv.slice(2);
  const tests = startTests(given.length > 0 ? given : PROPERTIES, {
    PROPERTY_RUNS: CASES,
    PROPERTY_SHRINK: SHRINK,
    SITUATIONS: file,
  });
  tests.output.pipe(process.stdout);
  const code = await tests.exited;
  console.log(
    `${CASES} cases of each property ${code === 0 ? 'hold' : 'do NOT hold'}; situations they came to:`,
  );
  const told = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  const rows = told.map((line) => JSON.parse(line) as SituationsTold).flatMap(rowsOf);
  console.table(rows);
  const missing = rows.filter(({ count }) => count === 0);
  for (const { test, situation } of missing) console.log(`no case came to "${situation}": ${test}`);
  const failed = missing.length + (code === 0 ? 0 : 1);
  console.log(`${rows.length + 1 - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && rows.length > 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

function rowsOf({ test, cases, seen }: SituationsTold) {
  return Object.entries(seen).map(([situation, count]) => {
    const rare = count < SURE ? 'rare: make the generators come to it more often' : '';
    return { test: test.slice(0, 60), situation, cases, count, rare };
  });
}
