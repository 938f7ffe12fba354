import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Child } from '../steps/child.ts';

const MANIFESTS = ['package.json', 'package-lock.json'];
/** What is optional is for platforms of providers; nothing is built, so nothing of a package runs. */
const CI = ['ci', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
/** The largest takes half a minute over a fast line. */
const INSTALL_LIMIT_MS = 300_000;

/**
 * The packages that a folder's lockfile pins, installed apart from ours: instrumentations patch what is beside them.
 * They are kept in the user's cache, and installed anew when manifest or lockfile change.
 * @param tell told that an installation begins, which takes a while
 * @returns the `node_modules`
 * @throws AssertionError with npm's output when it fails
 */
export async function installSdk(folder: string, tell: (what: string) => void): Promise<string> {
  const hash = createHash('sha256');
  for (const name of MANIFESTS) hash.update(await readFile(join(folder, name)));
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const kept = join(cache, 'explainability-agent', 'sdks', hash.digest('hex').slice(0, 16));
  const modules = join(kept, 'node_modules');
  if (existsSync(modules)) return modules;
  tell('installing; it is kept for the next time');
  await mkdir(dirname(kept), { recursive: true });
  const work = await mkdtemp(`${kept}-`);
  for (const name of MANIFESTS) await copyFile(join(folder, name), join(work, name));
  const npm = new Child('npm', CI, { cwd: work });
  const clearAway = (): void => {
    npm.kill();
    rmSync(work, { recursive: true, force: true });
  };
  process.once('exit', clearAway);
  try {
    const code = await npm.ended(INSTALL_LIMIT_MS);
    assert.equal(code, 0, `npm ${CI.join(' ')} ended with ${code}:\n${npm.stdout}${npm.stderr}`);
    // Into its place as a whole: an installation that is interrupted, or runs twice, leaves no half one.
    await rename(work, kept).catch((error: unknown) => {
      if (!existsSync(modules)) throw error;
    });
  } finally {
    process.off('exit', clearAway);
    clearAway();
  }
  return modules;
}
