import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run, succeed } from '../../steps/child.ts';

/** Every package of every stack, and of these all that they need. */
const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
/** What installs them. */
const UV = 'uv==0.13.9';
const CANDIDATES = ['python3', 'python3.12', 'python3.13', 'python3.11'];
const IS_FIT = 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))';
const ENV = { PATH: process.env['PATH'], HOME: homedir(), ...pipSettings() };

type Environment = { readonly python: string } | { readonly python: undefined; readonly lacking: string };

/**
 * A virtual environment with the pinned packages. It is kept in the user's cache, and made anew when they change.
 * @param tell told that an installation begins, which takes a minute or two
 * @returns its interpreter, or what there is not on this machine
 * @throws AssertionError with pip's output when an installation fails
 */
export async function makeEnvironment(tell: (what: string) => void): Promise<Environment> {
  const python = await fitPython();
  if (python === undefined)
    return { python: undefined, lacking: 'there is no Python 3.11 to 3.13 with venv' };
  const hash = createHash('sha256')
    .update(await readFile(REQUIREMENTS))
    .update(python.version);
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const folder = join(cache, 'explainability-agent', 'python', hash.digest('hex').slice(0, 16));
  const interpreter = join(folder, 'bin', 'python');
  const done = join(folder, 'installed');
  if (existsSync(done)) return { python: interpreter };
  tell('installing; it is kept for the next time');
  // Paths inside of it are absolute, so it is made where it stays; what was interrupted has no `installed`.
  rmSync(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await succeed(python.command, ['-m', 'venv', folder], { env: ENV });
  // pip itself takes ten times as long for so many packages.
  await succeed(interpreter, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', UV], {
    env: ENV,
  });
  const install = ['-m', 'uv', 'pip', 'install', '--quiet', '--no-cache', '--only-binary', ':all:'];
  await succeed(interpreter, [...install, '--python', interpreter, '-r', REQUIREMENTS], { env: ENV });
  await writeFile(done, '');
  return { python: interpreter };
}

interface Python {
  readonly command: string;
  readonly version: string;
}

async function fitPython(): Promise<Python | undefined> {
  for (const command of CANDIDATES) {
    if ((await run(command, ['-c', IS_FIT], { env: ENV })).code !== 0) continue;
    const { stdout } = await run(command, ['-VV'], { env: ENV });
    return { command, version: stdout };
  }
  return undefined;
}

/** How this machine reaches the registry. */
function pipSettings(): NodeJS.ProcessEnv {
  const settings = Object.entries(process.env).filter(([name]) =>
    /^(?:PIP_|https?_proxy$|no_proxy$|SSL_)/i.test(name),
  );
  return Object.fromEntries(settings);
}
