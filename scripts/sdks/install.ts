import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { succeed } from '../steps/child.ts';

const MANIFESTS = ['package.json', 'package-lock.json'];

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
  try {
    for (const name of MANIFESTS) await copyFile(join(folder, name), join(work, name));
    await succeed('npm', ['ci', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: work,
    });
    // Into its place as a whole: an installation that is interrupted, or runs twice, leaves no half one.
    await rename(work, kept).catch((error: unknown) => {
      if (!existsSync(modules)) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return modules;
}
