import { Client, credentials } from '@grpc/grpc-js';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { WebSocket } from 'ws';
import { hexId, jsonSpan } from '../integration/steps/otlp.ts';
import { reference } from '../../src/receivers/otlp/otlp.test-support.ts';
import type { Addresses } from './talk.ts';

/** What the thread is given. */
export interface BystanderData {
  readonly addresses: Addresses;
  /** Of the service. */
  readonly pid: number;
}

/**
 * One request that was served, with everything in it: connecting, asking again when told to, the answer; but without
 * the time for which the machine let neither the service's main thread nor this one run.
 */
export interface Served {
  readonly way: string;
  readonly ms: number;
}

export type Report = Served | { readonly problem: string };

const EVERY_MS = 150;
/** Whatever others do. */
const BOUND_MS = 2_000;
/** Longer than the bound, to tell late from never. */
const GIVE_UP_MS = 20_000;
const AGAIN_MS = 100;
const SHOWN_MS = 10_000;

const { addresses, pid } = workerData as BystanderData;
const port = parentPort;
let round = 0;

const traceOf = (name: string): string => hexId(`bystander ${name}`, 32);

function spansRequest(span: object): { readonly resourceSpans: readonly object[] } {
  return { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
}

function spanOf(name: string): object {
  return jsonSpan(`bystander ${name}`, name);
}

/** As JSON has ids in hexadecimal digits, and protobuf in bytes. */
function withBytes(name: string): object {
  const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');
  return {
    ...spanOf(name),
    traceId: bytes(traceOf(name)),
    spanId: bytes(hexId(`bystander ${name}/${name}`, 16)),
  };
}

async function fetched(url: string, init: RequestInit = {}): Promise<void> {
  const deadline = performance.now() + GIVE_UP_MS;
  for (;;) {
    const response = await fetch(url, {
      ...init,
      headers: { connection: 'close', 'content-type': 'application/json' },
      signal: AbortSignal.timeout(GIVE_UP_MS),
    });
    await response.arrayBuffer();
    if (response.ok) return;
    // "Come again" is an answer; whether coming again helps in time is the question.
    if (![429, 503].includes(response.status) || performance.now() > deadline)
      throw new Error(`answered ${response.status}`);
    await pause(AGAIN_MS);
  }
}

function called(address: string, path: string, message: Buffer): Promise<void> {
  const client = new Client(address, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
  const same = (bytes: Buffer): Buffer => bytes;
  return new Promise<void>((resolve, reject) => {
    client.makeUnaryRequest(path, same, same, message, { deadline: Date.now() + GIVE_UP_MS }, (error) =>
      error ? reject(error) : resolve(),
    );
  }).finally(() => client.close());
}

function followed(): Promise<void> {
  const socket = new WebSocket(`ws://${addresses.readers}/explain`, { handshakeTimeout: GIVE_UP_MS });
  return new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer')), GIVE_UP_MS);
    socket.once('close', () => clearTimeout(timer));
    socket.once('error', reject);
    socket.once('open', () =>
      socket.send(JSON.stringify({ type: 'subscribe', request: { filters: { taskIds: ['nobody'] } } })),
    );
    socket.once('message', (data: Buffer) => {
      if (data.toString().includes('"subscribed"')) resolve();
      else reject(new Error(data.toString().slice(0, 200)));
    });
  }).finally(() => socket.terminate());
}

/** Until the node of a span can be read. */
async function shown(name: string): Promise<void> {
  const id = `${traceOf(name)}:${hexId(`bystander ${name}/${name}`, 16)}`;
  const deadline = performance.now() + SHOWN_MS;
  for (;;) {
    const response = await fetch(`http://${addresses.readers}/api/nodes/${id}`, {
      signal: AbortSignal.timeout(GIVE_UP_MS),
    });
    await response.arrayBuffer();
    if (response.ok) return;
    if (performance.now() > deadline) throw new Error(`answered ${response.status}`);
    await pause(50);
  }
}

const WAYS: Readonly<Record<string, (name: string) => Promise<void>>> = {
  'OTLP/HTTP': (name) =>
    fetched(`http://${addresses.otlpHttp}/v1/traces`, {
      method: 'POST',
      body: JSON.stringify(spansRequest(spanOf(name))),
    }),
  'OTLP/gRPC': (name) => {
    const type = reference.lookupType('otlp.ExportTraceServiceRequest');
    const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
    return called(
      addresses.otlpGrpc,
      path,
      Buffer.from(type.encode(type.fromObject(spansRequest(withBytes(name)))).finish()),
    );
  },
  'POST /api/cot': (name) =>
    fetched(`http://${addresses.readers}/api/cot`, {
      method: 'POST',
      body: JSON.stringify({ requestId: name, timestamp: 1_750_000_000_000, text: 'a thought', final: true }),
    }),
  'POST /ag-ui/events': (name) =>
    fetched(`http://${addresses.readers}/ag-ui/events`, {
      method: 'POST',
      body: JSON.stringify([
        { type: 'RUN_STARTED', threadId: 'bystander', runId: `bystander ${name}` },
        { type: 'RUN_FINISHED', threadId: 'bystander', runId: `bystander ${name}` },
      ]),
    }),
  'POST /thoughtflow': (name) =>
    fetched(`http://${addresses.readers}/thoughtflow`, {
      method: 'POST',
      body: JSON.stringify({ session_id: `bystander ${name}`, conversations: [] }),
    }),
  'GET /readyz': () => fetched(`http://${addresses.readers}/readyz`),
  WebSocket: followed,
  'gRPC of port 9000': () =>
    called(addresses.readers, '/explain.v1.ExplainService/GetGraph', Buffer.from('\n\x08\x32\x06nobody')),
};

function report(message: Report): void {
  port?.postMessage(message);
}

/** Milliseconds that both threads were ready to run and did not get a processor, since their beginning. Linux only. */
function starvedMs(): number {
  return [`/proc/${pid}/schedstat`, '/proc/thread-self/schedstat'].reduce((sum, file) => {
    try {
      return sum + Number(readFileSync(file, 'utf8').split(' ')[1]) / 1e6;
    } catch {
      return sum;
    }
  }, 0);
}

async function timed(way: string, boundMs: number, ask: () => Promise<void>): Promise<void> {
  const start = performance.now() - starvedMs();
  try {
    await ask();
    const ms = Math.max(0, performance.now() - starvedMs() - start);
    report({ way, ms });
    if (ms > boundMs) report({ problem: `${way}: served after ${ms.toFixed(0)} ms` });
  } catch (error) {
    report({
      problem: `${way}: ${String(error)} after ${(performance.now() - starvedMs() - start).toFixed(0)} ms`,
    });
  }
}

for (;;) {
  for (const [way, ask] of Object.entries(WAYS)) {
    const name = `${way} ${++round}`;
    await timed(way, BOUND_MS, () => ask(name));
    if (way.startsWith('OTLP/')) await timed('shown', SHOWN_MS, () => shown(name));
    await pause(EVERY_MS);
  }
}
