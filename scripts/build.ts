import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';

/** Makes `dist`, which is what the package runs: the compiled sources, and beside them the parts of the page at `/`. */
const ROOT = resolve(import.meta.dirname, '..');
const DIST = resolve(ROOT, 'dist');
const PAGE = 'servers/http/page';

// Nothing that was built from a source that is gone may be published.
rmSync(DIST, { recursive: true, force: true });
const tsc = resolve(ROOT, 'node_modules/typescript/bin/tsc');
const compiled = spawnSync(process.execPath, [tsc, '-p', resolve(ROOT, 'tsconfig.build.json')], {
  stdio: 'inherit',
});
if (compiled.status === 0) cpSync(resolve(ROOT, 'src', PAGE), resolve(DIST, PAGE), { recursive: true });
else process.exitCode = 1;
