import { atMost } from '../base/at-most.ts';
import type { Clock } from '../base/clock.ts';
import type { Pace } from '../base/pace.ts';
import type { Facts } from '../model/facts.ts';
import { rootsTie, tiesTo, type Tie } from '../model/ties.ts';
import type { LeftRecords } from './left-records.ts';
import type { NodeEntry } from './node-entry.ts';
import { isJoined } from './task-roots.ts';

export interface ComebackRoundsOptions {
  /** What left memory, where it may come back. */
  readonly left: LeftRecords;
  readonly clock: Clock;
  readonly pace: Pace;
  /** The records behind a node. */
  readonly factsOf: (entry: NodeEntry) => readonly Facts[];
  /** Takes what came back. */
  readonly take: (facts: Iterable<Facts>) => Promise<void>;
}

/** Records for which it is asked at once what they are tied to. */
const CHUNK_RECORDS = 250;
/** Milliseconds that a request waits at most for what comes back for others. What its own nodes are tied to may still come then. */
const MAX_ROUND_WAIT_MS = 250;
/** So many tasks are asked for at the same time what their nodes are tied to. */
const MAX_TASKS = 100;
/** What comes back has others look, and may bring back more: so often, in case it leaves again as fast. */
const MAX_ROUNDS = 16;

/** Brings back what is tied to the nodes that have looked. */
interface Round {
  /** For these it was asked already. Held weakly: a round may last, and what was answered and left memory meanwhile is to go. */
  readonly asked: WeakSet<Facts>;
  readonly done: Promise<void>;
}

/**
 * Has what left memory brought back, before records are taken that it is tied to, and after that for the nodes that looked
 * at others because of them.
 */
export class ComebackRounds {
  private readonly options: ComebackRoundsOptions;
  /** Nodes that looked at others while something had left memory. */
  private readonly looked = new Set<NodeEntry>();
  /** Ties to the other roots of the tasks of which such nodes were roots until they looked. */
  private readonly rootsLooked = new Set<Tie>();
  /** What such nodes are tied to is being brought back. */
  private round: Promise<void> | undefined;
  /** It is done again after that, once for all nodes that look until then: with what was asked for of them already. */
  private nextRound: Round | undefined;

  constructor(options: ComebackRoundsOptions) {
    this.options = options;
  }

  /** A node looks at others. */
  looks(entry: NodeEntry): void {
    if (this.options.left.isEmpty) return;
    this.looked.add(entry);
    for (const tie of tiesOfRoot(entry)) this.rootsLooked.add(tie);
  }

  /** The node leaves memory, or is gone. */
  forget(entry: NodeEntry): void {
    this.looked.delete(entry);
  }

  /** Resolves when what these are tied to is there. @param ties of one of them */
  async bringBack(facts: readonly Facts[], ties: (one: Facts) => readonly Tie[] = tiesTo): Promise<void> {
    const { left, pace } = this.options;
    for (let at = 0; at < facts.length; at += CHUNK_RECORDS) {
      // Nothing has left: then not even ties are made.
      if (left.isEmpty) return;
      if (pace.isOver) await pace.rest();
      await this.bringTied(facts.slice(at, at + CHUNK_RECORDS).flatMap((one) => ties(one)));
    }
  }

  private async bringTied(ties: Iterable<Tie>): Promise<void> {
    const back = this.options.left.bringBack([...new Set(ties)], this.options.take);
    if (back) await back;
  }

  /**
   * Resolves when what is tied to all nodes that have looked so far is there: each request waits for two rounds at most,
   * which may be long.
   * @param taken for these it was asked already
   */
  async bringBackForLooked(taken: ReadonlySet<Facts>): Promise<void> {
    // What its nodes are tied to may be on its way with that of nodes of other requests: the next round comes after it.
    if (this.looked.size === 0 && !this.round) return;
    this.nextRound ??= this.startRound();
    for (const facts of taken) this.nextRound.asked.add(facts);
    await atMost(MAX_ROUND_WAIT_MS, this.nextRound.done, this.options.clock);
  }

  private startRound(): Round {
    const asked = new WeakSet<Facts>();
    const begin = (): Promise<void> => {
      this.nextRound = undefined;
      const round = this.doRound(asked).finally(() => {
        if (this.round === round) this.round = undefined;
      });
      this.round = round;
      return round;
    };
    const done = (this.round ?? Promise.resolve()).then(begin, begin);
    return { asked, done };
  }

  /** A node that stayed and looks at others anew has to see those that left as well: else it would lose what it has of them. */
  private async doRound(asked: WeakSet<Facts>): Promise<void> {
    const rootsAsked = new Set<Tie>();
    for (let round = 0; round < MAX_ROUNDS && this.looked.size > 0; round++) {
      const looked = [...this.looked];
      const roots = new Set([...this.rootsLooked, ...looked.flatMap(tiesOfRoot)]);
      for (const tie of rootsAsked) roots.delete(tie);
      this.looked.clear();
      this.rootsLooked.clear();
      const facts = looked.flatMap((entry) =>
        this.options.factsOf(entry).map((one) => ({ taskId: entry.taskId, one })),
      );
      const others = facts.filter(({ one }) => !asked.has(one));
      for (const { one } of others) asked.add(one);
      // Each task by itself: for one that is too large to come as a whole no other does not.
      const byTask = Map.groupBy(others, ({ taskId }) => taskId);
      await inGroups(byTask.values(), (of) => this.bringBack(of.map(({ one }) => one)));
      for (const tie of roots) rootsAsked.add(tie);
      await inGroups(roots, (tie) => this.bringTied([tie]));
    }
    // What is left is nobody's but theirs who wait for the next round.
    if (this.nextRound) return;
    this.looked.clear();
    this.rootsLooked.clear();
  }
}

async function inGroups<T>(all: Iterable<T>, work: (one: T) => Promise<void>): Promise<void> {
  const rest = [...all];
  while (rest.length > 0) await Promise.all(rest.splice(0, MAX_TASKS).map(work));
}

/** What left of the roots of its task: of a task that several protocols tell they are led from, or lead, to one another. */
function tiesOfRoot({ rootOf }: NodeEntry): Tie[] {
  if (!rootOf) return [];
  const joined = rootsTie(rootOf.taskId, true);
  return isJoined(rootOf) ? [joined, rootsTie(rootOf.taskId, false)] : [joined];
}
