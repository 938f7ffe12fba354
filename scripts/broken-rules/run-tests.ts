import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface TestRun {
  readonly outcome: 'passed' | 'failed' | 'timeout';
  /** The rule that the first failed test names; undefined also when a run fails and no test does. */
  readonly failure: string | undefined;
  readonly output: string;
}

export interface RunOptions {
  readonly timeoutMs: number;
  /** Cases of each property. */
  readonly cases: number;
  /** How long a test waits for what does not come; absent: as ever. */
  readonly untilSeconds?: number;
  /** Only tests whose name matches. */
  readonly named?: string;
  /** Ends the run when the first test has failed: the others may wait long for what the same break keeps from coming. */
  readonly isOverByFailure?: boolean;
}

/** A file that does not even load names no rule. */
const FAILED = /^\s*not ok \d+ - \[([A-Z][A-Z0-9]*\d)\]/m;

/** They are groups of their own, which an interrupt of this process does not reach. */
const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach(endGroup));

/** Runs test files of a copy of the sources, all in one process, so that ending it ends a test that hangs. */
export async function runTests(
  tree: string,
  files: readonly string[],
  options: RunOptions,
): Promise<TestRun> {
  const { timeoutMs, cases, untilSeconds, named } = options;
  const only = named === undefined ? [] : ['--test-name-pattern', named];
  const args = ['--test', '--test-reporter=tap', '--test-isolation=none', ...only, ...files];
  // NODE_TEST_CONTEXT would make the runner take itself for a part of the run that started it.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  // Goes with the copy: a run that is ended leaves its files.
  const temporary = join(tree, '.tmp');
  await mkdir(temporary, { recursive: true });
  const child = spawn(process.execPath, args, {
    cwd: tree,
    // A group of its own: it is ended with the services that its tests started.
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    // One failing case is enough; the smallest is not looked for.
    env: {
      ...env,
      TMPDIR: temporary,
      PROPERTY_RUNS: String(cases),
      PROPERTY_SHRINK: '0',
      ...(untilSeconds !== undefined && { UNTIL_SECONDS: String(untilSeconds) }),
      NODE_COMPILE_CACHE: join(tree, '.cache'),
    },
  });
  running.add(child);
  let output = '';
  let isTimeout = false;
  const timer = setTimeout(() => {
    isTimeout = true;
    endGroup(child);
  }, timeoutMs);
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (options.isOverByFailure === true && FAILED.test(output)) endGroup(child);
  });
  return new Promise((settled, failed) => {
    child.on('error', failed);
    child.on('close', (code) => {
      clearTimeout(timer);
      running.delete(child);
      const failure = FAILED.exec(output)?.[1];
      const outcome = code === 0 ? 'passed' : isTimeout && failure === undefined ? 'timeout' : 'failed';
      settled({ outcome, failure, output });
    });
  });
}

function endGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
}
