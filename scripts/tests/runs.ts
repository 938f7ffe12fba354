import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { ROOT } from './groups.ts';

/** Test files all of whose cases are random. */
export const PROPERTIES: readonly string[] = [
  'test/properties/*.test.ts',
  'test/storage/damaged-store.test.ts',
  'test/storage/store-model.test.ts',
  'test/client/graph-mirror.test.ts',
  'test/client/reconnect.test.ts',
  'src/client/expansions.test.ts',
];

export interface StartedTests {
  /** Both what they print and what they complain of. */
  readonly output: PassThrough;
  /** The exit code; null when a signal ended them. */
  readonly exited: Promise<number | null>;
}

/** `npm test` in a process of its own, with a seed of its own unless `env` has one. */
export function startTests(files: readonly string[], env: Readonly<Record<string, string>>): StartedTests {
  // With NODE_TEST_CONTEXT they would take themselves for a part of the run that starts them.
  const { PROPERTY_SEED: _, NODE_TEST_CONTEXT: __, ...inherited } = process.env;
  const tests = spawn(process.execPath, [join(ROOT, 'scripts/test.ts'), ...files], {
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = new PassThrough();
  tests.stdout.pipe(output, { end: false });
  tests.stderr.pipe(output, { end: false });
  const exited = new Promise<number | null>((resolve, reject) => {
    tests.on('error', reject);
    tests.on('close', (code) => {
      output.end();
      resolve(code);
    });
  });
  return { output, exited };
}
