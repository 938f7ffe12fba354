import { BoundaryError } from '../base/boundary-error.ts';
import { SharedLock } from '../base/shared-lock.ts';
import type { LeftRecords } from '../correlation/left-records.ts';
import type { Facts } from '../model/facts.ts';
import { withTail } from '../model/thought-text.ts';
import { tiesTo, type Tie } from '../model/ties.ts';
import type { RecordStore, TiedNodes, TiedRoom } from '../storage/record-store.ts';
import type { Logger } from '../telemetry/logger.ts';

/** Where nodes are that left memory, as far as they may come back. */
export type TiedArchive = Pick<RecordStore, 'hasNoTies' | 'mayBeTied' | 'isTied' | 'tied'>;

export interface ComebacksOptions {
  readonly archive: TiedArchive;
  /** How much there is room for in memory. */
  readonly room: () => TiedRoom;
  /** How often nodes have left memory so far. */
  readonly timesLeft: () => number;
  /** Must the end of a request's thought not be shown yet? Whoever says so shows it when it may be. */
  readonly isHeldBack: (requestId: string) => boolean;
  /** These nodes are in memory again. */
  readonly onBack: (nodes: TiedNodes) => void;
  readonly logger: Logger;
}

/** Nodes that come back in one round, those nearest to what came: this many take a second. */
const MAX_NODES = 20_000;
/** Bytes that come back in one round: they are in memory twice on their way into the graph. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Requests that one round serves. */
const MAX_ASKED = 100;
/** Requests that wait: for a few seconds of rounds. All that waits is held in memory, and more would wait longer than senders do. */
const MAX_WAITING = 5 * MAX_ASKED;
/** A round takes about so long when many wait. */
const COME_AGAIN_MS = 1000;
/** How often the store is asked again, because nodes left memory while others came back. */
const MAX_ROUNDS = 3;

type Take = (facts: readonly Facts[]) => Promise<void>;

/** A request that waits for what it is tied to. */
interface Ask {
  readonly ties: readonly Tie[];
  readonly done: () => void;
}

/**
 * Brings back into memory what left it, when something comes that belongs to it: then it is correlated as if nothing had ever
 * left. One round after the other, each for all requests that wait by then, so that no two bring back the same nodes.
 */
export class Comebacks implements LeftRecords {
  private readonly options: ComebacksOptions;
  /** Requests that wait, in order: together they are asked for at once, as far as there is room. */
  private asked: Ask[] = [];
  /** Held by what is on its way, and by whoever wants nothing to be. */
  private readonly lock = new SharedLock();
  /** Tasks that are being erased. */
  private readonly erased = new Set<string>();
  private isStopped = false;

  constructor(options: ComebacksOptions) {
    this.options = options;
  }

  get isEmpty(): boolean {
    return this.options.archive.hasNoTies;
  }

  assertRoom(facts: readonly Facts[]): void {
    if (this.asked.length < MAX_WAITING || !this.mayBeTied(facts.flatMap(tiesTo))) return;
    throw new BoundaryError(
      'RESOURCE_EXHAUSTED',
      'too many requests wait for what they belong to, which has left memory: send again later',
      { retryAfterMs: COME_AGAIN_MS },
    );
  }

  bringBack(ties: readonly Tie[], take: Take): Promise<void> | undefined {
    return this.mayBeTied(ties) ? this.bringTied(ties, take) : undefined;
  }

  private mayBeTied(ties: readonly Tie[]): boolean {
    return !this.isEmpty && !this.isStopped && this.options.archive.mayBeTied(ties);
  }

  /** Nothing comes back any more, and what waits for that waits no longer: it is kept, and a restart joins it (LC5). */
  stop(): void {
    this.isStopped = true;
    for (const { done } of this.asked.splice(0)) done();
  }

  private async bringTied(ties: readonly Tie[], take: Take): Promise<void> {
    // A request that the filter in memory took for tied by mistake does not wait for what comes back for others.
    if (!(await this.isTied(ties)) || this.isStopped) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.asked.push({ ties, done: resolve });
    if (this.asked.length === 1) void this.bringAll(take);
    await promise;
  }

  /** A store that fails counts as a yes: `bring` then meets the error, too, and logs it. */
  private async isTied(ties: readonly Tie[]): Promise<boolean> {
    try {
      return await this.options.archive.isTied(ties);
    } catch {
      return true;
    }
  }

  /** Nothing of these tasks comes back during the work. */
  async without<T>(tasks: readonly string[], work: () => Promise<T>): Promise<T> {
    for (const task of tasks) this.erased.add(task);
    try {
      // What is on its way arrives first.
      await this.lock.alone(async () => {});
      return await work();
    } finally {
      for (const task of tasks) this.erased.delete(task);
    }
  }

  /** Nothing comes back during the work: what is to waits for it. So the work must not wait for what is taken in. */
  async between<T>(work: () => Promise<T>): Promise<T> {
    return this.lock.alone(work);
  }

  private async bringAll(take: Take): Promise<void> {
    while (this.asked.length > 0) {
      const answered = await this.between(() => this.bring(this.asked.slice(0, MAX_ASKED), take));
      this.asked = this.asked.filter((ask) => !answered.has(ask));
      for (const { done } of answered) done();
    }
  }

  /** @returns those that have what they are tied to: the first at least */
  private async bring(first: readonly Ask[], take: Take): Promise<ReadonlySet<Ask>> {
    const { archive, room, timesLeft, onBack, logger } = this.options;
    const back = { nodes: 0, tasks: 0, records: 0 };
    let asked = first;
    try {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const before = timesLeft();
        const { nodes, bytes } = room();
        const most = { nodes: Math.min(MAX_NODES, nodes), bytes: Math.min(MAX_BYTES, bytes) };
        const ties = asked.map((ask) => ask.ties);
        const found = await archive.tied({ ties, room: most, without: this.erased });
        const answered = new Set(found.answered);
        asked = asked.filter((_, index) => answered.has(index));
        if (found.ids.length > 0) {
          await found.takeBack();
          await take(found.facts.map((facts) => this.asShown(facts)));
          onBack(found);
          back.nodes += found.ids.length;
          back.tasks += found.tasks.length;
          back.records += found.facts.length;
        }
        if (timesLeft() === before) break;
      }
    } catch (error) {
      // The records themselves are kept: a restart tries again. A store that closes is no failure.
      if (!isClosing(error))
        logger.error({ err: error }, 'what left memory could not be brought back for what came later');
    }
    if (back.nodes > 0) logger.info(back, 'nodes that had left memory are back: something came for them');
    return new Set(asked);
  }

  private asShown(facts: Facts): Facts {
    return facts.kind === 'cot' && !this.options.isHeldBack(facts.requestId) ? withTail(facts) : facts;
  }
}

function isClosing(error: unknown): boolean {
  return error instanceof BoundaryError && error.code === 'UNAVAILABLE';
}
