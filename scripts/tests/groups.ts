import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export const ROOT = resolve(import.meta.dirname, '../..');
const ALL = ['src/**/*.test.ts', 'test/**/*.test.ts'];
/** Made before every test file of a process, so that what is random there goes by the seed of the run. */
const SEEDED = join(ROOT, 'test/support/seeded.ts');
/** They start services and programs, and wait for them: dealt to a few processes, they keep the processors busy. */
const WAITING = /^test\/(?:cli|e2e|otel)\//;
const PROCESSES_OF_WAITING = 6;
/** With many cases these take longer than all others: in one process they would take as long as all of them one after the other. */
const PROPERTIES = /^test\/properties\//;
const PROCESSES_OF_PROPERTIES = 4;

/** Each has a process of its own: hooks of a whole file would be those of all in its process, and so would these be. */
const ALONE = /^(?:before|after)\w*\(|setFlagsFromString\(|process\.env\[\w+\] =/m;

/** Test files that share a process: loading the program once for each of some 200 files took most of the time. */
export interface Group {
  readonly name: string;
  /** Relative to the root. */
  readonly files: readonly string[];
}

/**
 * By folder; the long ones first, so that no processor waits for the other at the end.
 * @param patterns paths or globs, relative to the root; all tests when empty
 */
export function groupsOf(patterns: readonly string[]): readonly Group[] {
  const files = globSync(patterns.length > 0 ? patterns : ALL, { cwd: ROOT }).sort();
  let waiting = 0;
  let properties = 0;
  const byName = Map.groupBy(files, (file) => {
    if (ALONE.test(readFileSync(join(ROOT, file), 'utf8'))) return file;
    if (WAITING.test(file)) return `test/waiting-${waiting++ % PROCESSES_OF_WAITING}`;
    if (PROPERTIES.test(file)) return `test/properties-${properties++ % PROCESSES_OF_PROPERTIES}`;
    return dirname(file).split('/').slice(0, 2).join('/');
  });
  const groups = [...byName].map(([name, members]) => ({ name, files: members }));
  return groups.sort((a, b) => rank(a) - rank(b));
}

function rank({ name, files: [first = ''] }: Group): number {
  if (WAITING.test(first)) return 0;
  return name.startsWith('test') ? 1 : 2;
}

/** @returns the path of a module that holds the tests of the group */
export function writeGroup(folder: string, { name, files }: Group): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name.replaceAll('/', '-')}.mjs`);
  const imports = [SEEDED, ...files.map((file) => join(ROOT, file))];
  writeFileSync(path, imports.map((file) => `await import('${pathToFileURL(file).href}');\n`).join(''));
  return path;
}
