import { execFile } from 'node:child_process';
import { join } from 'node:path';

/** More than any run prints. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

export interface TestRun {
  readonly outcome: 'passed' | 'failed' | 'timeout';
  /** The rules that the failed tests name. */
  readonly failures: readonly string[];
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
}

/** Runs test files of a copy of the sources, all in one process, so that ending it ends a test that hangs. */
export function runTests(tree: string, files: readonly string[], options: RunOptions): Promise<TestRun> {
  const { timeoutMs, cases, untilSeconds, named } = options;
  const only = named === undefined ? [] : ['--test-name-pattern', named];
  const args = ['--test', '--test-reporter=tap', '--test-isolation=none', ...only, ...files];
  // NODE_TEST_CONTEXT would make the runner take itself for a part of the run that started it.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return new Promise((settled) => {
    execFile(
      process.execPath,
      args,
      {
        cwd: tree,
        // One failing case is enough; the smallest is not looked for.
        env: {
          ...env,
          PROPERTY_RUNS: String(cases),
          PROPERTY_SHRINK: '0',
          ...(untilSeconds !== undefined && { UNTIL_SECONDS: String(untilSeconds) }),
          NODE_COMPILE_CACHE: join(tree, '.cache'),
        },
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: MAX_OUTPUT_BYTES,
      },
      (error, output) => {
        const outcome = error === null ? 'passed' : error.killed === true ? 'timeout' : 'failed';
        settled({ outcome, failures: failedRules(output), output });
      },
    );
  });
}

function failedRules(tap: string): readonly string[] {
  // A file that does not even load names no rule.
  const rules = Array.from(
    tap.matchAll(/^\s*not ok \d+ - \[([A-Z][A-Z0-9]*\d)\]/gm),
    ([, rule = '']) => rule,
  );
  return [...new Set(rules)];
}
