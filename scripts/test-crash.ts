import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { checkApi, checkLeft, checkLog } from './crash/check.ts';
import { Load } from './crash/load.ts';
import { randomBy } from './crash/random.ts';
import { Subscribers, type ReaderCounts } from './crash/subscribers.ts';
import { Child } from './steps/child.ts';
import { FREE_PORTS, serve, type Served } from './steps/serve.ts';

/**
 * Kills the service with SIGKILL at random points while the real OpenTelemetry exporters send to it, and looks after
 * each restart whether every span that was acknowledged is there, once: in the log as the crash left it, and in what
 * readers get. Subscribers follow all the while, over WebSocket and gRPC: after each restart they take up where they
 * were, and hold the graph that a fresh one gets. `node scripts/test-crash.ts [ROUNDS] [SEED]`
 */
const ROUNDS = Number(process.argv[2] ?? 100);
const SEED = Number(process.argv[3] ?? Math.trunc(Math.random() * 0x7fffffff));
/** A folder is given up after so many rounds, so that restoring does not become most of the time. */
const ROUNDS_A_FOLDER = 10;
/** Load goes on for up to so long before the kill. */
const MAX_LOAD_MS = 900;
/** One round in so many is killed while it starts. */
const KILL_AT_START = 0.15;
/** In one round in so many a reader loses its connection under load, for up to so long. */
const LOSE_CONNECTION = 0.5;
const MAX_LOST_MS = 300;

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

const counts: ReaderCounts = { same: 0, continued: 0, snapshotNeeded: 0 };
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
    const collapse = folder % 2 === 0 ? 'none' : 'auto';
    acknowledged += await runFolder(Math.min(ROUNDS_A_FOLDER, ROUNDS - done), settings, collapse);
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    console.log(
      `✓ ${Math.min(done + ROUNDS_A_FOLDER, ROUNDS)} rounds, ${acknowledged} spans acknowledged and found, ${seconds} s ${settings.join(' ')}`,
    );
  }
  console.log(
    `✓ readers: ${counts.same} times the same as a fresh one, ${counts.continued} times continued, ${counts.snapshotNeeded} times told snapshotNeeded`,
  );
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

function argsFor(
  dataDir: string,
  settings: readonly string[],
  ports: readonly string[] = FREE_PORTS,
): readonly string[] {
  return [MAIN, 'serve', ...ports, '--data-dir', dataDir, '--log-level', 'warn', ...settings];
}

function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: root, NODE_COMPILE_CACHE: join(root, 'cache') };
}

/** @returns how many spans were acknowledged */
async function runFolder(
  rounds: number,
  settings: readonly string[],
  collapse: 'auto' | 'none',
): Promise<number> {
  const dataDir = join(root, 'data');
  const asLeft = join(root, 'log-as-left');
  const load = new Load(random);
  let subscribers: Subscribers | undefined;
  let args = argsFor(dataDir, settings);
  let sending = Promise.resolve();
  let acknowledgedAsLeft: ReadonlySet<string> = new Set();
  try {
    for (let round = 0; round <= rounds; round++) {
      if (round < rounds && random() < KILL_AT_START) await killAtStart(args);
      const service = await serve(process.execPath, args, { env: environment() });
      // Readers find it again where it was.
      args = argsFor(dataDir, settings, portsOf(service));
      try {
        await sending;
        if (round > 0) checkLog(asLeft, acknowledgedAsLeft);
        await checkApi(service.readers, load.acknowledged);
        subscribers ??= new Subscribers(service.readers, { collapse }, counts);
        await subscribers.arrive(service.readers);
        await subscribers.checkSame(service.readers);
        if (round === rounds) {
          if (settings.includes(String(LITTLE_MEMORY))) await checkLeft(service.readers, load);
          assert.equal(await service.child.stop(), 0, 'the last one ends cleanly');
          break;
        }
        let isKilled = false;
        sending = load.send(service, () => isKilled);
        await underLoad(service.readers, subscribers);
        service.child.kill();
        isKilled = true;
        await service.child.ended(1000);
      } finally {
        service.child.kill();
      }
      // The next one changes the log; and senders that try again find it, since it listens where this one did.
      acknowledgedAsLeft = new Set(load.acknowledged);
      rmSync(asLeft, { recursive: true, force: true });
      cpSync(join(dataDir, 'log'), asLeft, { recursive: true });
    }
  } finally {
    await subscribers?.close();
  }
  checkLog(join(dataDir, 'log'), load.acknowledged);
  rmSync(dataDir, { recursive: true });
  return load.acknowledged.size;
}

/** Until the kill; a reader may lose its connection meanwhile. */
async function underLoad(readers: string, subscribers: Subscribers): Promise<void> {
  const loadMs = random() * MAX_LOAD_MS;
  const isLost = random() < LOSE_CONNECTION;
  const lostMs = random() * MAX_LOST_MS;
  const start = performance.now();
  await pause(loadMs / 2);
  if (isLost) await subscribers.loseConnection(readers, lostMs);
  await pause(Math.max(0, loadMs - (performance.now() - start)));
}

function portsOf({ readers, otlpGrpc, otlpHttp }: Served): readonly string[] {
  const portOf = (address: string): string => address.slice(address.lastIndexOf(':') + 1);
  return [
    '--port',
    portOf(readers),
    '--otlp-grpc-port',
    portOf(otlpGrpc),
    '--otlp-http-port',
    portOf(otlpHttp),
  ];
}

async function killAtStart(args: readonly string[]): Promise<void> {
  const child = new Child(process.execPath, args, { env: environment() });
  await pause(200 + random() * 1000);
  child.kill();
  await child.ended(1000);
}
