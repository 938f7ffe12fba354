import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { cpuSecondsOf } from './support/cpu-seconds.ts';
import { GrpcSender } from './support/grpc-sender.ts';
import { spanRequest } from './support/payload.ts';
import { startServer } from './support/server-process.ts';

/** An update is what so many spans change. */
const SPANS_PER_UPDATE = 8;
const UPDATES_PER_SECOND = 10;
/** With those before fewer than a thousand views may hold of nodes and edges together (`maxViewItems`). */
const UPDATES = 40;
const WARM_UP_UPDATES = 10;
/** Long enough for what is in flight to arrive on a busy machine. */
const ARRIVAL_TIMEOUT_MS = 30_000;

export interface FanOutResult {
  readonly subscribers: number;
  /** Messages per CPU-second that a bare `ws` server broadcasts, of the size of our updates. */
  readonly bare: number;
  /** The same of the service, beyond what it spends on the spans without any subscriber. */
  readonly sameView: number;
  /** The same where every subscriber has a filter of its own, so that no view is shared. */
  readonly ownViews: number;
  readonly bytesPerMessage: number;
  /** Spans that an update changes. */
  readonly spans: number;
}

/** Fan-out to many readers, beside a bare broadcast of equal messages to as many. */
export async function benchFanOut(subscribers: number): Promise<FanOutResult> {
  const alone = await runService(0, false);
  const sameView = await runService(subscribers, false);
  const ownViews = await runService(subscribers, true);
  const bare = await runBare(subscribers, sameView.sample);
  const extra = (run: Run): number => run.messages / Math.max(0.01, run.cpuSeconds - alone.cpuSeconds);
  return {
    subscribers,
    bare: bare.messages / bare.cpuSeconds,
    sameView: extra(sameView),
    ownViews: extra(ownViews),
    bytesPerMessage: sameView.sample.length,
    spans: SPANS_PER_UPDATE,
  };
}

interface Run {
  readonly messages: number;
  readonly cpuSeconds: number;
  /** One of the messages. */
  readonly sample: string;
}

async function runService(subscribers: number, ownFilters: boolean): Promise<Run> {
  const server = await startServer();
  const sender = new GrpcSender(server.grpcPort);
  const request = spanRequest(SPANS_PER_UPDATE, 1);
  const readers = await Readers.open(`ws://127.0.0.1:${server.port}/explain`, subscribers, (i) =>
    JSON.stringify({ type: 'subscribe', request: { filters: ownFilters ? filterOf(i) : {} } }),
  );
  try {
    return await measure(
      readers,
      () => server.cpuSeconds(),
      async () => {
        request.renew();
        await sender.send(request.body);
      },
    );
  } finally {
    sender.close();
    readers.close();
    await server.stop();
  }
}

/** Matches everything, and equals no other reader's. */
function filterOf(reader: number): object {
  const start = new Date(reader).toISOString();
  return { timeRange: { start, end: '2999-01-01T00:00:00.000Z' } };
}

async function runBare(subscribers: number, message: string): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'explain-bench-'));
  const file = join(folder, 'message.json');
  writeFileSync(file, message);
  const child: ChildProcess = fork(new URL('support/broadcast-server.ts', import.meta.url), [file]);
  const [port] = (await once(child, 'message')) as [number];
  const readers = await Readers.open(`ws://127.0.0.1:${port}/`, subscribers);
  try {
    return await measure(
      readers,
      () => cpuSecondsOf(child.pid ?? 0),
      async () => void child.send('now'),
    );
  } finally {
    readers.close();
    child.kill();
    rmSync(folder, { recursive: true });
  }
}

/** One update after the other: the next is sent when every reader has the last, so that none are merged. */
async function measure(readers: Readers, cpuSeconds: () => number, send: () => Promise<void>): Promise<Run> {
  let sent = 0;
  const round = async (): Promise<void> => {
    const next = performance.now() + 1000 / UPDATES_PER_SECOND;
    await send();
    await readers.haveEach(++sent);
    await sleep(Math.max(0, next - performance.now()));
  };
  for (let n = 0; n < WARM_UP_UPDATES; n++) await round();
  const cpu = cpuSeconds();
  for (let n = 0; n < UPDATES; n++) await round();
  return { messages: UPDATES * readers.count, cpuSeconds: cpuSeconds() - cpu, sample: readers.sample };
}

/** Connections that count what arrives and look at nothing. */
class Readers {
  sample = '';
  private readonly sockets: readonly WebSocket[];
  private received = 0;

  private constructor(sockets: readonly WebSocket[]) {
    this.sockets = sockets;
    for (const socket of sockets) {
      socket.on('message', (data: Buffer) => {
        this.received++;
        if (this.sample === '') this.sample = data.toString();
      });
    }
  }

  /** @param hello what each sends first; its answer is waited for and not counted */
  static async open(url: string, count: number, hello?: (index: number) => string): Promise<Readers> {
    const sockets: WebSocket[] = [];
    for (let i = 0; i < count; i++) {
      const socket = new WebSocket(url, { perMessageDeflate: false });
      await once(socket, 'open');
      if (hello) {
        socket.send(hello(i));
        await once(socket, 'message');
      }
      sockets.push(socket);
    }
    return new Readers(sockets);
  }

  get count(): number {
    return this.sockets.length;
  }

  async haveEach(messages: number): Promise<void> {
    const deadline = performance.now() + ARRIVAL_TIMEOUT_MS;
    while (this.received < messages * this.count) {
      if (performance.now() > deadline) {
        throw new Error(`${this.received} of ${messages * this.count} messages came`);
      }
      await sleep(10);
    }
  }

  close(): void {
    for (const socket of this.sockets) socket.terminate();
  }
}
