import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { writeSbom } from './sbom.ts';

/** Makes `dist`, which is what the package runs: the compiled sources, the built page in `dist/ui`, and what both are made of. */
const ROOT = resolve(import.meta.dirname, '..');

// Nothing that was built from a source that is gone may be published.
rmSync(resolve(ROOT, 'dist'), { recursive: true, force: true });
const tsc = resolve(ROOT, 'node_modules/typescript/bin/tsc');
for (const args of [
  [tsc, '-p', resolve(ROOT, 'tsconfig.build.json')],
  [resolve(ROOT, 'scripts/build-ui.ts'), '--always'],
]) {
  if (spawnSync(process.execPath, args, { stdio: 'inherit' }).status !== 0) process.exit(1);
}
writeSbom(ROOT, resolve(ROOT, 'dist'));
