import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { BREAKS, type Break } from './broken-rules/breaks.ts';
import { runTests } from './broken-rules/run-tests.ts';

/**
 * Breaks rules on purpose, one at a time, in a copy of the sources, and expects the tests to notice: a test that
 * passes whatever the code does proves nothing. Usage: test-broken-rules.ts [WORDS OF THE RULE]
 */
const ROOT = resolve(import.meta.dirname, '..');
const COPIED = ['src', 'test', 'scripts', 'config', 'package.json', 'tsconfig.json', 'proto'];

/** A break that makes a test loop for ever is caught by this. */
const BREAK_TIMEOUT_MS = 60_000;
/** Random cases may miss a rare break once; each attempt has another seed. */
const ATTEMPTS = 3;
/** All the tests of all breaks, one after the other. */
const UNBROKEN_TIMEOUT_MS = 600_000;

const wanted = process.argv.slice(2).join(' ');
const breaks = BREAKS.filter(({ rule, what }) => `${rule} ${what}`.includes(wanted));
const folder = await mkdtemp(join(tmpdir(), 'broken-rules-'));
try {
  await copyTree(folder);
  process.exitCode = (await run(folder)) ? 0 : 1;
} finally {
  await rm(folder, { recursive: true });
}

async function copyTree(to: string): Promise<void> {
  for (const name of COPIED) {
    if (existsSync(join(ROOT, name))) await cp(join(ROOT, name), join(to, name), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), join(to, 'node_modules'));
}

/** @returns false when a break was not noticed, or could not be made */
async function run(tree: string): Promise<boolean> {
  const outdated = breaks.filter(
    ({ file, from }) => readFileSync(join(tree, file), 'utf8').split(from).length !== 2,
  );
  for (const { rule, what, file } of outdated)
    console.log(`${rule}: ${what}: ${file} does not hold the text to be replaced exactly once`);
  if (outdated.length > 0) {
    console.log(`0 passed, ${outdated.length} failed`);
    return false;
  }
  const unbroken = await runTests(
    tree,
    [...new Set(breaks.flatMap(({ tests }) => tests))],
    UNBROKEN_TIMEOUT_MS,
  );
  if (unbroken.outcome !== 'passed') {
    console.log(`the tests do not pass on the unbroken sources (${unbroken.outcome}):\n${unbroken.output}`);
    console.log('0 passed, 1 failed');
    return false;
  }
  const rows: object[] = [];
  let failed = 0;
  for (const broken of breaks) {
    const caughtBy = await tryBreak(tree, broken);
    if (caughtBy === undefined) failed++;
    rows.push({ rule: broken.rule, broken: broken.what, 'caught by': caughtBy ?? 'NOTHING' });
  }
  console.table(rows);
  console.log(`${rows.length - failed} passed, ${failed} failed`);
  return failed === 0;
}

/** @returns what noticed the break; undefined when nothing did */
async function tryBreak(tree: string, { file, from, to, tests }: Break): Promise<string | undefined> {
  const path = join(tree, file);
  const source = await readFile(path, 'utf8');
  await writeFile(
    path,
    source.replace(from, () => to),
  );
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const { outcome, failures } = await runTests(tree, tests, BREAK_TIMEOUT_MS);
      if (outcome === 'timeout') return 'timeout';
      if (failures.length > 0) return failures.join(', ');
    }
    return undefined;
  } finally {
    await writeFile(path, source);
  }
}
