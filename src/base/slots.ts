import { BoundaryError } from './boundary-error.ts';
import { systemClock, type Clock } from './clock.ts';

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

/** Of a client that has a slot or waits for one. */
interface Share {
  /** Slots that it has. */
  held: number;
  waiting: number;
  /** Milliseconds for which it had those that it has no more, since it last had none and waited for none. */
  used: number;
}

/**
 * At most so many do something at the same time; the others wait. A slot goes to the client that has the fewest, among
 * equals to the one that has had them for the shortest time, then to the one of which the fewest wait: who keeps its slots
 * for long, or asks for much, keeps nobody else from theirs. When too many wait, the client of which most wait makes room
 * for one with less.
 */
export class Slots {
  private readonly bounds: SlotBounds;
  private readonly refusal: string;
  private readonly clock: Pick<Clock, 'monotonic'>;
  /** Whose slot it is, and since when, by ticket. */
  private readonly holders = new Map<object, { readonly client: string; readonly since: number }>();
  /** By client. */
  private readonly shares = new Map<string, Share>();
  /** By ticket, in the order of coming. */
  private readonly waiting = new Map<object, Waiting>();

  /** @param refusal said to whoever is sent away as too many wait */
  constructor(bounds: SlotBounds, refusal: string, clock: Pick<Clock, 'monotonic'> = systemClock) {
    this.bounds = bounds;
    this.refusal = refusal;
    this.clock = clock;
  }

  /** Somebody waits who has nothing yet. */
  get isAwaited(): boolean {
    for (const { held, waiting } of this.shares.values()) if (held === 0 && waiting > 0) return true;
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
    this.share(client).waiting++;
    return new Promise((begin, refuse) => this.waiting.set(ticket, { client, begin, refuse }));
  }

  /** The holder of this ticket is done, or waits no longer. */
  free(ticket: object): void {
    if (this.leave(ticket)) return;
    const holder = this.holders.get(ticket);
    if (!holder) return;
    this.holders.delete(ticket);
    const share = this.share(holder.client);
    share.held--;
    share.used += this.clock.monotonic() - holder.since;
    this.forgetUnused(holder.client);
    const next = this.next();
    if (!next) return;
    const [nextTicket, { client, begin }] = next;
    // Before it leaves: else what it used until now would be forgotten.
    this.give(nextTicket, client);
    this.leave(nextTicket);
    begin();
  }

  /** @returns whether it waited */
  private leave(ticket: object): boolean {
    const one = this.waiting.get(ticket);
    if (!one) return false;
    this.waiting.delete(ticket);
    this.share(one.client).waiting--;
    this.forgetUnused(one.client);
    return true;
  }

  private give(ticket: object, client: string): void {
    this.holders.set(ticket, { client, since: this.clock.monotonic() });
    this.share(client).held++;
  }

  private share(client: string): Share {
    const known = this.shares.get(client);
    if (known) return known;
    const share = { held: 0, waiting: 0, used: 0 };
    this.shares.set(client, share);
    return share;
  }

  private forgetUnused(client: string): void {
    const { held, waiting } = this.share(client);
    if (held + waiting === 0) this.shares.delete(client);
  }

  private hasRoom(client: string): boolean {
    return (this.shares.get(client)?.held ?? 0) < (this.bounds.share ?? this.bounds.most);
  }

  private next(): readonly [object, Waiting] | undefined {
    let best: readonly [object, Waiting] | undefined;
    let bestShare: Share | undefined;
    for (const one of this.waiting) {
      const { client } = one[1];
      const share = this.share(client);
      if (!this.hasRoom(client) || (bestShare && compare(share, bestShare) >= 0)) continue;
      best = one;
      bestShare = share;
    }
    return best;
  }

  /** The last that came of the client of which most wait goes, unless the newcomer's would then have as many. */
  private makeRoomFor(client: string): void {
    const waitingOf = (of: string): number => this.shares.get(of)?.waiting ?? 0;
    const most = Math.max(...[...this.shares.values()].map(({ waiting }) => waiting));
    const refused = new BoundaryError('RESOURCE_EXHAUSTED', this.refusal, { retryAfterMs: 1000 });
    if (most <= waitingOf(client) + 1) throw refused;
    const [ticket, last] = [...this.waiting].findLast(([, one]) => waitingOf(one.client) === most) ?? [];
    if (ticket) this.leave(ticket);
    last?.refuse(refused);
  }
}

/** Negative where `a` goes first. */
function compare(a: Share, b: Share): number {
  return a.held - b.held || a.used - b.used || a.waiting - b.waiting;
}
