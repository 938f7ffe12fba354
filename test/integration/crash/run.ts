import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { checkApi, checkLeft, checkStore } from './check.ts';
import { Load } from './load.ts';
import { Sessions } from './protocols.ts';
import { randomBy } from './random.ts';
import { STORES, type StartingStore } from './stores.ts';
import { Subscribers, type ReaderCounts } from './subscribers.ts';
import { Thoughts } from './thoughts.ts';
import { Child, within } from '../steps/child.ts';
import { FREE_PORTS, serve, type Served } from '../steps/serve.ts';

/**
 * Kills the service with SIGKILL at random points while the real OpenTelemetry exporters, writers of chains of
 * thought, runs of AG-UI and sessions of ThoughtFlow send to it, and checks after each restart that every span, character
 * and step that was acknowledged is there, once: in the database as the crash left it, and in what readers get. Subscribers follow all the while, over WebSocket and
 * gRPC: after each restart they take up where they were, and hold the graph that a fresh one gets. Some stores have
 * something to delete from the start. `node test/integration/crash/run.ts [ROUNDS] [SEED]`
 */
const ROUNDS = Number(process.argv[2] ?? 100);
const SEED = Number(process.argv[3] ?? Math.trunc(Math.random() * 0x7fffffff));
/** A folder is given up after so many rounds, so that restoring does not become most of the time. */
const ROUNDS_A_FOLDER = 5;
/** Load goes on for up to so long before the kill. */
const MAX_LOAD_MS = 900;
/** Until the first spans of a round are acknowledged, on a machine that gives the service a fraction of its time. */
const PROGRESS_MS = 60_000;
/** One round in so many is killed while it starts. */
const KILL_AT_START = 0.15;
/** In one round in so many a reader loses its connection under load, for up to so long. */
const LOSE_CONNECTION = 0.5;
const MAX_LOST_MS = 300;

const MAIN = resolve(import.meta.dirname, '../../../src/main.ts');
/** Of a few hundred nodes, so that most of a folder's leave memory. */
const LITTLE_MEMORY = 1024 * 1024;
/** What a folder is run with: nodes that leave memory, waiting for the disk. */
const SETTINGS: readonly (readonly string[])[] = [
  [],
  ['--max-store-bytes', String(96 * 1024 * 1024)],
  ['--durability', 'fsync'],
  ['--max-memory-bytes', String(LITTLE_MEMORY)],
];

let folders = 0;
const counts: ReaderCounts = { same: 0, continued: 0, snapshotNeeded: 0 };
const random = randomBy(SEED);
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
const root = mkdtempSync(join(tmpdir(), 'crash-'));

console.log(`${ROUNDS} rounds, seed ${SEED}`);
const start = performance.now();
try {
  await compileOnce();
  let acknowledged = 0;
  let chars = 0;
  let steps = 0;
  for (let done = 0, folder = 0; done < ROUNDS; done += ROUNDS_A_FOLDER, folder++) {
    const settings = SETTINGS[folder % SETTINGS.length] ?? [];
    const collapse = folder % 2 === 0 ? 'none' : 'auto';
    const store = STORES[folder % STORES.length];
    const found = await runFolder(Math.min(ROUNDS_A_FOLDER, ROUNDS - done), settings, collapse, store);
    acknowledged += found.spans;
    chars += found.chars;
    steps += found.steps;
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    console.log(
      `✓ ${Math.min(done + ROUNDS_A_FOLDER, ROUNDS)} rounds, ${acknowledged} spans, ${chars} characters of thoughts and ${steps} steps of sessions acknowledged and found, ${seconds} s; ${store?.name ?? 'an empty store'} ${settings.join(' ')}`,
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

/** @returns how much was acknowledged */
async function runFolder(
  rounds: number,
  folderSettings: readonly string[],
  collapse: 'auto' | 'none',
  store: StartingStore | undefined,
): Promise<{ readonly spans: number; readonly chars: number; readonly steps: number }> {
  const dataDir = join(root, 'data');
  const asLeft = join(root, 'as-left');
  const load = new Load(random);
  const thoughts = new Thoughts(`thought-${++folders}`, random);
  const sessions = new Sessions(`session-${folders}`, random);
  const settings = [...folderSettings, ...(store?.settings ?? [])];
  const content = await store?.fill(dataDir, environment());
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
        if (round > 0) checkStore(asLeft, acknowledgedAsLeft);
        await checkApi(service.readers, load.acknowledged);
        await thoughts.check(service.readers);
        await sessions.check(service.readers);
        await content?.check(service.readers);
        subscribers ??= new Subscribers(service.readers, { collapse }, counts);
        await subscribers.arrive(service.readers);
        await subscribers.checkSame(service.readers);
        if (round === rounds) {
          await thoughts.finish(service);
          await thoughts.check(service.readers);
          await sessions.finish(service);
          await sessions.check(service.readers);
          if (settings.includes(String(LITTLE_MEMORY))) await checkLeft(service.readers, LITTLE_MEMORY, load);
          assert.equal(await service.child.stop(), 0, 'the last one ends cleanly');
          break;
        }
        let isKilled = false;
        sending = Promise.all([
          load.send(service, () => isKilled),
          thoughts.send(service, () => isKilled),
          sessions.send(service, () => isKilled),
        ]).then(() => undefined);
        const before = load.acknowledged.size;
        await underLoad(service.readers, subscribers);
        // A machine that is busy with other things may not have got so far: a kill under no load proves nothing.
        await within(PROGRESS_MS, 'spans are acknowledged', async () =>
          load.acknowledged.size > before ? true : undefined,
        );
        service.child.kill();
        isKilled = true;
        await service.child.ended(1000);
      } finally {
        service.child.kill();
      }
      // The next one changes the store; and senders that try again find it, since it listens where this one did.
      acknowledgedAsLeft = new Set(load.acknowledged);
      rmSync(asLeft, { recursive: true, force: true });
      cpSync(dataDir, asLeft, { recursive: true });
    }
  } finally {
    await subscribers?.close();
  }
  checkStore(dataDir, load.acknowledged);
  rmSync(dataDir, { recursive: true });
  return {
    spans: load.acknowledged.size,
    chars: thoughts.acknowledgedChars,
    steps: sessions.acknowledgedSteps,
  };
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
