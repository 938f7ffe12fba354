import { ClientError } from './client-error.ts';
import { HttpApi } from './http-api.ts';
import type { IncomingFrame } from './incoming-frame.ts';
import { Socket, type SocketLike } from './shared-socket.ts';
import type { Timing } from './timing.ts';
import type { Feed, FeedListener, FeedRequest, Transport, Verb } from './transport.ts';

/** A graph of some hundred thousand nodes. What is larger would not be looked at, and may be an attack. */
export const MAX_FRAME_BYTES = 256 * 1024 * 1024;

export interface WebSocketTransportOptions {
  /** `http://host:port`. */
  readonly http: string;
  readonly token: string | undefined;
  readonly csrf?: (() => string | undefined) | undefined;
  readonly timing: Timing;
  readonly openSocket: () => SocketLike;
  readonly maxFrameBytes?: number;
  /** The global one if absent. */
  readonly fetch?: typeof fetch;
}

interface Waiting {
  done(): void;
  failed(error: ClientError): void;
}

/** Subscriptions over one WebSocket that all of them share, single answers over HTTP. */
export class WebSocketTransport extends HttpApi implements Transport {
  private readonly options: WebSocketTransportOptions;
  private readonly feeds = new Set<SocketFeed>();
  /** What waits for an answer, by request id. */
  private readonly waiting = new Map<string, Waiting>();
  private socket: Socket | undefined;
  private standing = false;
  private requests = 0;

  constructor(options: WebSocketTransportOptions) {
    const { http: base, token, csrf, timing, fetch, maxFrameBytes = MAX_FRAME_BYTES } = options;
    super({ base, token, csrf, timing, fetch, maxAnswerBytes: maxFrameBytes });
    this.options = options;
  }

  openFeed(request: FeedRequest, listener: FeedListener): Feed {
    const feed = new SocketFeed(this, request, listener);
    this.feeds.add(feed);
    if (this.socket === undefined) this.connect();
    else if (this.standing) feed.begin();
    return feed;
  }

  override close(): Promise<void> {
    const closed = super.close();
    this.endAll(new ClientError('CLOSED', 'the client was closed'));
    return closed;
  }

  /** Sends a request; whatever names it, but an error, says that it was done. Used by the feeds. */
  perform(frame: object, onEnd: Waiting): string {
    const requestId = `${++this.requests}`;
    const timer = this.options.timing.scheduler.after(this.options.timing.answerTimeoutMs, () => {
      const message = `the service did not answer within ${this.options.timing.answerTimeoutMs} ms`;
      this.socket?.fail(new ClientError('TIMEOUT', message));
    });
    const settle = (action: () => void) => {
      timer.cancel();
      this.waiting.delete(requestId);
      action();
    };
    this.waiting.set(requestId, {
      done: () => settle(() => onEnd.done()),
      failed: (error) => settle(() => onEnd.failed(error)),
    });
    this.socket?.send({ ...frame, requestId });
    return requestId;
  }

  tell(frame: object): void {
    this.socket?.send(frame);
  }

  /** The last one turns off the light. */
  remove(feed: SocketFeed): void {
    this.feeds.delete(feed);
    if (this.feeds.size > 0) return;
    const lost = new ClientError('UNREACHABLE', 'the connection to the service was closed');
    for (const one of this.letGo()) one.failed(lost);
  }

  private connect(): void {
    const { openSocket, timing, maxFrameBytes = MAX_FRAME_BYTES } = this.options;
    let opening: SocketLike;
    try {
      opening = openSocket();
    } catch (cause) {
      const message = 'the WebSocket may not be opened here: a page over https needs a "wss://" URL';
      const error = new ClientError('UNREACHABLE', message, cause);
      queueMicrotask(() => this.endAll(error));
      return;
    }
    const socket = new Socket({
      socket: opening,
      timing,
      maxFrameBytes,
      listener: {
        open: () => {
          this.standing = true;
          for (const feed of this.feeds) feed.begin();
        },
        frame: (frame) => this.receive(frame),
        failed: (error, opened) => this.failed(socket, error, opened),
      },
    });
    this.socket = socket;
  }

  private receive(frame: IncomingFrame): void {
    const asked = this.waiting.get(frame.requestId ?? '');
    switch (frame.type) {
      case 'error':
        asked?.failed(frame.error);
        // The service ends one subscription of several.
        if (frame.subscriptionId !== undefined) this.feedOf(frame.subscriptionId)?.end(frame.error);
        return;
      case 'subscribed': {
        const feed = [...this.feeds].find((one) => one.isOpenedBy(frame.requestId));
        if (feed) {
          feed.subscriptionId = frame.subscriptionId;
          feed.take(frame);
        }
        // Closed before it was answered.
        else this.tell({ type: 'unsubscribe', subscriptionId: frame.subscriptionId });
        break;
      }
      case 'resumed':
      case 'event':
      case 'update':
      case 'snapshotNeeded':
        this.feedOf(frame.subscriptionId)?.take(frame);
        break;
      case 'ok':
      case 'pong':
        break;
    }
    asked?.done();
  }

  private feedOf(subscriptionId: string): SocketFeed | undefined {
    for (const feed of this.feeds) if (feed.subscriptionId === subscriptionId) return feed;
    return undefined;
  }

  private failed(socket: Socket, error: ClientError, opened: boolean): void {
    if (socket !== this.socket) return;
    if (opened || error.code !== 'UNREACHABLE') this.endAll(error);
    else void this.endWithDiagnosis(socket);
  }

  /** A WebSocket that never stood doesn't say why: nothing new is opened before that is known. */
  private async endWithDiagnosis(socket: Socket): Promise<void> {
    const why = await this.diagnose();
    if (socket === this.socket) this.endAll(why);
  }

  /** Whoever hears of it may open the next one at once, so everything is let go of before. */
  private endAll(error: ClientError): void {
    const feeds = [...this.feeds];
    this.feeds.clear();
    const waiting = this.letGo();
    for (const feed of feeds) feed.end(error);
    for (const one of waiting) one.failed(error);
  }

  /** @returns what waits for answers that won't come */
  private letGo(): readonly Waiting[] {
    const { socket } = this;
    const waiting = [...this.waiting.values()];
    this.socket = undefined;
    this.standing = false;
    socket?.close();
    return waiting;
  }
}

class SocketFeed implements Feed {
  subscriptionId: string | undefined;
  private readonly transport: WebSocketTransport;
  private readonly request: FeedRequest;
  private readonly listener: FeedListener;
  private openedBy: string | undefined;
  private over = false;

  constructor(transport: WebSocketTransport, request: FeedRequest, listener: FeedListener) {
    this.transport = transport;
    this.request = request;
    this.listener = listener;
    this.subscriptionId = request.subscriptionId;
  }

  isOpenedBy(requestId: string | undefined): boolean {
    return requestId !== undefined && requestId === this.openedBy;
  }

  /** The socket stands. */
  begin(): void {
    this.openedBy = this.transport.perform(
      { type: 'subscribe', request: this.request },
      {
        done: () => undefined,
        failed: (error) => {
          if (this.over) return;
          this.transport.remove(this);
          this.end(error);
        },
      },
    );
  }

  take(frame: Parameters<FeedListener['frame']>[0]): void {
    if (!this.over) this.listener.frame(frame);
  }

  perform(subscriptionId: string, verb: Verb): Promise<void> {
    if (this.over) return Promise.reject(new ClientError('UNREACHABLE', 'the connection was lost'));
    return new Promise((resolve, reject) => {
      this.transport.perform({ ...verb, subscriptionId }, { done: resolve, failed: reject });
    });
  }

  end(error: ClientError): void {
    if (this.over) return;
    this.over = true;
    this.listener.ended(error);
  }

  close(unsubscribe: string | undefined): void {
    if (this.over) return;
    this.over = true;
    if (unsubscribe !== undefined) this.transport.tell({ type: 'unsubscribe', subscriptionId: unsubscribe });
    this.transport.remove(this);
  }
}
