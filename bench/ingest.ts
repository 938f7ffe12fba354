import { setTimeout as sleep } from 'node:timers/promises';
import { startCollector } from './support/collector-process.ts';
import type { Secure } from './support/grpc-sender.ts';
import { SPANS_PER_TRACE } from './support/payload.ts';
import { startServer, type ServerProcess } from './support/server-process.ts';
import { SpanLoad, SPANS_PER_REQUEST } from './support/span-load.ts';
import { subscribeAll } from './support/subscribers.ts';

const WARM_UP_REQUESTS = 60;
const MEASURED_REQUESTS = 325;
/** 130,000 spans: then memory is looked at. */
const MEMORY_REQUESTS = 254;
/** All spans stay in memory, as they do in what others measure. */
const ROOM_FOR_ALL = ['--max-memory-bytes', String(2 ** 30)];
/** The service and the Collector have the load in turn: whatever else the machine does then slows both alike. */
const ROUNDS = 5;
/** The longest that changes are collected before the counters are brought up to date. */
const SETTLE_MS = 1500;

export interface IngestResult {
  readonly spans: number;
  readonly bytesPerSpan: number;
  readonly spansPerCpuSecond: number;
  readonly spansPerSecond: number;
  readonly nodes: number;
  readonly updates: number;
  /** Undefined where Go is not installed. */
  readonly collector: CollectorResult | undefined;
}

/** What a Collector does with the same spans at the same time. */
export interface CollectorResult {
  readonly spansPerCpuSecond: number;
  readonly residentMiB: number;
}

/**
 * Ingest with everything on: OTLP/gRPC, decoding, redaction, correlation, graph, folding, one subscriber, own
 * metrics, snapshots. Each request's status is checked, and the count of nodes at the end. Beside it a Collector that looks
 * for three patterns and drops what it has.
 */
export async function benchIngest(): Promise<IngestResult> {
  const server = await startServer(ROOM_FOR_ALL);
  const collector = await startCollector();
  const subscribers = await subscribeAll(server.port, 1);
  const load = new MeasuredLoad(server);
  const beside = collector && new MeasuredLoad(collector);
  try {
    await load.warmUp();
    await beside?.warmUp();
    for (let round = 0; round < ROUNDS; round++) {
      await load.send(MEASURED_REQUESTS / ROUNDS);
      await beside?.send(MEASURED_REQUESTS / ROUNDS);
    }
    await sleep(SETTLE_MS);
    const created = await server.metric('explain_node_created_total');
    const sent = (WARM_UP_REQUESTS + MEASURED_REQUESTS) * SPANS_PER_REQUEST;
    // Each trace begins with a question, which is a node as well.
    const expected = sent + sent / SPANS_PER_TRACE;
    if (created !== expected)
      throw new Error(`${expected} nodes belong to ${sent} spans, but ${created} were made`);
    return {
      spans: MEASURED_REQUESTS * SPANS_PER_REQUEST,
      bytesPerSpan: load.bytesPerSpan,
      spansPerCpuSecond: load.spansPerCpuSecond,
      spansPerSecond: load.spansPerSecond,
      nodes: await server.metric('explain_nodes_in_memory'),
      updates: subscribers.updates(),
      collector: beside && {
        spansPerCpuSecond: beside.spansPerCpuSecond,
        residentMiB: beside.residentMiB,
      },
    };
  } finally {
    load.close();
    beside?.close();
    subscribers.close();
    await server.stop();
    await collector?.stop();
  }
}

/** MiB of resident memory after 130,000 spans, with the settings as they are when nobody sets any. */
export async function benchResident(): Promise<number> {
  const server = await startServer();
  const subscribers = await subscribeAll(server.port, 1);
  const load = new SpanLoad(server.grpcPort);
  try {
    await load.send(MEMORY_REQUESTS);
    await sleep(SETTLE_MS);
    return server.residentBytes() / 2 ** 20;
  } finally {
    load.close();
    subscribers.close();
    await server.stop();
  }
}

/** Spans for one process, and what they cost it. */
export class MeasuredLoad {
  /** Measured ones. */
  requests = 0;
  private readonly target: Pick<ServerProcess, 'grpcPort' | 'cpuSeconds' | 'residentBytes'>;
  private readonly load: SpanLoad;
  private cpuSeconds = 0;
  private seconds = 0;

  constructor(target: Pick<ServerProcess, 'grpcPort' | 'cpuSeconds' | 'residentBytes'>, secure?: Secure) {
    this.target = target;
    this.load = new SpanLoad(target.grpcPort, secure);
  }

  get bytesPerSpan(): number {
    return this.load.bytesPerSpan;
  }

  /** Measured ones. */
  get spans(): number {
    return this.requests * SPANS_PER_REQUEST;
  }

  get spansPerCpuSecond(): number {
    return this.spans / this.cpuSeconds;
  }

  get spansPerSecond(): number {
    return this.spans / this.seconds;
  }

  get residentMiB(): number {
    return this.target.residentBytes() / 2 ** 20;
  }

  async warmUp(): Promise<void> {
    await this.load.send(WARM_UP_REQUESTS);
  }

  async send(requests: number): Promise<void> {
    const cpu = this.target.cpuSeconds();
    const start = performance.now();
    await this.load.send(requests);
    // What it has still to do with them is part of what they cost.
    await sleep(SETTLE_MS);
    this.seconds += (performance.now() - start - SETTLE_MS) / 1000;
    this.cpuSeconds += this.target.cpuSeconds() - cpu;
    this.requests += requests;
  }

  close(): void {
    this.load.close();
  }
}
