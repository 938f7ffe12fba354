import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = join(import.meta.dirname, '../../src');

/** Lines of `src/` without its tests. */
export function sourceLines(): number {
  const files = globSync('**/*.ts', { cwd: SOURCES }).filter((file) => !file.endsWith('.test.ts'));
  return files.reduce(
    (sum, file) => sum + readFileSync(join(SOURCES, file), 'utf8').split('\n').length - 1,
    0,
  );
}
