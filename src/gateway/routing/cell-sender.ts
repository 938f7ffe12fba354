import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock } from '../../base/clock.ts';

/** A request to one cell. */
export interface CellRequest {
  /** The cell's name. */
  readonly cell: string;
  readonly method: 'POST' | 'GET';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface CellAnswer {
  readonly status: number;
  /** Seconds of the header Retry-After. */
  readonly retryAfter: number | undefined;
  readonly body: Buffer;
}

export interface CellSender {
  /** @throws BoundaryError UNAVAILABLE: not reached, no answer in time; RESOURCE_EXHAUSTED: too much under way to it */
  send(request: CellRequest): Promise<CellAnswer>;
}

/** Where a cell's port for readers is. */
export interface CellPlace {
  /** `host:port`, an IPv6 address in brackets. */
  readonly address: string;
  /** What the gateway shows and trusts; plain text if absent. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string } | undefined;
}

export interface HttpCellSenderOptions {
  /** undefined while it is not known where the cell is. */
  readonly placeOf: (cell: string) => CellPlace | undefined;
  readonly clock: Clock;
  readonly timeoutMs?: number;
  readonly mostUnderWay?: number;
  readonly maxAnswerBytes?: number;
  /** False: each request has a connection of its own, and none is sent twice. True if absent. */
  readonly keepsConnections?: boolean;
}

/** Senders wait 5 s (the Collector) to 10 s (SDKs), and send again. */
const TIMEOUT_MS = 30_000;
/** Requests to one cell at once; their bodies are held by the budget of bytes in flight. */
const MOST_UNDER_WAY = 256;
/** Connections to one cell; more requests wait for one of them. */
const MOST_CONNECTIONS = 32;
/** An answer lists at most 100 errors and 100 warnings, each shorter than a kilobyte. */
const MAX_ANSWER_BYTES = 1024 * 1024;
const RETRY_AFTER_MS = 1_000;

interface Connections {
  readonly place: CellPlace;
  readonly agent: HttpAgent;
  underWay: number;
}

/** Sends over HTTP/1.1, with connections that are kept. */
export class HttpCellSender implements CellSender {
  private readonly options: HttpCellSenderOptions;
  private readonly cells = new Map<string, Connections>();

  constructor(options: HttpCellSenderOptions) {
    this.options = options;
  }

  async send(request: CellRequest): Promise<CellAnswer> {
    const connections = this.connectionsTo(request.cell);
    if (connections.underWay >= (this.options.mostUnderWay ?? MOST_UNDER_WAY)) throw tooMuch(request.cell);
    connections.underWay++;
    try {
      return await this.tryTwice(request, connections);
    } finally {
      connections.underWay--;
    }
  }

  /** Ends the connections to cells that are none any more. */
  keepOnly(cells: ReadonlySet<string>): void {
    for (const [cell, { agent }] of this.cells) {
      if (cells.has(cell)) continue;
      agent.destroy();
      this.cells.delete(cell);
    }
  }

  close(): void {
    this.keepOnly(new Set());
  }

  /** A cell may close a kept connection just when it is used again: then the request is sent once more. */
  private async tryTwice(request: CellRequest, connections: Connections): Promise<CellAnswer> {
    const first = await this.exchange(request, connections);
    const answer = first === 'closed' ? await this.exchange(request, connections) : first;
    if (typeof answer === 'string') throw away(request.cell);
    return answer;
  }

  /** @returns why there is no answer: 'closed' when nothing of one came over a connection that had been used before */
  private exchange(request: CellRequest, connections: Connections): Promise<CellAnswer | 'closed' | 'away'> {
    const { method, path, headers, body } = request;
    const { agent, place } = connections;
    const { clock, timeoutMs = TIMEOUT_MS, maxAnswerBytes = MAX_ANSWER_BYTES } = this.options;
    const send = place.tls ? httpsRequest : httpRequest;
    return new Promise((resolve) => {
      const outgoing: ClientRequest = send({
        agent,
        ...hostAndPort(place.address),
        method,
        path,
        headers: { ...headers, 'content-length': body.length },
      });
      const timer = clock.after(timeoutMs, () => finish('away'));
      const finish = (answer: CellAnswer | 'closed' | 'away'): void => {
        timer.cancel();
        if (typeof answer === 'string') outgoing.destroy();
        resolve(answer);
      };
      outgoing.on(
        'response',
        (response) => void whole(response, maxAnswerBytes).then((answer) => finish(answer ?? 'away')),
      );
      outgoing.on('error', () => finish(outgoing.reusedSocket ? 'closed' : 'away'));
      outgoing.end(body);
    });
  }

  private connectionsTo(cell: string): Connections {
    const place = this.options.placeOf(cell);
    if (place === undefined) throw away(cell);
    const held = this.cells.get(cell);
    if (held && isSame(held.place, place)) return held;
    held?.agent.destroy();
    const { keepsConnections: keepAlive = true } = this.options;
    const settings = { keepAlive, maxSockets: MOST_CONNECTIONS };
    const agent = place.tls ? new HttpsAgent({ ...settings, ...place.tls }) : new HttpAgent(settings);
    const made = { place, agent, underWay: 0 };
    this.cells.set(cell, made);
    return made;
  }
}

function isSame(a: CellPlace, b: CellPlace): boolean {
  return a.address === b.address && a.tls === b.tls;
}

function hostAndPort(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[|\]$/g, '');
  return { host, port: Number(address.slice(colon + 1)) };
}

/** Undefined when the answer is cut off, or too large to be one of ours. */
async function whole(response: IncomingMessage, maxBytes: number): Promise<CellAnswer | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > maxBytes) return undefined;
      pieces.push(piece);
    }
  } catch {
    return undefined;
  }
  const seconds = response.headers['retry-after'] ?? '';
  return {
    status: response.statusCode ?? 0,
    retryAfter: /^\d{1,6}$/.test(seconds) ? Number(seconds) : undefined,
    body: Buffer.concat(pieces, size),
  };
}

function away(cell: string): BoundaryError {
  return new BoundaryError('UNAVAILABLE', `cell ${cell} does not answer; send again later`, {
    retryAfterMs: RETRY_AFTER_MS,
  });
}

function tooMuch(cell: string): BoundaryError {
  return new BoundaryError(
    'RESOURCE_EXHAUSTED',
    `too many requests under way to cell ${cell}; send again later`,
    {
      retryAfterMs: RETRY_AFTER_MS,
    },
  );
}
