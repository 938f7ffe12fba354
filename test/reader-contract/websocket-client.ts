import { WebSocket as WsWebSocket } from 'ws';
import type { ExplanationGraph } from '../../src/model/node.ts';
import type { NodeDetail, ServerFrame } from '../../src/model/reader-messages.ts';
import type { TaskOverview } from '../../src/model/task-overview.ts';
import { graphQuery } from '../../src/client/view-request.ts';
import type { CompareAnswer } from '../../src/model/compare.ts';
import type { PatternsAnswer } from '../../src/model/patterns.ts';
import type { TaskSummary } from '../../src/model/summary.ts';
import type { SpikesAnswer, WhyAnswer } from '../../src/model/why.ts';
import { FrameQueue, ReaderError, type ClientSubscription, type ReaderClient } from './reader-client.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

type Incoming =
  | ServerFrame
  | { readonly type: 'ok'; readonly requestId: string; readonly subscriptionId?: string }
  | {
      readonly type: 'error';
      readonly requestId?: string;
      readonly subscriptionId?: string;
      readonly code: string;
      readonly message: string;
    };

interface Socket {
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'open' | 'error' | 'close', listener: () => void): void;
  send(text: string): void;
  close(): void;
  terminate?(): void;
}

/** The WebSocket that browsers have, as Node brings it. */
export function connectBrowserStyle(address: Address): Promise<ReaderClient> {
  return open(new WebSocket(urlOf(address)), address);
}

/** The `ws` package: it can stop reading. */
export async function connectWs(address: Address): Promise<ReaderClient> {
  const socket = new WsWebSocket(urlOf(address));
  const client = await open(socket, address);
  return Object.assign(client, { flow: { pause: () => socket.pause(), resume: () => socket.resume() } });
}

function urlOf({ host, port }: Address): string {
  return `ws://${host}:${port}/explain`;
}

function open(socket: Socket, address: Address): Promise<ReaderClient> {
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve(new WebSocketClient(socket, address)));
    socket.addEventListener('error', () => reject(new Error('the WebSocket did not open')));
  });
}

/** Whatever frame names the request of a verb says that it was done. */
class WebSocketClient implements ReaderClient {
  private readonly socket: Socket;
  private readonly api: string;
  private readonly queues = new Map<string, FrameQueue>();
  private readonly answers = new Map<string, (error?: ReaderError) => void>();
  private readonly opened = new Map<string, string>();
  private readonly closed: Promise<void>;
  private nextRequest = 1;

  constructor(socket: Socket, { host, port }: Address) {
    this.socket = socket;
    this.api = `http://${host}:${port}/api`;
    this.closed = new Promise((resolve) => socket.addEventListener('close', () => resolve()));
    socket.addEventListener('message', ({ data }) => this.receive(JSON.parse(String(data)) as Incoming));
  }

  async subscribe(
    request: { readonly subscriptionId?: string },
    requestId = `subscribe-${this.nextRequest++}`,
  ): Promise<ClientSubscription> {
    if (request.subscriptionId !== undefined) this.queues.set(request.subscriptionId, new FrameQueue());
    await this.perform({ type: 'subscribe', request }, requestId);
    const subscriptionId = request.subscriptionId ?? this.opened.get(requestId) ?? '';
    return { subscriptionId, frames: this.queue(subscriptionId) };
  }

  updateFilters(subscriptionId: string, filters: object) {
    return this.perform({ type: 'updateFilters', subscriptionId, filters });
  }

  expand(subscriptionId: string, nodeId: string) {
    return this.perform({ type: 'expand', subscriptionId, nodeId });
  }

  collapse(subscriptionId: string, nodeId: string) {
    return this.perform({ type: 'collapse', subscriptionId, nodeId });
  }

  expandTask(subscriptionId: string, taskId: string) {
    return this.perform({ type: 'expandTask', subscriptionId, taskId });
  }

  unsubscribe(subscriptionId: string) {
    return this.perform({ type: 'unsubscribe', subscriptionId });
  }

  /** Single answers are the HTTP API's part. */
  getGraph({ filters = {}, ...request }: { readonly filters?: object }): Promise<ExplanationGraph> {
    const { timeRange, ...plain } = filters as {
      readonly timeRange?: { readonly start: string; readonly end: string };
    };
    const range = timeRange === undefined ? {} : { timeStart: timeRange.start, timeEnd: timeRange.end };
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries<unknown>({ ...request, ...plain, ...range })) {
      query.set(key, String(value));
    }
    return this.get<ExplanationGraph>(`/graph?${query.toString()}`);
  }

  getNode(nodeId: string): Promise<NodeDetail> {
    return this.get<NodeDetail>(`/nodes/${encodeURIComponent(nodeId)}`);
  }

  async listTasks(): Promise<readonly TaskOverview[]> {
    return (await this.get<{ readonly tasks: readonly TaskOverview[] }>('/tasks')).tasks;
  }

  why(asked: string | { readonly taskId: string }): Promise<WhyAnswer> {
    const question = new URLSearchParams(typeof asked === 'string' ? { nodeId: asked } : { ...asked });
    return this.get<WhyAnswer>(`/why?${question.toString()}`);
  }

  spikes(taskId?: string): Promise<SpikesAnswer> {
    const query = taskId === undefined ? '' : `?taskId=${encodeURIComponent(taskId)}`;
    return this.get<SpikesAnswer>(`/spikes${query}`);
  }

  compare(a: string, b: string): Promise<CompareAnswer> {
    return this.get<CompareAnswer>(`/compare?${new URLSearchParams({ a, b }).toString()}`);
  }

  patterns(filters: object): Promise<PatternsAnswer> {
    return this.get<PatternsAnswer>(`/patterns?${graphQuery({ filters }).toString()}`);
  }

  summary(taskId: string): Promise<TaskSummary> {
    return this.get<TaskSummary>(`/summary?taskId=${encodeURIComponent(taskId)}`);
  }

  disconnect(): Promise<void> {
    if (this.socket.terminate === undefined) this.socket.close();
    else this.socket.terminate();
    return this.closed;
  }

  private async get<T>(path: string): Promise<T> {
    const response = await fetch(this.api + path);
    const body = (await response.json()) as T & {
      readonly error?: { readonly code: string; readonly message: string };
    };
    if (body.error !== undefined) throw new ReaderError(body.error.code, body.error.message);
    return body;
  }

  private perform(frame: object, requestId = `verb-${this.nextRequest++}`): Promise<void> {
    return new Promise((resolve, reject) => {
      this.answers.set(requestId, (error) => {
        this.answers.delete(requestId);
        if (error === undefined) resolve();
        else reject(error);
      });
      this.socket.send(JSON.stringify({ ...frame, requestId }));
    });
  }

  private receive(frame: Incoming): void {
    switch (frame.type) {
      case 'ok':
        this.answers.get(frame.requestId)?.();
        return;
      case 'error': {
        const { code, message, requestId, subscriptionId } = frame;
        if (subscriptionId !== undefined) this.queue(subscriptionId).endReason = message;
        this.answers.get(requestId ?? '')?.(new ReaderError(code, message));
        return;
      }
      case 'subscribed':
        if (frame.requestId !== undefined) this.opened.set(frame.requestId, frame.subscriptionId);
        break;
      case 'resumed':
      case 'event':
      case 'update':
      case 'snapshotNeeded':
        break;
    }
    this.queue(frame.subscriptionId).push(frame);
    this.answers.get(frame.requestId ?? '')?.();
  }

  private queue(subscriptionId: string): FrameQueue {
    let queue = this.queues.get(subscriptionId);
    if (queue === undefined) this.queues.set(subscriptionId, (queue = new FrameQueue()));
    return queue;
  }
}
