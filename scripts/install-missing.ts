import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Installs what `package.json` names and this folder has not, as after a pull; nothing is done when all is there. */
const ROOT = resolve(import.meta.dirname, '..');
type Versions = Readonly<Record<string, string>>;
const { dependencies, devDependencies } = JSON.parse(read('package.json')) as {
  readonly dependencies: Versions;
  readonly devDependencies: Versions;
};
const missing = Object.entries({ ...dependencies, ...devDependencies }).filter(
  ([name, version]) => installed(name) !== version,
);
if (missing.length > 0) {
  console.log(`installing ${missing.map(([name, version]) => `${name}@${version}`).join(', ')}`);
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund'], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}

function installed(name: string): string | undefined {
  const manifest = `node_modules/${name}/package.json`;
  if (!existsSync(resolve(ROOT, manifest))) return undefined;
  return (JSON.parse(read(manifest)) as { readonly version: string }).version;
}

function read(path: string): string {
  return readFileSync(resolve(ROOT, path), 'utf8');
}
