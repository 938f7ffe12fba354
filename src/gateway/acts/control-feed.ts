import { request as plainRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Clock, Timer } from '../../base/clock.ts';
import type { ClientTls } from '../../client/node-fetch.ts';
import { Backoff } from '../../client/timing.ts';
import { CELL_TIMING } from '../cells/connect-cell.ts';

/** What a control stream tells; its other fields go by its type. */
export interface ToldFrame {
  readonly type: string;
  readonly id?: string;
}

export interface ControlFeedOptions {
  /** Where the cell is now, `host:port`; undefined while that is not known. */
  readonly address: () => string | undefined;
  readonly tls: ClientTls | undefined;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What the agent says that it has; told to the cell once. */
  readonly lastId?: string | undefined;
  readonly clock: Clock;
  readonly onFrame: (frame: ToldFrame) => void;
}

/** A cell says something every 15 s: a stream that is silent for longer is lost. */
const SILENCE_MS = 45_000;
/** A frame has a message of 2,000 characters, and a few names. */
const MAX_FRAME_CHARS = 64 * 1024;
const FRAME_END = '\n\n';

/** The control stream of one cell, opened again whenever it is lost, until `end`. */
export class ControlFeed {
  private readonly options: ControlFeedOptions;
  private readonly backoff = new Backoff(CELL_TIMING);
  private request: ClientRequest | undefined;
  private timer: Timer | undefined;
  private lastId: string | undefined;
  private isOver = false;

  constructor(options: ControlFeedOptions) {
    this.options = options;
    this.lastId = options.lastId;
    this.open();
  }

  end(): void {
    this.isOver = true;
    this.timer?.cancel();
    this.request?.destroy();
  }

  private open(): void {
    const { path, headers, tls, clock } = this.options;
    const address = this.options.address();
    if (address === undefined) {
      this.again();
      return;
    }
    const send = tls ? tlsRequest : plainRequest;
    const asked = send(`${tls ? 'https' : 'http'}://${address}${path}`, {
      ...tls,
      // It is held as long as the agent waits: a connection of its own.
      agent: false,
      headers: {
        ...headers,
        accept: 'text/event-stream',
        ...(this.lastId !== undefined && { 'last-event-id': this.lastId }),
      },
    });
    this.request = asked;
    const lost = (): void => {
      if (this.request === asked) this.again();
    };
    const listen = (): void => {
      this.timer?.cancel();
      this.timer = clock.after(SILENCE_MS, () => asked.destroy());
    };
    asked.once('error', lost).once('close', lost);
    asked.once('response', (response) => {
      if (response.statusCode !== 200) {
        asked.destroy();
        return;
      }
      this.backoff.reset();
      this.lastId = undefined;
      this.read(response, listen)
        .catch(() => undefined)
        .finally(() => asked.destroy());
    });
    listen();
    asked.end();
  }

  private async read(response: IncomingMessage, listen: () => void): Promise<void> {
    let waiting = '';
    response.setEncoding('utf8');
    for await (const piece of response as AsyncIterable<string>) {
      listen();
      waiting += piece;
      for (let end = waiting.indexOf(FRAME_END); end >= 0; end = waiting.indexOf(FRAME_END)) {
        const frame = frameIn(waiting.slice(0, end));
        waiting = waiting.slice(end + FRAME_END.length);
        if (frame && !this.isOver) this.options.onFrame(frame);
      }
      if (waiting.length > MAX_FRAME_CHARS) return;
    }
  }

  private again(): void {
    this.request = undefined;
    this.timer?.cancel();
    if (this.isOver) return;
    this.timer = this.options.clock.after(this.backoff.next(), () => this.open());
  }
}

/** Undefined for a comment, and what no cell says. */
function frameIn(text: string): ToldFrame | undefined {
  const data = text
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trimStart())
    .join('\n');
  try {
    const value: unknown = JSON.parse(data);
    const { type, id } = (value ?? {}) as { readonly type?: unknown; readonly id?: unknown };
    return typeof type === 'string' && (id === undefined || typeof id === 'string')
      ? (value as ToldFrame)
      : undefined;
  } catch {
    return undefined;
  }
}
