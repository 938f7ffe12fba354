import { setTimeout as sleep } from 'node:timers/promises';
import { startServer, type ServerProcess } from './support/server-process.ts';
import { SpanLoad, SPANS_PER_REQUEST } from './support/span-load.ts';
import { subscribeAll } from './support/subscribers.ts';

const GIB = 2 ** 30;
/** A graph of a million nodes, its texts in the log, with room for what is collected meanwhile. */
const HEAP_MIB = 10 * 1024;
/** By then the code is compiled: what is measured first is not slower for that. */
const WARM_UP_REQUESTS = 80;
const WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;
/** Nodes in the graph at which a window begins and ends: each long enough for its share of full collections. */
const WINDOWS: readonly (readonly [from: number, to: number])[] = [
  [10_000, 40_000],
  [80_000, 120_000],
  [450_000, 550_000],
  [900_000, 1_000_000],
];

export interface GrowthWindow {
  readonly from: number;
  readonly to: number;
  readonly usPerSpan: number;
  readonly residentMiB: number;
}

/** What a span costs as the graph grows, everything on as in `benchIngest`; nothing leaves memory. */
export async function benchGrowth(windows = WINDOWS): Promise<GrowthWindow[]> {
  const server = await startServer(
    ['--max-memory-bytes', String(16 * GIB), '--max-store-bytes', String(64 * GIB)],
    [`--max-old-space-size=${HEAP_MIB}`],
  );
  const subscribers = await subscribeAll(server.port, 1);
  const load = new SpanLoad(server.grpcPort);
  let sent = 0;
  const sendUntil = async (spans: number): Promise<void> => {
    const requests = Math.ceil((spans - sent) / SPANS_PER_REQUEST);
    await load.send(requests);
    sent += requests * SPANS_PER_REQUEST;
  };
  try {
    await load.send(WARM_UP_REQUESTS);
    await forgetAll(server);
    const measured: GrowthWindow[] = [];
    for (const [from, to] of windows) {
      await sendUntil(from);
      const cpu = server.cpuSeconds();
      const before = sent;
      await sendUntil(to);
      const usPerSpan = ((server.cpuSeconds() - cpu) / (sent - before)) * 1e6;
      measured.push({ from, to, usPerSpan, residentMiB: server.residentBytes() / 2 ** 20 });
    }
    await untilHeld(server, sent);
    return measured;
  } finally {
    load.close();
    subscribers.close();
    await server.stop();
  }
}

/** Takes everything out of memory, which then begins anew. */
async function forgetAll(server: ServerProcess): Promise<void> {
  const held = (): Promise<number> => server.metric('explain_nodes_in_memory');
  // Changes are collected before they are counted.
  for (let waited = 0; waited < MAX_WAIT_MS; waited += WAIT_MS) {
    const answer = await fetch(`http://127.0.0.1:${server.port}/api/prune`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"olderThanMinutes":0}',
    });
    if (!answer.ok) throw new Error(`prune answered ${answer.status}`);
    if ((await held()) === 0) return;
    await sleep(WAIT_MS);
  }
  throw new Error(`${await held()} nodes stay in memory`);
}

/** What was sent is there, and nothing has left; what was asked in a trace is a node of its own. */
async function untilHeld(server: ServerProcess, spans: number): Promise<void> {
  let held = 0;
  for (let waited = 0; waited < MAX_WAIT_MS && held < spans; waited += WAIT_MS) {
    await sleep(WAIT_MS);
    held = await server.metric('explain_nodes_in_memory');
  }
  if (held < spans) throw new Error(`sent ${spans} spans, but ${held} nodes are in memory`);
}
