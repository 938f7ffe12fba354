import { execFile } from 'node:child_process';

/** Cases of each property, as in continuous integration. */
const PROPERTY_RUNS = '2000';
/** More than any run prints. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

export interface TestRun {
  readonly outcome: 'passed' | 'failed' | 'timeout';
  /** The rules that the failed tests name. */
  readonly failures: readonly string[];
  readonly output: string;
}

/** Runs test files of a copy of the sources, all in one process, so that ending it ends a test that hangs. */
export function runTests(tree: string, files: readonly string[], timeoutMs: number): Promise<TestRun> {
  const args = ['--test', '--test-reporter=tap', '--test-isolation=none', ...files];
  // NODE_TEST_CONTEXT would make the runner take itself for a part of the run that started it.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return new Promise((settled) => {
    execFile(
      process.execPath,
      args,
      {
        cwd: tree,
        // One failing case is enough; the smallest is not looked for.
        env: { ...env, PROPERTY_RUNS, PROPERTY_SHRINK: '0' },
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
  const rules = Array.from(tap.matchAll(/^\s*not ok \d+ - \[([A-Z]+\d+)\]/gm), ([, rule = '']) => rule);
  return [...new Set(rules)];
}
