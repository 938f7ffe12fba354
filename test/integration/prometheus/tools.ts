import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { run } from '../steps/child.ts';

export interface PrometheusTools {
  readonly prometheus: string;
  readonly promtool: string;
}

const CACHE = resolve(import.meta.dirname, '../../node_modules/.cache/prometheus');

/**
 * Prometheus and promtool: of the machine, or unpacked from Debian's package into a cache folder, which needs
 * neither root nor a running daemon.
 * @returns what is missing, as text, when they cannot be had
 */
export async function findTools(): Promise<PrometheusTools | string> {
  const installed = inFolders((process.env['PATH'] ?? '').split(delimiter));
  if (installed) return installed;
  const cached = () => inFolders([join(CACHE, 'usr/bin')]);
  return cached() ?? (await download()) ?? cached() ?? 'the package holds no prometheus and promtool';
}

function inFolders(folders: readonly string[]): PrometheusTools | undefined {
  const [prometheus, promtool] = ['prometheus', 'promtool'].map((name) =>
    folders.map((folder) => join(folder, name)).find((path) => existsSync(path)),
  );
  return prometheus !== undefined && promtool !== undefined ? { prometheus, promtool } : undefined;
}

/** @returns why it failed */
async function download(): Promise<string | undefined> {
  const loading = `${CACHE}.${process.pid}`;
  mkdirSync(loading, { recursive: true });
  try {
    const options = { cwd: loading };
    let loaded = await run('apt-get', ['download', 'prometheus'], options);
    // A new machine has no lists of packages yet.
    if (loaded.code !== 0 && (await run('apt-get', ['update'], options)).code === 0)
      loaded = await run('apt-get', ['download', 'prometheus'], options);
    const file = readdirSync(loading).find((name) => name.endsWith('.deb'));
    if (loaded.code !== 0 || file === undefined)
      return "no prometheus and promtool in PATH, and apt-get cannot download Debian's package prometheus";
    const unpacked = await run('dpkg', ['-x', file, 'root'], options);
    if (unpacked.code !== 0) return `dpkg cannot unpack ${file}`;
    rmSync(CACHE, { recursive: true, force: true });
    renameSync(join(loading, 'root'), CACHE);
    return undefined;
  } finally {
    rmSync(loading, { recursive: true, force: true });
  }
}
