import { onBehalfOf } from '../../access/on-behalf-of.ts';
import type { Principal } from '../../access/principal.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { CellAddress, CellAddresses } from '../cells/cell-addresses.ts';
import { gatewayKey, type CellAccess } from '../cells/exchange.ts';
import { ControlFeed, type ToldFrame } from './control-feed.ts';
import type { CellActs } from './cell-acts.ts';

/** For whom an agent waits, checked. */
export interface WaitingAtCells {
  readonly agent?: string | undefined;
  readonly taskId?: string | undefined;
  readonly traceId?: string | undefined;
  readonly instance?: string | undefined;
}

/** Where an agent that waits at the gateway is told. */
export interface AgentStream {
  send(frame: ToldFrame): void;
  end(): void;
}

export interface ControlAtCellsOptions extends CellAccess {
  readonly acts: CellActs;
  readonly addresses: Pick<CellAddresses, 'current' | 'onChange'>;
  readonly clock: Clock;
}

interface OpenStream {
  readonly stream: AgentStream;
  /** By cell. */
  readonly feeds: Map<string, ControlFeed>;
  readonly open: (cell: string) => ControlFeed;
}

/** Of so many interrupts and answers a stream knows that it was told: several cells may tell of the same. */
const MAX_TOLD = 1_000;
/** What a cell says of its own stream is no word to the agent, which waits on at the others. */
const TOLD_ON: ReadonlySet<string> = new Set(['interrupt', 'approval']);

/** Agents that wait at the gateway: each waits at every cell, also at those that come later, and is told by one stream. */
export class ControlAtCells {
  private readonly options: ControlAtCellsOptions;
  private readonly streams = new Set<OpenStream>();
  private readonly stopListening: () => void;
  private closed: string | undefined;
  /** By the names of the cells that there are now. */
  private places: ReadonlyMap<string, string> = new Map();

  constructor(options: ControlAtCellsOptions) {
    this.options = options;
    this.take(options.addresses.current());
    this.stopListening = options.addresses.onChange((cells) => this.take(cells));
  }

  /** @returns ends it @throws BoundaryError UNAVAILABLE while the gateway stops */
  wait(principal: Principal, waiting: WaitingAtCells, stream: AgentStream, lastId?: string): () => void {
    if (this.closed !== undefined) throw new BoundaryError('UNAVAILABLE', this.closed);
    const { clock, tls, token } = this.options;
    const given = Object.entries(waiting).filter(([, value]) => value !== undefined) as [string, string][];
    const path = `/api/control?${new URLSearchParams(given).toString()}`;
    const headers = { ...gatewayKey(token), ...onBehalfOf(principal) };
    const told = new Set<string>();
    const onFrame = (frame: ToldFrame): void => {
      if (!TOLD_ON.has(frame.type) || frame.id === undefined || told.has(frame.id)) return;
      told.add(frame.id);
      if (told.size > MAX_TOLD) told.delete(told.values().next().value as string);
      stream.send(frame);
    };
    const open = (cell: string): ControlFeed =>
      new ControlFeed({ address: () => this.places.get(cell), tls, path, headers, lastId, clock, onFrame });
    const one: OpenStream = { stream, feeds: new Map(), open };
    this.streams.add(one);
    stream.send({ type: 'waiting', ...waiting });
    for (const cell of this.places.keys()) one.feeds.set(cell, open(cell));
    return () => this.leave(one);
  }

  /** To all cells: which of them told the agent is theirs to know. @throws BoundaryError what they refuse with */
  async answer(principal: Principal, given: { readonly [name: string]: unknown }): Promise<unknown> {
    const act = { method: 'POST', path: '/api/control', by: principal, body: given } as const;
    return (await this.options.acts.atEach(act)).done[0].answer;
  }

  /** Whoever waits is told why it ends, and nobody waits any more. */
  close(reason: string): void {
    this.closed = reason;
    this.stopListening();
    for (const one of this.streams) {
      this.leave(one);
      one.stream.send({ type: 'closed', reason } as ToldFrame);
      one.stream.end();
    }
  }

  private leave(one: OpenStream): void {
    this.streams.delete(one);
    for (const feed of one.feeds.values()) feed.end();
  }

  private take(cells: readonly CellAddress[]): void {
    this.places = new Map(cells.map(({ name, address }) => [name, address]));
    for (const { feeds, open } of this.streams) {
      for (const [cell, feed] of feeds) {
        if (this.places.has(cell)) continue;
        feed.end();
        feeds.delete(cell);
      }
      for (const cell of this.places.keys()) if (!feeds.has(cell)) feeds.set(cell, open(cell));
    }
  }
}
