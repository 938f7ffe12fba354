import { setTimeout as sleep } from 'node:timers/promises';
import { startServer } from './support/server-process.ts';
import { SpanLoad, SPANS_PER_REQUEST } from './support/span-load.ts';
import { subscribeAll } from './support/subscribers.ts';

const WARM_UP_REQUESTS = 60;
const MEASURED_REQUESTS = 300;
/** The longest that changes are collected before the counters are brought up to date. */
const SETTLE_MS = 1500;

export interface IngestResult {
  readonly spans: number;
  readonly bytesPerSpan: number;
  readonly spansPerCpuSecond: number;
  readonly spansPerSecond: number;
  readonly residentMiB: number;
  readonly nodes: number;
  readonly updates: number;
}

/**
 * Ingest with everything on: OTLP/gRPC, decoding, redaction, correlation, graph, folding, one subscriber, own
 * metrics, snapshots. Each request's status is checked, and the count of nodes at the end.
 */
export async function benchIngest(): Promise<IngestResult> {
  const server = await startServer();
  const subscribers = await subscribeAll(server.port, 1);
  const load = new SpanLoad(server.grpcPort);
  try {
    await load.send(WARM_UP_REQUESTS);
    const cpu = server.cpuSeconds();
    const start = performance.now();
    await load.send(MEASURED_REQUESTS);
    const seconds = (performance.now() - start) / 1000;
    const cpuSeconds = server.cpuSeconds() - cpu;
    const spans = MEASURED_REQUESTS * SPANS_PER_REQUEST;
    await sleep(SETTLE_MS);
    const created = await server.metric('explain_node_created_total');
    const sent = (WARM_UP_REQUESTS + MEASURED_REQUESTS) * SPANS_PER_REQUEST;
    if (created !== sent) throw new Error(`sent ${sent} spans, but ${created} nodes were made`);
    return {
      spans,
      bytesPerSpan: load.bytesPerSpan,
      spansPerCpuSecond: spans / cpuSeconds,
      spansPerSecond: spans / seconds,
      residentMiB: server.residentBytes() / 1024 / 1024,
      nodes: await server.metric('explain_nodes_in_memory'),
      updates: subscribers.updates(),
    };
  } finally {
    load.close();
    subscribers.close();
    await server.stop();
  }
}
