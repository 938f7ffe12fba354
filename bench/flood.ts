import { setTimeout as sleep } from 'node:timers/promises';
import { GrpcSender } from './support/grpc-sender.ts';
import { keysIn } from './support/keys.ts';
import { spanRequest } from './support/payload.ts';
import { startServer, type ServerProcess } from './support/server-process.ts';
import { waitedMsOf } from './support/waited.ts';

const SPANS = 256;
/** Of the key whose latency is looked at: one every so many milliseconds. */
const EVERY_MS = 50;
/** It is alone and flooded in turn: whatever else the machine does then slows both alike. */
const ROUNDS = 5;
const MEASURED_A_ROUND = 20;
const WARM_UP = 5;
/** Connections of the other key, each with one request under way at any time. */
const FLOODING = 8;

export interface FloodResult {
  /** Milliseconds for a request of 256 spans to be answered. */
  readonly aloneP50: number;
  readonly aloneP90: number;
  /** The same while another key sends as much as it can. */
  readonly floodedP50: number;
  readonly floodedP90: number;
  /** The p50 of a round against that of the same round alone, in the middle of all rounds. */
  readonly slower: number;
  /**
   * The same without what the service and the senders waited for a processor. On a busy machine `slower` is too much, since others
   * slow down more who uses more, and this is too little, since they also wait for each other.
   */
  readonly slowerWithoutWaits: number;
  /** Requests that the other key had answered. */
  readonly flood: number;
}

/** What a flood by one key costs another. */
export async function benchFlood(): Promise<FloodResult> {
  const keys: string[] = [];
  const server = await startServer([], [], async (dataDir) => {
    keys.push(...(await keysIn(dataDir, ['own', 'other'])));
  });
  const [own = '', other = ''] = keys;
  const sender = new GrpcSender(server.grpcPort, { token: own });
  const senders = Array.from({ length: FLOODING }, () => new GrpcSender(server.grpcPort, { token: other }));
  try {
    const alone: number[] = [];
    const flooded: number[] = [];
    const slower: number[] = [];
    const slowerWithoutWaits: number[] = [];
    let flood = 0;
    for (let round = 0; round < ROUNDS; round++) {
      await latencies(server, sender, WARM_UP);
      const before = await latencies(server, sender, MEASURED_A_ROUND);
      const end = new AbortController();
      const lanes = senders.map(async (one, n) => {
        const request = spanRequest(SPANS, n + 1);
        while (!end.signal.aborted) {
          request.renew();
          await one.send(request.body);
          flood++;
        }
      });
      // Both know of each other by then.
      await latencies(server, sender, WARM_UP);
      const during = await latencies(server, sender, MEASURED_A_ROUND);
      end.abort();
      await Promise.all(lanes);
      alone.push(...before.took);
      flooded.push(...during.took);
      slower.push(quantile(during.took, 0.5) / quantile(before.took, 0.5));
      slowerWithoutWaits.push(quantile(during.running, 0.5) / quantile(before.running, 0.5));
    }
    return {
      aloneP50: quantile(alone, 0.5),
      aloneP90: quantile(alone, 0.9),
      floodedP50: quantile(flooded, 0.5),
      floodedP90: quantile(flooded, 0.9),
      slower: quantile(slower, 0.5),
      slowerWithoutWaits: quantile(slowerWithoutWaits, 0.5),
      flood,
    };
  } finally {
    for (const one of [sender, ...senders]) one.close();
    await server.stop();
  }
}

interface Latencies {
  readonly took: readonly number[];
  /** Without waits for a processor. */
  readonly running: readonly number[];
}

async function latencies(server: ServerProcess, sender: GrpcSender, count: number): Promise<Latencies> {
  const waited = (): number => server.waitedMs() + waitedMsOf(process.pid);
  const request = spanRequest(SPANS, 0);
  const [took, running]: [number[], number[]] = [[], []];
  for (let n = 0; n < count; n++) {
    request.renew();
    const before = waited();
    const sent = performance.now();
    await sender.send(request.body);
    const ms = performance.now() - sent;
    took.push(ms);
    running.push(ms - (waited() - before));
    await sleep(EVERY_MS);
  }
  return { took, running };
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? NaN;
}

if (import.meta.main) console.log(await benchFlood());
