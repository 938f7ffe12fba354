import type { Agent } from 'node:http';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { ClientTls } from '../../client/node-fetch.ts';
import type { CellAddresses } from '../cells/cell-addresses.ts';
import { agentFor, exchange, NoAnswer, type CellAnswer, type Exchange } from '../cells/exchange.ts';

/** A request to one cell. */
export interface CellRequest extends Pick<Exchange, 'method' | 'path' | 'headers' | 'body'> {
  /** The cell's name. */
  readonly cell: string;
}

export interface CellSender {
  /** @throws BoundaryError UNAVAILABLE: not reached, no answer in time; RESOURCE_EXHAUSTED: too much under way to it */
  send(request: CellRequest): Promise<CellAnswer>;
}

export interface HttpCellSenderOptions {
  readonly addresses: Pick<CellAddresses, 'current' | 'onChange'>;
  readonly tls?: ClientTls | undefined;
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
  readonly address: string;
  readonly agent: Agent;
  underWay: number;
}

/** Sends to the cells that there are now, by their names. */
export class HttpCellSender implements CellSender {
  private readonly options: HttpCellSenderOptions;
  private readonly cells = new Map<string, Connections>();
  private readonly stopListening: () => void;

  constructor(options: HttpCellSenderOptions) {
    this.options = options;
    this.stopListening = options.addresses.onChange((cells) =>
      this.keepOnly(new Set(cells.map(({ name }) => name))),
    );
  }

  async send(request: CellRequest): Promise<CellAnswer> {
    const { clock, timeoutMs = TIMEOUT_MS, mostUnderWay = MOST_UNDER_WAY } = this.options;
    const connections = this.connectionsTo(request.cell);
    if (connections.underWay >= mostUnderWay)
      throw refused('RESOURCE_EXHAUSTED', `too many requests under way to cell ${request.cell}`);
    connections.underWay++;
    const abort = new AbortController();
    const timer = clock.after(timeoutMs, () => abort.abort());
    try {
      return await this.tryTwice(request, connections, abort.signal);
    } catch (error) {
      throw error instanceof NoAnswer ? away(request.cell) : error;
    } finally {
      timer.cancel();
      connections.underWay--;
    }
  }

  close(): void {
    this.stopListening();
    this.keepOnly(new Set());
  }

  /** A cell may close a kept connection just when it is used again: then the request is sent once more. */
  private async tryTwice(
    request: CellRequest,
    { address, agent }: Connections,
    signal: AbortSignal,
  ): Promise<CellAnswer> {
    const { tls, maxAnswerBytes: maxBytes = MAX_ANSWER_BYTES } = this.options;
    const once = { ...request, address, tls, agent, maxBytes, signal };
    try {
      return await exchange(once);
    } catch (error) {
      if (error instanceof NoAnswer && error.wasKept) return exchange(once);
      throw error;
    }
  }

  /** Ends the connections to cells that are none any more. */
  private keepOnly(cells: ReadonlySet<string>): void {
    for (const [cell, { agent }] of this.cells) {
      if (cells.has(cell)) continue;
      agent.destroy();
      this.cells.delete(cell);
    }
  }

  private connectionsTo(cell: string): Connections {
    const { addresses, tls, keepsConnections: keepAlive = true } = this.options;
    const at = addresses.current().find(({ name }) => name === cell);
    if (!at) throw away(cell);
    const held = this.cells.get(cell);
    if (held?.address === at.address) return held;
    held?.agent.destroy();
    const agent = agentFor(tls, { keepAlive, maxSockets: MOST_CONNECTIONS });
    const made = { address: at.address, agent, underWay: 0 };
    this.cells.set(cell, made);
    return made;
  }
}

function away(cell: string): BoundaryError {
  return refused('UNAVAILABLE', `cell ${cell} does not answer`);
}

function refused(code: 'UNAVAILABLE' | 'RESOURCE_EXHAUSTED', why: string): BoundaryError {
  return new BoundaryError(code, `${why}; send again later`, { retryAfterMs: RETRY_AFTER_MS });
}
