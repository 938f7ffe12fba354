import { get, request as requestOf, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { GrpcSender } from './support/grpc-sender.ts';
import { keysIn } from './support/keys.ts';
import { spanRequest } from './support/payload.ts';
import { startServer, type ServerProcess } from './support/server-process.ts';
import { waitedMsOf } from './support/waited.ts';

/** The founding spec's load (8.4). */
const SPANS_PER_SECOND = 500;
const BATCHES_PER_SECOND = 20;
/** One asker may interrupt so often a minute. */
const PER_ASKER = 20;
const ASKERS = 25;
/** Those of the first asker are not counted. */
const WARM_UP = PER_ASKER;
/** No multiple of the time between batches: they come at every moment of it. */
const EVERY_MS = 43;
const STEP = { requestId: 'r1', text: 'I look at it.', agent: 'CoderAgent', taskId: 'T1' };

export interface InterruptsResult {
  /** Milliseconds from before an interrupt is asked for until an agent has it. */
  readonly sseP50: number;
  readonly sseP99: number;
  readonly webSocketP50: number;
  readonly webSocketP99: number;
  /** The later of both, without what the service and its senders waited for a processor: too little, since they also wait for each other. */
  readonly withoutWaitsP99: number;
  readonly interrupts: number;
}

/** How soon agents are told to stop while spans come in: one waits by server-sent events, one by a WebSocket. */
export async function benchInterrupts(): Promise<InterruptsResult> {
  const names = Array.from({ length: ASKERS }, (_, n) => `asker ${n}`);
  let keys: readonly string[] = [];
  const server = await startServer([], [], async (dataDir) => {
    keys = await keysIn(dataDir, names, ['sender', 'operator']);
  });
  const [token = ''] = keys;
  const sender = new GrpcSender(server.grpcPort, { token });
  const agents = [new Agent(), new Agent()];
  const ending = new AbortController();
  const withoutWaits: number[] = [];
  const waited = (): number => server.waitedMs() + waitedMsOf(process.pid);
  const load = sendSpans(sender, ending.signal);
  try {
    await post(server, token, '/api/cot', { ...STEP, timestamp: Date.now() });
    const [sse, webSocket] = agents as [Agent, Agent];
    await Promise.all([waitOverSse(server, token, sse), waitOverWebSocket(server, token, webSocket)]);
    for (let n = 0; n < ASKERS * PER_ASKER; n++) {
      await sleep(EVERY_MS);
      const before = waited();
      const asked = performance.now();
      const message = `number ${n}`;
      const [key = ''] = keys.slice(Math.floor(n / PER_ASKER));
      const told = agents.map((agent) => agent.told(message));
      await post(server, key, '/api/nodes/req:r1/interrupt', { reason: 'user_request', message });
      const heard = await Promise.all(told);
      if (n < WARM_UP) continue;
      for (const [place, at] of heard.entries()) agents[place]?.took.push(at - asked);
      withoutWaits.push(Math.max(...heard) - asked - (waited() - before));
    }
    return {
      sseP50: quantile(sse.took, 0.5),
      sseP99: quantile(sse.took, 0.99),
      webSocketP50: quantile(webSocket.took, 0.5),
      webSocketP99: quantile(webSocket.took, 0.99),
      withoutWaitsP99: quantile(withoutWaits, 0.99),
      interrupts: sse.took.length,
    };
  } finally {
    ending.abort();
    await load;
    sender.close();
    for (const agent of agents) agent.close();
    await server.stop();
  }
}

/** One that waits to be told to stop. */
class Agent {
  readonly took: number[] = [];
  close: () => void = () => {};
  private readonly waiting = new Map<string, (at: number) => void>();

  /** Resolves with when it was told. */
  told(message: string): Promise<number> {
    return new Promise((resolve) => this.waiting.set(message, resolve));
  }

  heard(frame: string): void {
    const at = performance.now();
    const { message = '' } = JSON.parse(frame) as { readonly message?: string };
    this.waiting.get(message)?.(at);
    this.waiting.delete(message);
  }
}

const WAITS_AT = '/api/control?agent=CoderAgent';

async function waitOverSse({ port }: ServerProcess, key: string, agent: Agent): Promise<void> {
  const request = get({ host: '127.0.0.1', port, path: `${WAITS_AT}&instance=sse`, headers: headersOf(key) });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${WAITS_AT} answered ${response.statusCode}`);
  agent.close = () => request.destroy();
  let text = '';
  response.setEncoding('utf8');
  response.on('error', () => undefined);
  response.on('data', (piece: string) => {
    const lines = (text + piece).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: ')) agent.heard(line.slice('data: '.length));
  });
}

async function waitOverWebSocket({ port }: ServerProcess, key: string, agent: Agent): Promise<void> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${WAITS_AT}&instance=ws`, { headers: headersOf(key) });
  socket.on('message', (data: Buffer) => agent.heard(data.toString('utf8')));
  agent.close = () => socket.terminate();
  await once(socket, 'message');
}

/** Until it is ended. @throws Error for any answer but full success */
async function sendSpans(sender: GrpcSender, end: AbortSignal): Promise<void> {
  const request = spanRequest(SPANS_PER_SECOND / BATCHES_PER_SECOND, 1);
  const start = performance.now();
  for (let tick = 0; !end.aborted; tick++) {
    await sleep(Math.max(0, start + (tick * 1000) / BATCHES_PER_SECOND - performance.now()));
    request.renew();
    await sender.send(request.body);
  }
}

/** Over the connection that is kept, as programs have one. */
async function post({ port }: ServerProcess, key: string, path: string, body: object): Promise<void> {
  const headers = { ...headersOf(key), 'content-type': 'application/json' };
  const request = requestOf({ host: '127.0.0.1', port, path, method: 'POST', headers });
  request.end(JSON.stringify(body));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  if (response.statusCode !== 202) throw new Error(`POST ${path} answered ${response.statusCode}`);
}

function headersOf(key: string): { readonly 'x-api-key': string } {
  return { 'x-api-key': key };
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? NaN;
}

if (import.meta.main) console.log(await benchInterrupts());
