import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { checkApi, checkLeft, checkLog } from './crash/check.ts';
import { Load } from './crash/load.ts';
import { randomBy } from './crash/random.ts';
import { Child } from './steps/child.ts';
import { FREE_PORTS, serve } from './steps/serve.ts';

/**
 * Kills the service with SIGKILL at random points while the real OpenTelemetry exporters send to it, and looks after
 * each restart whether every span that was acknowledged is there, once: in the log as the crash left it, and in what
 * readers get. `node scripts/test-crash.ts [ROUNDS] [SEED]`
 */
const ROUNDS = Number(process.argv[2] ?? 100);
const SEED = Number(process.argv[3] ?? Math.trunc(Math.random() * 0x7fffffff));
/** A folder is given up after so many rounds, so that restoring does not become most of the time. */
const ROUNDS_A_FOLDER = 10;
/** Load goes on for up to so long before the kill. */
const MAX_LOAD_MS = 900;
/** One round in so many is killed while it starts. */
const KILL_AT_START = 0.15;

const MAIN = resolve(import.meta.dirname, '../src/main.ts');
/** Of a few hundred nodes, so that most of a folder's leave memory. */
const LITTLE_MEMORY = 1024 * 1024;
/** What a folder is run with: small segments, nodes that leave memory, waiting for the disk. */
const SETTINGS: readonly (readonly string[])[] = [
  [],
  ['--max-store-bytes', String(96 * 1024 * 1024)],
  ['--durability', 'fsync'],
  ['--max-memory-bytes', String(LITTLE_MEMORY)],
];

const random = randomBy(SEED);
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
const root = mkdtempSync(join(tmpdir(), 'crash-'));

console.log(`${ROUNDS} rounds, seed ${SEED}`);
const start = performance.now();
try {
  await compileOnce();
  let acknowledged = 0;
  for (let done = 0, folder = 0; done < ROUNDS; done += ROUNDS_A_FOLDER, folder++) {
    const settings = SETTINGS[folder % SETTINGS.length] ?? [];
    acknowledged += await runFolder(Math.min(ROUNDS_A_FOLDER, ROUNDS - done), settings);
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    console.log(
      `✓ ${Math.min(done + ROUNDS_A_FOLDER, ROUNDS)} rounds, ${acknowledged} spans acknowledged and found, ${seconds} s ${settings.join(' ')}`,
    );
  }
  rmSync(root, { recursive: true });
} catch (error) {
  console.log(`✗ seed ${SEED}; the folder is kept: ${root}`);
  throw error;
}

/** What is killed leaves no compiled code behind: one that ends cleanly does, for all that follow. */
async function compileOnce(): Promise<void> {
  const service = await serve(process.execPath, argsFor(join(root, 'compiled'), []), { env: environment() });
  assert.equal(await service.child.stop(), 0);
}

function argsFor(dataDir: string, settings: readonly string[]): readonly string[] {
  return [MAIN, 'serve', ...FREE_PORTS, '--data-dir', dataDir, '--log-level', 'warn', ...settings];
}

function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: root, NODE_COMPILE_CACHE: join(root, 'cache') };
}

/** @returns how many spans were acknowledged */
async function runFolder(rounds: number, settings: readonly string[]): Promise<number> {
  const dataDir = join(root, 'data');
  const asLeft = join(root, 'log-as-left');
  const load = new Load(random);
  const args = argsFor(dataDir, settings);
  let sending = Promise.resolve();
  for (let round = 0; round <= rounds; round++) {
    if (round < rounds && random() < KILL_AT_START) await killAtStart(args);
    const service = await serve(process.execPath, args, { env: environment() });
    try {
      await sending;
      if (round > 0) checkLog(asLeft, load.acknowledged);
      await checkApi(service.readers, load.acknowledged);
      if (round === rounds) {
        if (settings.includes(String(LITTLE_MEMORY)))
          await checkLeft(service.readers, load.acknowledged.size);
        assert.equal(await service.child.stop(), 0, 'the last one ends cleanly');
        break;
      }
      let isKilled = false;
      sending = load.send(service, () => isKilled);
      await pause(random() * MAX_LOAD_MS);
      service.child.kill();
      isKilled = true;
      await service.child.ended(1000);
    } finally {
      service.child.kill();
    }
    // The senders give up while the next one starts, which changes the log.
    rmSync(asLeft, { recursive: true, force: true });
    cpSync(join(dataDir, 'log'), asLeft, { recursive: true });
  }
  checkLog(join(dataDir, 'log'), load.acknowledged);
  rmSync(dataDir, { recursive: true });
  return load.acknowledged.size;
}

async function killAtStart(args: readonly string[]): Promise<void> {
  const child = new Child(process.execPath, args, { env: environment() });
  await pause(200 + random() * 1000);
  child.kill();
  await child.ended(1000);
}
