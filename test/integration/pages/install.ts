import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** LangChain and all that it needs takes the longest. */
const INSTALL_LIMIT_MS = 300_000;

/** `npm i` or `pip install`, and its packages with the versions that the page was tried with. */
export function pinned(command: string, page: string): readonly string[] {
  const line =
    command
      .replaceAll('\\\n', ' ')
      .split('\n')
      .find((one) => /^(?:npm i|pip install) /.test(one)) ?? '';
  const [tool, , ...names] = line.trim().split(/\s+/);
  const equals = tool === 'npm' ? '@' : '==';
  return [
    tool ?? '',
    ...names.map((name) => {
      const bare = name.replace(/(?<=.)@\d+$|==.*$/, '');
      const range = name === bare ? '' : name.slice(bare.length).replace(/^(?:@|==)/, '');
      const said = Array.from(page.matchAll(/`([^`\s]+)` (\d+\.\d[\w.]*)/g)).find(
        ([, of = '', version = '']) => of === bare && version.startsWith(range),
      );
      return said === undefined ? name : bare + equals + said[2];
    }),
  ];
}

/**
 * Installs the packages of a page; they are kept in the user's cache for the next time.
 * @param folder where the page's programs are
 * @returns the folder with their programs
 */
export async function installPackages(command: string, page: string, folder: string): Promise<string> {
  const [tool = '', ...packages] = pinned(command, page);
  const hash = createHash('sha256')
    .update(JSON.stringify([tool, packages]))
    .digest('hex')
    .slice(0, 16);
  const kept = join(
    process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
    'explainability-agent',
    'pages',
    hash,
  );
  if (!existsSync(join(kept, 'whole'))) {
    await mkdir(dirname(kept), { recursive: true });
    await rm(kept, { recursive: true, force: true });
    await mkdir(kept);
    console.log(`  ${tool}: installing ${packages.join(' ')}; it is kept for the next time`);
    const options = { cwd: kept, timeout: INSTALL_LIMIT_MS };
    if (tool === 'npm') {
      await writeFile(join(kept, 'package.json'), '{"private": true}');
      await run('npm', ['i', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], options);
    } else {
      assert.equal(tool, 'pip');
      // A virtual environment holds its own path, so it is made where it stays.
      await run('python3', ['-m', 'venv', kept], options);
      await run(join(kept, 'bin/pip'), ['install', '-q', ...packages], options);
    }
    await writeFile(join(kept, 'whole'), '');
  }
  if (tool === 'pip') return join(kept, 'bin');
  await rm(join(folder, 'node_modules'), { force: true });
  await symlink(join(kept, 'node_modules'), join(folder, 'node_modules'));
  return join(kept, 'node_modules', '.bin');
}
