import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Where `go` is: on the path, or where its own installer puts it. */
const GO_PLACES = ['go', '/usr/local/go/bin/go'];

/** A machine with nothing cached needs about five minutes on two cores, and may be slower than that. */
const BUILD_TIMEOUT_MS = 15 * 60_000;

/** The end of the builder's output that is shown when it fails. */
const SHOWN_CHARS = 4_000;

export interface BuiltCollector {
  readonly binary: string;
  /** False when it was there from a run before. */
  readonly isNew: boolean;
}

/**
 * A Collector made of what the manifest lists, by the Collector's own builder. It is kept in the user's cache,
 * where `npm ci` does not touch it, and made again when the manifest changes.
 * @param tell told that a build begins, which takes minutes
 * @returns undefined when Go is not installed
 * @throws Error with the end of the builder's output when it fails
 */
export async function buildCollector(
  manifest: string,
  tell: (what: string) => void,
): Promise<BuiltCollector | undefined> {
  const text = await readFile(manifest, 'utf8');
  const version = /^ {2}version: (\d+\.\d+\.\d+)$/m.exec(text)?.[1];
  if (version === undefined) throw new Error(`${manifest} has no dist.version`);
  const key = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const folder = join(cache, 'explainability-agent', 'otelcol', `${process.platform}-${process.arch}-${key}`);
  const binary = join(folder, 'otelcol');
  if (existsSync(binary)) return { binary, isNew: false };
  const go = await findGo();
  if (go === undefined) return undefined;
  tell('building the Collector, which takes minutes; it is kept for the next time');
  await mkdir(folder, { recursive: true });
  const work = await mkdtemp(join(folder, 'build-'));
  try {
    await runBuilder(go, version, manifest, work);
    // Into its place as a whole: a build that is interrupted, or runs twice, leaves no half binary.
    await rename(join(work, 'otelcol', 'otelcol'), binary);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return { binary, isNew: true };
}

/** @returns undefined where it is not installed */
export async function findGo(): Promise<string | undefined> {
  for (const go of GO_PLACES) {
    try {
      await promisify(execFile)(go, ['version']);
      return go;
    } catch {
      // Not there; the next place.
    }
  }
  return undefined;
}

async function runBuilder(go: string, version: string, manifest: string, folder: string): Promise<void> {
  const builder = `go.opentelemetry.io/collector/cmd/builder@v${version}`;
  // The builder starts `go` by its name.
  const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}${delimiter}${dirname(go)}` };
  const child = spawn(go, ['run', builder, '--config', manifest], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: ending the builder alone would leave the compiler running.
    detached: true,
  });
  let output = '';
  const keep = (chunk: Buffer): void => void (output = (output + chunk.toString()).slice(-SHOWN_CHARS));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const endGroup = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  const timer = setTimeout(endGroup, BUILD_TIMEOUT_MS);
  process.once('exit', endGroup);
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0)
      throw new Error(`${builder} failed (${code ?? `after ${BUILD_TIMEOUT_MS} ms`}):\n${output}`);
  } finally {
    clearTimeout(timer);
    process.off('exit', endGroup);
  }
}
