import { setTimeout as sleep } from 'node:timers/promises';
import { GrpcSender } from './support/grpc-sender.ts';
import { quantileOfHistogram } from './support/histogram.ts';
import { spanRequest } from './support/payload.ts';
import { startServer } from './support/server-process.ts';
import { subscribeAll } from './support/subscribers.ts';

/** The founding spec's load (8.4). */
const SPANS_PER_SECOND = 500;
const COT_EVENTS_PER_SECOND = 100;
const SUBSCRIBERS = 100;
const SECONDS = 20;
/** Spans are sent 20 times a second, as exporters of several agents would. */
const BATCHES_PER_SECOND = 20;

export interface LatencyResult {
  /** Milliseconds from receiving a batch to its diff being ready, as the service itself measures it. */
  readonly updateP50: number;
  readonly updateP99: number;
  /** Milliseconds from before sending a batch to a subscriber of everything having its spans. */
  readonly seenP50: number;
  readonly seenP99: number;
  readonly cpuPercent: number;
  readonly updates: number;
}

/** Update latency at 500 spans/s and 100 CoT events/s with 100 subscribers, half of whom filter differently. */
export async function benchLatency(): Promise<LatencyResult> {
  const server = await startServer();
  const sentAt = new Map<string, number>();
  const seen: number[] = [];
  const subscribers = await subscribeAll(server.port, SUBSCRIBERS, (update) => {
    const now = performance.now();
    for (const node of update.addedNodes) {
      const spanId = node.details?.['spanId'];
      const sent = typeof spanId === 'string' ? sentAt.get(spanId) : undefined;
      if (sent === undefined) continue;
      seen.push(now - sent);
      sentAt.delete(String(spanId));
    }
  });
  const sender = new GrpcSender(server.grpcPort);
  const request = spanRequest(SPANS_PER_SECOND / BATCHES_PER_SECOND, 1);
  try {
    const cpu = server.cpuSeconds();
    const start = performance.now();
    for (let tick = 0; tick < SECONDS * BATCHES_PER_SECOND; tick++) {
      await sleep(Math.max(0, start + (tick * 1000) / BATCHES_PER_SECOND - performance.now()));
      const now = performance.now();
      for (const spanId of request.renew()) sentAt.set(spanId, now);
      await Promise.all([sender.send(request.body), postThoughts(server.port, tick)]);
    }
    const cpuPercent = ((server.cpuSeconds() - cpu) / ((performance.now() - start) / 1000)) * 100;
    await sleep(1000);
    if (sentAt.size > 0) throw new Error(`${sentAt.size} spans never reached the subscriber`);
    const histogram = await server.metricsText();
    seen.sort((a, b) => a - b);
    return {
      updateP50: quantileOfHistogram(histogram, 'explain_graph_update_latency', 0.5),
      updateP99: quantileOfHistogram(histogram, 'explain_graph_update_latency', 0.99),
      seenP50: seen[Math.floor(seen.length * 0.5)] ?? NaN,
      seenP99: seen[Math.floor(seen.length * 0.99)] ?? NaN,
      cpuPercent,
      updates: subscribers.updates(),
    };
  } finally {
    sender.close();
    subscribers.close();
    await server.stop();
  }
}

/** Deltas of thoughts of ten entries each. */
async function postThoughts(port: number, tick: number): Promise<void> {
  const perTick = COT_EVENTS_PER_SECOND / BATCHES_PER_SECOND;
  const events = Array.from({ length: perTick }, (_, i) => {
    const n = tick * perTick + i;
    return {
      requestId: `bench-${Math.floor(n / 10)}`,
      timestamp: Date.now(),
      sequence: n % 10,
      tokens: ['so the', ' next step', ' is to read', ' the file '],
      final: n % 10 === 9,
    };
  });
  const answer = await fetch(`http://127.0.0.1:${port}/api/cot`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(events),
  });
  if (answer.status !== 202) throw new Error(`POST /api/cot answered ${answer.status}`);
}
