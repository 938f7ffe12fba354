import { badAnswer } from './check-shape.ts';
import { ClientError } from './client-error.ts';
import { parseFrame, type IncomingFrame } from './incoming-frame.ts';
import type { Timing } from './timing.ts';

/** What a browser's WebSocket and that of `ws` have in common. */
export interface SocketLike {
  addEventListener(type: 'open', listener: () => void): void;
  addEventListener(type: 'error', listener: (event: { readonly error?: unknown }) => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    type: 'close',
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
  send(text: string): void;
  close(): void;
  /** Cuts it off, where that is possible: a lost peer never answers a close. */
  terminate?(): void;
}

export interface SocketListener {
  open(): void;
  frame(frame: IncomingFrame): void;
  /** The last call. @param opened whether it ever stood */
  failed(error: ClientError, opened: boolean): void;
}

export interface SocketOptions {
  readonly socket: SocketLike;
  readonly timing: Timing;
  readonly maxFrameBytes: number;
  readonly listener: SocketListener;
}

/** RFC 6455, 7.4.1. */
const CLOSE_GOING_AWAY = 1001;
const CLOSE_POLICY = 1008;
const CLOSE_TOO_LARGE = 1009;
/** What is asked for only to see whether the other end is there. */
const HEARTBEAT_ID = 'heartbeat';

/** One WebSocket to the service: its frames, and whether it is still alive. */
export class Socket {
  private readonly options: SocketOptions;
  private timer: { cancel(): void };
  private opened = false;
  private over = false;

  constructor(options: SocketOptions) {
    this.options = options;
    const { socket, timing } = options;
    this.timer = timing.scheduler.after(timing.connectTimeoutMs, () => {
      const message = `the WebSocket did not open within ${timing.connectTimeoutMs} ms: is this the readers' port?`;
      this.fail(new ClientError('TIMEOUT', message));
    });
    socket.addEventListener('open', () => this.stands());
    socket.addEventListener('message', ({ data }) => this.receive(data));
    socket.addEventListener('close', ({ code, reason }) => this.fail(closeError(code, reason)));
    socket.addEventListener('error', ({ error }) => {
      if (isTooLarge(error)) this.fail(tooLarge());
      // 'close' follows. Before it stands, a browser may wait long with that.
      else if (!this.opened) this.fail(closeError(0, ''));
    });
  }

  send(frame: object): void {
    if (this.opened && !this.over) this.options.socket.send(JSON.stringify(frame));
  }

  /** Without a word to the listener. */
  close(): void {
    if (this.over) return;
    this.end();
    this.options.socket.close();
  }

  private stands(): void {
    if (this.over) return;
    this.opened = true;
    this.expectLife();
    this.options.listener.open();
  }

  private receive(data: unknown): void {
    if (this.over) return;
    this.expectLife();
    try {
      const frame = parseFrame(this.textOf(data));
      if (frame !== undefined) this.options.listener.frame(frame);
    } catch (error) {
      this.fail(ClientError.from(error));
    }
  }

  private textOf(data: unknown): string {
    if (typeof data !== 'string') throw badAnswer('a binary frame');
    if (data.length > this.options.maxFrameBytes) throw tooLarge();
    return data;
  }

  /** After silence it asks; after more silence it gives up: a lost network leaves no other trace. */
  private expectLife(): void {
    const { scheduler, heartbeatMs, answerTimeoutMs } = this.options.timing;
    this.timer.cancel();
    this.timer = scheduler.after(heartbeatMs, () => {
      this.send({ type: 'ping', requestId: HEARTBEAT_ID });
      this.timer = scheduler.after(answerTimeoutMs, () => {
        const message = `the service has not answered for ${answerTimeoutMs} ms: the connection is given up`;
        this.fail(new ClientError('TIMEOUT', message));
      });
    });
  }

  /** Used from outside when what came can't be gone on with. */
  fail(error: ClientError): void {
    if (this.over) return;
    this.end();
    const { socket, listener } = this.options;
    if (socket.terminate === undefined) socket.close();
    else socket.terminate();
    listener.failed(error, this.opened);
  }

  private end(): void {
    this.over = true;
    this.timer.cancel();
  }
}

function closeError(code: number, reason: string): ClientError {
  switch (code) {
    case CLOSE_GOING_AWAY:
      return new ClientError('UNAVAILABLE', `the service closed the connection: ${reason || 'it goes away'}`);
    case CLOSE_POLICY:
      return new ClientError(
        'RESOURCE_EXHAUSTED',
        `the service closed the connection: ${reason || 'policy'}`,
      );
    case CLOSE_TOO_LARGE:
      return tooLarge();
    default:
      return new ClientError('UNREACHABLE', 'the connection to the service was lost');
  }
}

/** `ws` says it here; its 'close' has the code that the other end sends. */
function isTooLarge(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'code') === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
}

function tooLarge(): ClientError {
  return new ClientError(
    'TOO_LARGE',
    'a frame of the service is larger than this client takes: narrow the filters, or fold with collapse "auto"',
  );
}
