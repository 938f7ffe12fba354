import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { BREAKS, type Break } from './broken-rules/breaks.ts';
import { runTests } from './broken-rules/run-tests.ts';

/**
 * Breaks rules on purpose, one at a time in each of some copies of the sources, and expects the tests to notice: a test
 * that passes whatever the code does proves nothing.
 * Usage: test-broken-rules.ts ['WORDS OF THE RULE OR BREAK'... | --share N: every Nth break, from a random one]
 */
const ROOT = resolve(import.meta.dirname, '..');
const COPIED = [
  'src',
  'ui',
  'bench',
  'test',
  'scripts',
  'examples',
  'docs',
  'README.md',
  'CONTRIBUTING.md',
  'config',
  'charts',
  'docker-compose.cells.yml',
  'package.json',
  'tsconfig.json',
  'proto',
];

/** What a break keeps from coming is waited for so long: many times what it takes on the unbroken sources. */
const BROKEN_WAIT_SECONDS = 15;
/** A break that makes a test loop for ever is caught by this. */
const BREAK_TIMEOUT_MS = 90_000;
/** The same tests pass with as many before a rule is broken. */
const UNBROKEN_CASES = 200;
/**
 * Those that name the rule are the quickest to ask, and mostly notice with few cases. Some more cases than continuous
 * integration has come next, since here each missed case is a failure; each attempt has another seed.
 */
const ATTEMPTS = [
  { isNamed: true, cases: 100 },
  { isNamed: true, cases: 2000 },
  { isNamed: false, cases: 2000 },
  { isNamed: false, cases: 2000 },
];
/** All the tests of all breaks, one after the other, on a busy machine. */
const UNBROKEN_TIMEOUT_MS = 600_000;

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
const breaks = wantedBreaks(process.argv.slice(2));
console.log(`${breaks.length} of ${BREAKS.length} breaks`);
const started = performance.now();
const folder = await mkdtemp(join(tmpdir(), 'broken-rules-'));
try {
  const trees = Array.from({ length: availableParallelism() }, (_, n) => join(folder, String(n)));
  for (const tree of trees) await copyTree(tree);
  process.exitCode = (await run(trees)) ? 0 : 1;
} finally {
  await rm(folder, { recursive: true });
}

function wantedBreaks(args: readonly string[]): readonly Required<Break>[] {
  if (args.length === 0) return BREAKS;
  if (args[0] !== '--share') {
    const found = BREAKS.filter(({ rule, what }) => args.some((words) => `${rule} ${what}`.includes(words)));
    if (found.length === 0) throw new Error(`no rule or break has any of: ${args.join(', ')}`);
    return found;
  }
  const share = Number(args[1]);
  if (!Number.isInteger(share) || share < 1)
    throw new Error('usage: npm run test:broken-rules -- --share N, N from 1');
  const first = Math.trunc(Math.random() * share);
  return BREAKS.filter((_, n) => n % share === first);
}

async function copyTree(to: string): Promise<void> {
  await mkdir(to);
  for (const name of COPIED) {
    if (existsSync(join(ROOT, name)))
      await cp(join(ROOT, name), join(to, name), { recursive: true, verbatimSymlinks: true });
  }
  await symlink(join(ROOT, 'node_modules'), join(to, 'node_modules'));
}

/** @returns false when a break was not noticed, or could not be made */
async function run(trees: readonly string[]): Promise<boolean> {
  const outdated = breaks.filter(
    ({ file, from }) => readFileSync(join(ROOT, file), 'utf8').split(from).length !== 2,
  );
  for (const { rule, what, file } of outdated)
    console.log(`${rule}: ${what}: ${file} does not hold the text to be replaced exactly once`);
  if (outdated.length > 0) {
    console.log(`0 passed, ${outdated.length} failed`);
    return false;
  }
  const unbroken = await runTests(trees[0] ?? '', [...new Set(breaks.flatMap(({ tests }) => tests))], {
    timeoutMs: UNBROKEN_TIMEOUT_MS,
    cases: UNBROKEN_CASES,
  });
  if (unbroken.outcome !== 'passed') {
    console.log(`the tests do not pass on the unbroken sources (${unbroken.outcome}):\n${unbroken.output}`);
    console.log('0 passed, 1 failed');
    return false;
  }
  let failed = 0;
  const left = [...breaks];
  const work = async (tree: string): Promise<void> => {
    for (let broken = left.shift(); broken !== undefined; broken = left.shift()) {
      const before = performance.now();
      const { isCaught, by } = await tryBreak(tree, broken);
      if (!isCaught) failed++;
      console.log(`${broken.rule} / ${broken.what}: ${by}, ${secondsSince(before)} s`);
    }
  };
  await Promise.all(trees.map(work));
  console.log(`${breaks.length - failed} passed, ${failed} failed, in ${secondsSince(started)} s`);
  return failed === 0;
}

function secondsSince(start: number): number {
  return Math.round((performance.now() - start) / 1000);
}

interface Caught {
  readonly isCaught: boolean;
  readonly by: string;
}

/** Tells what noticed the break, or why nothing did. */
async function tryBreak(tree: string, { rule, file, from, to, tests }: Required<Break>): Promise<Caught> {
  const path = join(tree, file);
  const source = await readFile(path, 'utf8');
  await writeFile(
    path,
    source.replace(from, () => to),
  );
  let by = 'NOTHING';
  try {
    for (const { isNamed, cases } of ATTEMPTS) {
      const { outcome, failure } = await runTests(tree, tests, {
        timeoutMs: BREAK_TIMEOUT_MS,
        cases,
        untilSeconds: BROKEN_WAIT_SECONDS,
        isOverByFailure: true,
        ...(isNamed && { named: `\\[${rule.split(' ')[0]}\\]` }),
      });
      if (outcome === 'timeout') return { isCaught: true, by: 'timeout' };
      if (failure !== undefined) return { isCaught: true, by: failure };
      // Such as one that ran out of memory: no test says what is wrong.
      if (outcome === 'failed') by = 'NOTHING, but the run failed and named no rule';
    }
    return { isCaught: false, by };
  } finally {
    await writeFile(path, source);
  }
}
