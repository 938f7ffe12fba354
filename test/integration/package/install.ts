import assert from 'node:assert/strict';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { run, succeed } from '../steps/child.ts';

export const ROOT = resolve(import.meta.dirname, '../../..');

/** What the package puts beside it when it is installed, from the folder that it is installed in. */
export const COMMAND = 'node_modules/.bin/explainability-agent';

/** A Node as a user has it: an environment in whose PATH `node` is this one. */
export interface UsersNode {
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The machine's own Node where the package allows it, and the one that the project pins. npm puts the pinned one first in its scripts' PATH. */
export async function usersNodes(home: string): Promise<readonly UsersNode[]> {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const own = folders.filter((folder) => !folder.split(/[/\\]/).includes('node_modules'));
  const pinned = [join(ROOT, 'node_modules/.bin'), ...own];
  const nodes: UsersNode[] = [];
  for (const path of [own, pinned]) {
    // A home of its own, so that no settings of whoever runs this are read; npm's cache is shared, it is only slow.
    const env: NodeJS.ProcessEnv = { ...process.env, PATH: path.join(delimiter), HOME: home };
    for (const name of Object.keys(env)) if (name.startsWith('EXPLAINABILITY_AGENT_')) delete env[name];
    const { code, stdout } = await run('node', ['--version'], { env });
    const version = stdout.trim();
    if (code === 0 && (await isAllowed(version)) && nodes.every((known) => known.version !== version))
      nodes.push({ version, env });
  }
  return nodes;
}

/** By `engines` of the package. */
async function isAllowed(version: string): Promise<boolean> {
  const { engines } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  const [major = 0, minor = 0] = numbersIn(version);
  const [leastMajor = 0, leastMinor = 0] = numbersIn(engines.node);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

function numbersIn(version: string): number[] {
  return (version.match(/\d+/g) ?? []).map(Number);
}

/** @returns the path of the tarball, made as for publishing: `dist` is built anew */
export async function pack(folder: string): Promise<string> {
  await rm(join(ROOT, 'dist'), { recursive: true, force: true });
  const output = await succeed('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: ROOT });
  // What the build says comes before.
  const file = /(\S+\.tgz)\s*$/.exec(output)?.[1];
  assert.ok(file, output);
  return join(folder, file);
}

/** What is in the tarball, without npm's leading `package/`. */
export async function packedFiles(tarball: string): Promise<readonly string[]> {
  const list = await succeed('tar', ['-tzf', tarball]);
  return list
    .trim()
    .split('\n')
    .map((path) => path.replace(/^package\//, ''));
}

/** An empty folder with nothing but the tarball and what it depends on. */
export async function installInto(app: string, tarball: string): Promise<void> {
  await mkdir(app);
  await succeed('npm', ['init', '-y'], { cwd: app });
  await succeed('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', tarball], { cwd: app });
}
