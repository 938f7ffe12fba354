import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const ROOT = resolve(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache');

/** A real headless Chromium, out of its npm package: nothing is downloaded, and nothing of the machine is needed. */
export async function startBrowser(): Promise<Browser> {
  const folder = await unpacked();
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    // The package's own flags switch web security off.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    env: { ...process.env, LD_LIBRARY_PATH: join(folder, 'al2023/lib'), TMPDIR: '/tmp' },
  });
}

/** Unpacked once (1.7 s, 207 MB), for every version in a folder of its own: the package takes whatever lies there. */
async function unpacked(): Promise<string> {
  const { version } = JSON.parse(
    readFileSync(join(ROOT, 'node_modules/@sparticuz/chromium/package.json'), 'utf8'),
  ) as { version: string };
  const folder = join(CACHE, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const work = mkdtempSync(join(CACHE, 'unpack-'));
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = work;
  // Without it the libraries that Chromium wants (NSS, NSPR, expat) stay packed; it is read at the import.
  process.env['AWS_LAMBDA_JS_RUNTIME'] = 'nodejs22.x';
  try {
    const { default: packed } = await import('@sparticuz/chromium');
    await packed.executablePath();
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
  try {
    renameSync(work, folder);
  } catch {
    // Another process was quicker.
    rmSync(work, { recursive: true });
  }
  return folder;
}
