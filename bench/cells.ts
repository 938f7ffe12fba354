import { setTimeout as sleep } from 'node:timers/promises';
import type { GraphUpdate } from '../src/model/node.ts';
import { GrpcSender } from './support/grpc-sender.ts';
import { SPANS_PER_TRACE, spanRequest } from './support/payload.ts';
import { startServer, type ServerProcess } from './support/server-process.ts';
import { SpanLoad } from './support/span-load.ts';
import { subscribeAll } from './support/subscribers.ts';

const ROUNDS = 4;
const REQUESTS_PER_ROUND = 30;
const WARM_UP_REQUESTS = 60;
/** Traces of one request; a Collector in front of three cells sends a third of them to each. */
const TRACES_PER_REQUEST = 63;
const FURTHER_READERS = 10;
const SETTLE_MS = 1500;

/** Half of the founding spec's load (8.4): the service that it is compared with runs on the same processors. */
const LATENCY_TRACES_PER_TICK = 3;
const LATENCY_TICKS = 400;
const TICK_MS = 50;

export interface CellsResult {
  readonly setUp: string;
  /** Microseconds of processor time of all processes for a span. */
  readonly usPerSpan: number;
  /** Of that, the gateway's, as a share of all. */
  readonly gatewayShare: number;
}

export interface SeenResult {
  /** Milliseconds from before a batch is sent to a cell until a reader of that cell, and one of the gateway, have its spans. */
  readonly atCell: { readonly p50: number; readonly p99: number };
  readonly atGateway: { readonly p50: number; readonly p99: number };
}

/**
 * What a span costs over all processes, with one reader of everything: of one service; of one and three cells, to which a
 * Collector shares out the traces; with ten more readers of the same view; and of three cells that get all by the gateway.
 * And how much later a reader of the gateway sees a span than a reader of its cell.
 */
export async function benchCells(): Promise<{
  readonly cost: readonly CellsResult[];
  readonly seen: SeenResult;
}> {
  return { cost: await benchCost(), seen: await benchSeen() };
}

async function benchCost(): Promise<readonly CellsResult[]> {
  const setUps = [
    await SetUp.started('one service', { cells: 1, hasGateway: false, readers: 1 }),
    await SetUp.started('1 cell, by a Collector', { cells: 1, readers: 1 }),
    await SetUp.started('3 cells, by a Collector', { cells: 3, readers: 1 }),
    await SetUp.started(`3 cells, by a Collector, ${FURTHER_READERS} more readers`, {
      cells: 3,
      readers: 1 + FURTHER_READERS,
    }),
    await SetUp.started('3 cells, by the gateway', { cells: 3, byGateway: true, readers: 1 }),
  ];
  try {
    for (const setUp of setUps) await setUp.warmUp();
    await sleep(SETTLE_MS);
    // All have the load in turn: whatever else the machine does then slows all alike.
    for (let round = 0; round < ROUNDS; round++) for (const setUp of setUps) await setUp.measure();
    return setUps.map((setUp) => setUp.result);
  } finally {
    for (const setUp of setUps) await setUp.stop();
  }
}

interface SetUpOptions {
  readonly cells: number;
  readonly hasGateway?: boolean;
  /** The gateway shares out what is sent; a Collector if absent. */
  readonly byGateway?: boolean;
  readonly readers: number;
}

interface Servers {
  readonly cells: readonly ServerProcess[];
  readonly gateway: ServerProcess | undefined;
}

class SetUp {
  private readonly name: string;
  private readonly servers: Servers;
  private readonly loads: readonly SpanLoad[];
  private seconds = 0;
  private gatewaySeconds = 0;

  private constructor(name: string, servers: Servers, byGateway: boolean) {
    this.name = name;
    this.servers = servers;
    const fronts = byGateway && servers.gateway ? [servers.gateway] : servers.cells;
    const spans = (TRACES_PER_REQUEST * SPANS_PER_TRACE) / fronts.length;
    this.loads = fronts.map(({ grpcPort }) => new SpanLoad(grpcPort, undefined, spans));
  }

  static async started(
    name: string,
    { cells, hasGateway = true, byGateway = false, readers }: SetUpOptions,
  ): Promise<SetUp> {
    const servers = await startCells(cells, hasGateway);
    const port = (servers.gateway ?? servers.cells[0])?.port ?? 0;
    await subscribeAll(port, readers, undefined, [{}]);
    return new SetUp(name, servers, byGateway);
  }

  get result(): CellsResult {
    const spans = ROUNDS * REQUESTS_PER_ROUND * TRACES_PER_REQUEST * SPANS_PER_TRACE;
    return {
      setUp: this.name,
      usPerSpan: (1e6 * this.seconds) / spans,
      gatewayShare: this.gatewaySeconds / this.seconds,
    };
  }

  /** Each process gets as much, so that none has more to compile while it is measured. */
  async warmUp(): Promise<void> {
    await this.send(WARM_UP_REQUESTS * this.servers.cells.length);
  }

  async measure(): Promise<void> {
    const { cells, gateway } = this.servers;
    const ofCells = (): number => cells.reduce((sum, cell) => sum + cell.cpuSeconds(), 0);
    const ofGateway = (): number => gateway?.cpuSeconds() ?? 0;
    const before = { cells: ofCells(), gateway: ofGateway() };
    await this.send(REQUESTS_PER_ROUND);
    // What they have still to do with them is part of what they cost.
    await sleep(SETTLE_MS);
    const gatewaySeconds = ofGateway() - before.gateway;
    this.gatewaySeconds += gatewaySeconds;
    this.seconds += gatewaySeconds + ofCells() - before.cells;
  }

  async stop(): Promise<void> {
    for (const load of this.loads) load.close();
    await stopAll(this.servers);
  }

  private async send(requests: number): Promise<void> {
    await Promise.all(this.loads.map((load) => load.send(requests)));
  }
}

async function benchSeen(): Promise<SeenResult> {
  const servers = await startCells(3, true);
  const cells = servers.cells.map((cell) => ({ cell, seen: new Seen() }));
  const atGateway = new Seen();
  for (const { cell, seen } of cells) await subscribeAll(cell.port, 1, (update) => seen.note(update), [{}]);
  await subscribeAll(servers.gateway?.port ?? 0, 1, (update) => atGateway.note(update), [{}]);
  const senders = cells.map(({ cell, seen }, n) => ({
    sender: new GrpcSender(cell.grpcPort),
    request: spanRequest(LATENCY_TRACES_PER_TICK * SPANS_PER_TRACE, n),
    seen,
  }));
  try {
    const start = performance.now();
    for (let tick = 0; tick < LATENCY_TICKS; tick++) {
      await sleep(Math.max(0, start + tick * TICK_MS - performance.now()));
      const next = senders[tick % senders.length];
      if (next === undefined) continue;
      for (const spanId of next.request.renew()) for (const seen of [next.seen, atGateway]) seen.sent(spanId);
      await next.sender.send(next.request.body);
    }
    await sleep(SETTLE_MS);
    const all = cells.flatMap(({ seen }) => seen.after());
    return { atCell: quantiles(all), atGateway: quantiles(atGateway.after()) };
  } finally {
    for (const { sender } of senders) sender.close();
    await stopAll(servers);
  }
}

/** When one reader has the spans that were sent. */
class Seen {
  private readonly sentAt = new Map<string, number>();
  private readonly ms: number[] = [];

  sent(spanId: string): void {
    this.sentAt.set(spanId, performance.now());
  }

  note({ addedNodes }: GraphUpdate): void {
    const now = performance.now();
    for (const { details } of addedNodes) {
      const spanId = details?.['spanId'];
      if (typeof spanId !== 'string') continue;
      const at = this.sentAt.get(spanId);
      if (at !== undefined) this.ms.push(now - at);
      this.sentAt.delete(spanId);
    }
  }

  /** @throws Error when a span never came */
  after(): readonly number[] {
    if (this.sentAt.size > 0) throw new Error(`${this.sentAt.size} spans never reached the reader`);
    return this.ms;
  }
}

function quantiles(ms: readonly number[]): { readonly p50: number; readonly p99: number } {
  const sorted = ms.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

async function startCells(count: number, hasGateway: boolean): Promise<Servers> {
  const cells: ServerProcess[] = [];
  while (cells.length < count) cells.push(await startServer());
  const given = { cells: cells.map(({ port }, n) => ({ name: `cell-${n}`, address: `127.0.0.1:${port}` })) };
  const gateway = hasGateway
    ? await startServer(['--role', 'gateway', '--gateway', JSON.stringify(given)])
    : undefined;
  return { cells, gateway };
}

async function stopAll({ cells, gateway }: Servers): Promise<void> {
  for (const server of [gateway, ...cells]) await server?.stop();
}
