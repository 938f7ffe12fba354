import { BoundaryError } from './boundary-error.ts';

interface Waiting {
  readonly client: string;
  readonly begin: () => void;
  readonly refuse: (error: BoundaryError) => void;
}

export interface SlotBounds {
  /** Slots in all. */
  readonly most: number;
  readonly mostWaiting: number;
  /** Of which one client has so many. All of them if absent. */
  readonly share?: number;
}

/**
 * At most so many do something at the same time; the others wait. A slot goes to the client that has the fewest, among
 * equals to the one that had its last turn longest ago; and when too many wait, the client of which most wait makes room
 * for one with less.
 */
export class Slots {
  private readonly bounds: SlotBounds;
  private readonly refusal: string;
  /** Whose slot it is, by ticket. */
  private readonly holders = new Map<object, string>();
  /** Slots by client. */
  private readonly held = new Map<string, number>();
  /** By ticket, in the order of coming. */
  private readonly waiting = new Map<object, Waiting>();

  /** @param refusal said to whoever is sent away as too many wait */
  constructor(bounds: SlotBounds, refusal: string) {
    this.bounds = bounds;
    this.refusal = refusal;
  }

  /** Somebody waits who has nothing yet. */
  get isAwaited(): boolean {
    for (const { client } of this.waiting.values()) if (!this.held.has(client)) return true;
    return false;
  }

  /**
   * @param ticket names who asks
   * @param client on whose behalf; all are one if absent
   * @returns resolves when it may begin, and rejects when it has to make room; undefined if it begins now
   * @throws BoundaryError RESOURCE_EXHAUSTED when too many wait
   */
  take(ticket: object, client = ''): Promise<void> | undefined {
    if (this.holders.size < this.bounds.most && this.hasRoom(client)) {
      this.give(ticket, client);
      return undefined;
    }
    if (this.waiting.size >= this.bounds.mostWaiting) this.makeRoomFor(client);
    return new Promise((begin, refuse) => this.waiting.set(ticket, { client, begin, refuse }));
  }

  /** The holder of this ticket is done, or waits no longer. */
  free(ticket: object): void {
    if (this.waiting.delete(ticket)) return;
    const client = this.holders.get(ticket);
    if (client === undefined) return;
    this.holders.delete(ticket);
    const left = this.heldBy(client) - 1;
    if (left > 0) this.held.set(client, left);
    else this.held.delete(client);
    const next = this.next();
    if (!next) return;
    this.waiting.delete(next[0]);
    this.toTheEnd(next[1].client);
    this.give(next[0], next[1].client);
    next[1].begin();
  }

  /** Who has had a turn waits behind the others: else all that it asked for would come before what they did. */
  private toTheEnd(client: string): void {
    const itsOwn = [...this.waiting].filter(([, one]) => one.client === client);
    for (const [ticket, one] of itsOwn) {
      this.waiting.delete(ticket);
      this.waiting.set(ticket, one);
    }
  }

  private give(ticket: object, client: string): void {
    this.holders.set(ticket, client);
    this.held.set(client, this.heldBy(client) + 1);
  }

  private heldBy(client: string): number {
    return this.held.get(client) ?? 0;
  }

  private hasRoom(client: string): boolean {
    return this.heldBy(client) < (this.bounds.share ?? this.bounds.most);
  }

  private next(): readonly [object, Waiting] | undefined {
    let best: readonly [object, Waiting] | undefined;
    for (const one of this.waiting) {
      const { client } = one[1];
      if (!this.hasRoom(client)) continue;
      if (!best || this.heldBy(client) < this.heldBy(best[1].client)) best = one;
    }
    return best;
  }

  /** The last that came of the client of which most wait goes, unless the newcomer's would then have as many. */
  private makeRoomFor(client: string): void {
    const counts = new Map<string, number>();
    for (const one of this.waiting.values()) counts.set(one.client, (counts.get(one.client) ?? 0) + 1);
    const most = Math.max(...counts.values());
    const refused = new BoundaryError('RESOURCE_EXHAUSTED', this.refusal, { retryAfterMs: 1000 });
    if (most <= (counts.get(client) ?? 0) + 1) throw refused;
    const [ticket, last] = [...this.waiting].findLast(([, one]) => counts.get(one.client) === most) ?? [];
    if (ticket) this.waiting.delete(ticket);
    last?.refuse(refused);
  }
}
