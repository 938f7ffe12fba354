import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export const ROOT = resolve(import.meta.dirname, '../..');
const ALL = ['src/**/*.test.ts', 'test/**/*.test.ts'];
/** Made before every test file of a process, so that what is random there goes by the seed of the run. */
const SEEDED = join(ROOT, 'test/support/seeded.ts');
/** They start programs, or look at their own process (its memory, its clock): each has a process of its own. */
const ALONE = /^test\/(?:cli|e2e|otel)\//;

/** Hooks of a whole file would be hooks of all files in its process. */
const HOOKS = /^(?:before|after)\w*\(/m;

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
  const byName = Map.groupBy(files, (file) => (isAlone(file) ? file : file.split('/').slice(0, 2).join('/')));
  const groups = [...byName].map(([name, members]) => ({ name, files: members }));
  return groups.sort((a, b) => rank(a.name) - rank(b.name));
}

function isAlone(file: string): boolean {
  return ALONE.test(file) || HOOKS.test(readFileSync(join(ROOT, file), 'utf8'));
}

function rank(name: string): number {
  if (ALONE.test(name)) return 0;
  return name.startsWith('test/') ? 1 : 2;
}

/** @returns the path of a module that holds the tests of the group */
export function writeGroup(folder: string, { name, files }: Group): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name.replaceAll('/', '-')}.mjs`);
  const imports = [SEEDED, ...files.map((file) => join(ROOT, file))];
  writeFileSync(path, imports.map((file) => `await import('${pathToFileURL(file).href}');\n`).join(''));
  return path;
}
