import { setTimeout as sleep } from 'node:timers/promises';
import { MeasuredLoad } from './ingest.ts';
import { startServer, type ServerProcess } from './support/server-process.ts';
import { subscribeAll } from './support/subscribers.ts';

const MEASURED_REQUESTS = 120;
/** All set-ups have the load in turn: whatever else the machine does then slows all alike. */
const ROUNDS = 4;
const FURTHER_READERS = 10;
const SETTLE_MS = 1500;

interface SetUp {
  readonly name: string;
  readonly cells: readonly ServerProcess[];
  readonly gateway: ServerProcess | undefined;
  readonly load: MeasuredLoad;
}

export interface CellsResult {
  readonly setUp: string;
  /** Microseconds of processor time of all processes for a span. */
  readonly usPerSpan: number;
  /** Of that, the gateway's, as a share of all. */
  readonly gatewayShare: number;
}

/**
 * What a span costs over all processes: sent to one service, and to a gateway over one and over three cells, each with one
 * reader of everything; and through a gateway over three with ten more readers of the same view.
 */
export async function benchCells(): Promise<readonly CellsResult[]> {
  const setUps = [
    await setUp('one service', 1, false, 1),
    await setUp('gateway over 1 cell, no reader', 1, true, 0),
    await setUp('gateway over 1 cell', 1, true, 1),
    await setUp('gateway over 3 cells', 3, true, 1),
    await setUp(`gateway over 3 cells, ${FURTHER_READERS} more readers`, 3, true, 1 + FURTHER_READERS),
  ];
  const gatewaySeconds = new Map<string, number>();
  try {
    for (const { load } of setUps) await load.warmUp();
    await sleep(SETTLE_MS);
    for (let round = 0; round < ROUNDS; round++) {
      for (const { name, gateway, load } of setUps) {
        const before = gateway?.cpuSeconds() ?? 0;
        await load.send(MEASURED_REQUESTS / ROUNDS);
        gatewaySeconds.set(name, (gatewaySeconds.get(name) ?? 0) + (gateway?.cpuSeconds() ?? 0) - before);
      }
    }
    return setUps.map(({ name, load }) => {
      const seconds = load.spans / load.spansPerCpuSecond;
      return {
        setUp: name,
        usPerSpan: 1e6 / load.spansPerCpuSecond,
        gatewayShare: (gatewaySeconds.get(name) ?? 0) / seconds,
      };
    });
  } finally {
    for (const { load, gateway, cells } of setUps) {
      load.close();
      await gateway?.stop();
      for (const cell of cells) await cell.stop();
    }
  }
}

async function setUp(name: string, count: number, hasGateway: boolean, readers: number): Promise<SetUp> {
  const first = await startServer();
  const cells = [first];
  while (cells.length < count) cells.push(await startServer());
  const given = { cells: cells.map(({ port }, n) => ({ name: `cell-${n}`, address: `127.0.0.1:${port}` })) };
  const gateway = hasGateway
    ? await startServer(['--role', 'gateway', '--gateway', JSON.stringify(given)])
    : undefined;
  const front = gateway ?? first;
  const all = gateway ? [gateway, ...cells] : cells;
  const sum = (of: (server: ServerProcess) => number): number =>
    all.reduce((total, one) => total + of(one), 0);
  if (readers > 0) await subscribeAll(front.port, readers);
  const load = new MeasuredLoad({
    grpcPort: front.grpcPort,
    cpuSeconds: () => sum((server) => server.cpuSeconds()),
    residentBytes: () => sum((server) => server.residentBytes()),
  });
  return { name, cells, gateway, load };
}
