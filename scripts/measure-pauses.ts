import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { systemClock } from '../src/base/clock.ts';
import { saveSnapshot } from '../src/storage/json/graph-snapshot.ts';
import { openLogStore, type LogStore } from '../src/storage/log/log-store.ts';
import { silentLogger } from '../src/telemetry/logger.ts';
import { makeEngine, type TestEngine } from '../test/support/make-engine.ts';
import { span } from '../test/support/records.ts';
import { batchOf } from '../test/support/world.ts';

/** How long nothing else runs while a large graph is stored, restored and taken out of memory: `node scripts/measure-pauses.ts [NODES]` */
const NODES = Number(process.argv[2] ?? 100_000);
const NODES_A_TASK = 500;
const BATCH = 250;

const dataDir = mkdtempSync(join(tmpdir(), 'pauses-'));

function open(): Promise<LogStore> {
  const settings = { durability: 'log', maxBytes: 1e10, persistRetentionDays: 7 } as const;
  return openLogStore({ dataDir, ...settings, logger: silentLogger });
}

function engineOn(store: LogStore): TestEngine['engine'] {
  return makeEngine({
    clock: systemClock,
    journal: store,
    maxMemoryBytes: 1e10,
    onLeaving: (nodes) => {
      const taskId = nodes[0]?.node.taskId;
      if (taskId !== undefined) void store.archive(taskId, nodes);
    },
  }).engine;
}

async function measured(what: string, work: () => Promise<void>): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const start = performance.now();
  await work();
  delay.disable();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${what}: ${seconds} s, longest pause ${(delay.max / 1e6).toFixed(0)} ms`);
}

try {
  let store = await open();
  let engine = engineOn(store);
  await measured(`${NODES} spans are taken in`, async () => {
    for (let done = 0; done < NODES; done += BATCH) {
      const records = Array.from({ length: BATCH }, (_, n) => {
        const traceId = (1 + Math.floor((done + n) / NODES_A_TASK)).toString(16).padStart(32, '0');
        return { ...span(1, { traceId }), spanId: (1 + done + n).toString(16).padStart(16, '0') };
      });
      await engine.correlator.consume(batchOf(records));
    }
  });
  await measured('snapshot', async () => {
    const graph = { ...engine.graph.everything(), lastUpdated: new Date().toISOString() };
    await saveSnapshot(dataDir, graph, 1e10);
  });
  engine.stop();
  await store.close();

  await measured('the log is opened', async () => {
    store = await open();
  });
  engine = engineOn(store);
  await measured('restore', async () => {
    for await (const facts of store.restore()) engine.correlator.replay(facts);
  });
  engine.flush();
  await measured('all leave memory', async () => {
    engine.reader.prune(0);
    while (engine.graph.nodeCount > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });
  engine.stop();
  await store.close();
} finally {
  rmSync(dataDir, { recursive: true });
}
