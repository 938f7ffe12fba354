import { globSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * Builds the page into `dist/ui`, from where the service serves it; nothing is done when that is newer than its sources.
 * Usage: build-ui.ts [--always]
 */
const ROOT = resolve(import.meta.dirname, '..');
const FOLDER = resolve(ROOT, 'dist/ui');
const MADE = resolve(FOLDER, 'built.txt');
const SOURCES = ['ui/**/*', 'src/{client,model,base}/**/*.ts', 'package-lock.json'];

const built = timeOf(MADE);
const newest = Math.max(...globSync(SOURCES, { cwd: ROOT }).map((file) => timeOf(resolve(ROOT, file)) ?? 0));
if (process.argv.includes('--always') || built === undefined || newest > built) await build();

async function build(): Promise<void> {
  const started = performance.now();
  const vite = await import('vite').catch(() => undefined);
  if (!vite) {
    // An installation without development dependencies has no sources of the page to build either.
    console.log('the page is not built: vite is not installed');
    return;
  }
  // A service that starts meanwhile, or another build, never sees half of it.
  const outDir = resolve(ROOT, `dist/ui-${process.pid}`);
  await vite.build({
    root: resolve(ROOT, 'ui'),
    configFile: resolve(ROOT, 'ui/vite.config.ts'),
    build: { outDir },
    logLevel: 'warn',
  });
  writeFileSync(resolve(outDir, 'built.txt'), '');
  rmSync(FOLDER, { recursive: true, force: true });
  renameSync(outDir, FOLDER);
  console.log(`built the page into dist/ui in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

/** Milliseconds. */
function timeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}
