import { MIN_REPEATED, type FoldLimits, type InSight } from './fold.ts';
import { branchOf, type Entry } from './entry.ts';
import { NOT_RANKED, rankedOf, rankOf } from './importance.ts';
import { isQuiet, isRoutine, thoughtPlace } from './quiet.ts';
import { kindOf, Repetition } from './repetition.ts';

/**
 * Keeps known which steps may be folded: dull ones from which only dull ones of the same task are reached. So
 * whatever is worth showing keeps everything that led to it, up to the root, and no edge ever leads out of what is
 * folded. A change is looked at where it happened, and from there only as far as it changes something.
 */
export class Foldable {
  private readonly limits: FoldLimits;
  private readonly entries: ReadonlyMap<string, Entry>;
  private readonly inSight: InSight;
  private readonly stale = new Set<Entry>();
  /**
   * Foldable until now, and by what is known so far no more. What may become foldable comes first: what is new at the end
   * of a chain is not before it was looked at, and all that leads to it would change twice.
   */
  private readonly doubtful = new Set<Entry>();

  constructor(limits: FoldLimits, entries: ReadonlyMap<string, Entry>, inSight: InSight) {
    this.limits = limits;
    this.entries = entries;
    this.inSight = inSight;
  }

  /** Something about the step, above it, or behind it changed. */
  markStale(entry: Entry): void {
    entry.task.version++;
    this.stale.add(entry);
  }

  /** The step is about to change: it goes out of what is ordered by its fields. */
  withdraw(entry: Entry): void {
    const { repetition } = entry;
    if (repetition) {
      countFolded(entry, false);
      entry.repetition = undefined;
      for (const other of repetition.delete(entry)) this.markStale(other);
      const kinds = branchOf(entry).repetitions;
      if (repetition.size === 0) kinds?.delete(kindOf(entry.node));
    }
    if (entry.rank !== NOT_RANKED) entry.task.ranked?.delete(entry);
    entry.rank = NOT_RANKED;
  }

  /** An edge out of a step to one that is not foldable, or of another task, came (1) or went (-1). */
  block(entry: Entry, by: 1 | -1): void {
    entry.blockers += by;
    this.markStale(entry);
  }

  /** Of a step that was not looked at yet, while that of its parent is known. */
  setDepth(entry: Entry): void {
    entry.depth = this.depthOf(entry);
  }

  /** Looks again at what is stale, for so long. @returns whether all was looked at */
  settle(isLate: () => boolean): boolean {
    const { stale, doubtful } = this;
    while (stale.size + doubtful.size > 0) {
      const queue = stale.size > 0 ? stale : doubtful;
      for (const entry of queue) {
        queue.delete(entry);
        if (this.entries.get(entry.node.id) === entry) this.evaluate(entry, queue === doubtful);
        if (isLate()) return stale.size + doubtful.size === 0;
      }
    }
    return true;
  }

  private evaluate(entry: Entry, isCertain: boolean): void {
    const { node, parent } = entry;
    const depth = this.depthOf(entry);
    entry.inSight = this.inSight.get(node.taskId)?.has(node.id) === true;
    this.joinRepetition(entry);
    const isOneOfMany = entry.repetition?.covers(entry) === true;
    const repeated = isOneOfMany || parent?.repeated === true;
    const changesBelow = depth !== entry.depth || repeated !== entry.repeated;
    entry.depth = depth;
    entry.repeated = repeated;
    const dull = this.isDull(entry);
    const dullThought = dull && (node.type === 'LLM_CALL' || node.type === 'REASONING');
    const changesThoughts = dullThought !== entry.dullThought;
    entry.dullThought = dullThought;
    if ((changesBelow || changesThoughts) && entry.kids) for (const kid of entry.kids) this.markStale(kid);
    const foldable = dull && entry.ins.length > 0 && entry.blockers === 0;
    if (entry.foldable && !foldable && !isCertain) this.doubtful.add(entry);
    else this.setFoldable(entry, foldable);
    countFolded(entry, isOneOfMany && entry.foldable);
    this.setRank(entry);
  }

  private depthOf({ node, parent }: Entry): number {
    const depth = (parent?.depth ?? 0) + (node.type === 'LLM_CALL' ? 1 : 0);
    return Math.min(depth, this.limits.maxCoTDepth + 1);
  }

  private isDull(entry: Entry): boolean {
    const { node, parent } = entry;
    if (!isQuiet(node) || entry.inSight) return false;
    // A step of a thought is as dull as its call; one of many more than are shown is dull in any call.
    if (node.type === 'REASONING')
      return parent?.dullThought === true || thoughtPlace(node) > this.limits.maxCoTDepth;
    return isRoutine(node, this.limits) || entry.depth > this.limits.maxCoTDepth || entry.repeated;
  }

  private joinRepetition(entry: Entry): void {
    const { node, parent } = entry;
    if (entry.repetition || !parent || node.type === 'REASONING') return;
    if (!isQuiet(node) || entry.inSight || isRoutine(node, this.limits)) return;
    const kind = kindOf(node);
    const kinds = (parent.repetitions ??= new Map<string, Repetition<Entry>>());
    let repetition = kinds.get(kind);
    if (!repetition) {
      repetition = new Repetition<Entry>(node.name, this.limits.minRepeated ?? MIN_REPEATED);
      kinds.set(kind, repetition);
    }
    entry.repetition = repetition;
    for (const other of repetition.add(entry)) if (other !== entry) this.markStale(other);
  }

  private setFoldable(entry: Entry, foldable: boolean): void {
    if (foldable === entry.foldable) return;
    entry.foldable = foldable;
    if (foldable) entry.task.unfolded.delete(entry);
    else entry.task.unfolded.add(entry);
    for (const edge of entry.ins) {
      const from = this.entries.get(edge.from);
      if (from?.task === entry.task) this.block(from, foldable ? -1 : 1);
    }
  }

  private setRank(entry: Entry): void {
    const { task } = entry;
    // Once there are more than can be shown, so that the order is never made of very many at once.
    if (!task.ranked && task.unfolded.size <= this.limits.maxNodesPerTask) return;
    const ranked = rankedOf(task, this.limits);
    const rank = entry.foldable ? NOT_RANKED : rankOf(entry, this.limits);
    if (rank === entry.rank) return;
    if (entry.rank !== NOT_RANKED) ranked.delete(entry);
    entry.rank = rank;
    if (rank !== NOT_RANKED) ranked.add(entry);
  }
}

function countFolded(entry: Entry, isFolded: boolean): void {
  if (!entry.repetition || isFolded === entry.countsAsRepeated) return;
  entry.countsAsRepeated = isFolded;
  entry.repetition.folded += isFolded ? 1 : -1;
}
