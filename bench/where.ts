import { setTimeout as sleep } from 'node:timers/promises';
import { CpuProfiler, samplesByFolder } from './support/cpu-profile.ts';
import { writeSection } from './support/page.ts';
import { startServer, type ServerProcess } from './support/server-process.ts';
import { SpanLoad, SPANS_PER_REQUEST } from './support/span-load.ts';
import { subscribeAll } from './support/subscribers.ts';
import { freePorts } from '../test/integration/collector/free-ports.ts';

/**
 * Where the processor time of a span goes, everything on: while memory fills, and once it is full, so that a record leaves
 * for each that comes. `npm run measure:where` writes it into `docs/benchmarks.md`.
 */
const WARM_UP_REQUESTS = 60;
const MEASURED_REQUESTS = 120;
/** By then more left memory than is measured, whatever its bound. */
const UNTIL_FULL_REQUESTS = 400;
/** What a load leaves to be done is done by then. */
const SETTLE_MS = 1500;
const READERS = 500;
const UPDATES = 60;
const SPANS_PER_UPDATE = 8;
const UPDATE_MS = 200;
/** What nowhere takes so much of a span or message is not shown. */
const LEAST_US = 0.5;

const LABELS: ReadonlyMap<string, string> = new Map([
  ['garbage', 'collecting garbage'],
  ['native', 'of no JavaScript: the kernel, parsing of frames, timers'],
  ['sockets', 'sockets: gRPC, WebSocket, HTTP'],
]);

interface Cost {
  /** Microseconds of the main thread for each span or message, by who spent them. */
  readonly byOwner: ReadonlyMap<string, number>;
  /** Of all threads. */
  readonly all: number;
}

console.log('ingest …');
const [filling, full] = await ingest();
console.log('fan-out …');
const message = await fanOut();
writeSection('What a span and a message cost', section());
console.log('written to docs/benchmarks.md');

async function ingest(): Promise<readonly [filling: Cost, full: Cost]> {
  const server = await startProfiled();
  const subscribers = await subscribeAll(server.port, 1);
  const load = new SpanLoad(server.grpcPort);
  const send = (): Promise<void> => load.send(MEASURED_REQUESTS);
  try {
    await load.send(WARM_UP_REQUESTS);
    const first = await measured(server, MEASURED_REQUESTS * SPANS_PER_REQUEST, send);
    await load.send(UNTIL_FULL_REQUESTS);
    return [first, await measured(server, MEASURED_REQUESTS * SPANS_PER_REQUEST, send)];
  } finally {
    load.close();
    subscribers.close();
    await server.stop();
  }
}

async function fanOut(): Promise<Cost> {
  const server = await startProfiled();
  // Each has a filter that no other has, and all match everything.
  const filters = Array.from({ length: READERS }, (_, n) => ({
    timeRange: { start: new Date(n).toISOString(), end: '2999-01-01T00:00:00.000Z' },
  }));
  const subscribers = await subscribeAll(server.port, READERS, undefined, filters);
  const load = new SpanLoad(server.grpcPort, undefined, SPANS_PER_UPDATE);
  const send = async (updates: number): Promise<void> => {
    for (let n = 0; n < updates; n++) {
      await load.send(1);
      await sleep(UPDATE_MS);
    }
  };
  try {
    await send(UPDATES / 4);
    await sleep(SETTLE_MS);
    const before = subscribers.updates();
    const cost = await measured(server, 1, () => send(UPDATES));
    const messages = subscribers.updates() - before;
    return {
      byOwner: new Map([...cost.byOwner].map(([owner, us]) => [owner, us / messages])),
      all: cost.all / messages,
    };
  } finally {
    load.close();
    subscribers.close();
    await server.stop();
  }
}

type Profiled = ServerProcess & { readonly profiler: CpuProfiler };

async function startProfiled(): Promise<Profiled> {
  const [port] = await freePorts(1);
  const server = await startServer([], [`--inspect=127.0.0.1:${port}`]);
  const targets = await fetch(`http://127.0.0.1:${port}/json`);
  const [target] = (await targets.json()) as readonly { readonly webSocketDebuggerUrl: string }[];
  const profiler = await CpuProfiler.connect(target?.webSocketDebuggerUrl ?? '');
  const stop = async (): Promise<void> => {
    // It does not end while anybody looks into it.
    profiler.close();
    await server.stop();
  };
  return { ...server, profiler, stop };
}

async function measured(server: Profiled, units: number, work: () => Promise<void>): Promise<Cost> {
  await sleep(SETTLE_MS);
  const [allBefore, mainBefore] = [server.cpuSeconds(), server.mainCpuSeconds()];
  await server.profiler.start();
  await work();
  await sleep(SETTLE_MS);
  const samples = [...samplesByFolder(await server.profiler.stop())];
  // Samples come by the clock: on a busy machine some stand for time in which others had the processor.
  const ofSample =
    (server.mainCpuSeconds() - mainBefore) / samples.reduce((sum, [, count]) => sum + count, 0);
  const each = 1e6 / units;
  return {
    byOwner: new Map(samples.map(([owner, count]) => [owner, count * ofSample * each])),
    all: (server.cpuSeconds() - allBefore) * each,
  };
}

function section(): string {
  const costs = [filling, full, message];
  const owners = new Set(costs.flatMap(({ byOwner }) => [...byOwner.keys()]));
  const most = (owner: string): number => Math.max(...costs.map(({ byOwner }) => byOwner.get(owner) ?? 0));
  const figures = (of: (cost: Cost) => number): string =>
    costs.map((cost) => of(cost).toFixed(1)).join(' | ');
  const shown = [...owners].filter((owner) => most(owner) >= LEAST_US).toSorted((a, b) => most(b) - most(a));
  const ofMain = ({ byOwner }: Cost): number => [...byOwner.values()].reduce((sum, us) => sum + us, 0);
  const rows = [
    ...shown.map(
      (owner) =>
        `| ${LABELS.get(owner) ?? `\`${owner}\``} | ${figures(({ byOwner }) => byOwner.get(owner) ?? 0)} |`,
    ),
    `| other threads: store, collecting garbage, compiling | ${figures((cost) => cost.all - ofMain(cost))} |`,
    `| **together** | ${figures((cost) => cost.all)} |`,
  ];
  return `Made by \`npm run measure:where\`: microseconds of processor time, that of the main
thread shared out by a profile of it. A folder has what it calls of Node and of libraries, too. Spans as in ingest above, everything on, one subscriber;
a message changes ${SPANS_PER_UPDATE} spans and goes to one of ${READERS} readers, each with a filter that no other has.

| where | a span while memory fills | a span once memory is full | a message |
|---|---|---|---|
${rows.join('\n')}`;
}
