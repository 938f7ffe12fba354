import type { ExplanationNode } from '../model/node.ts';
import { branchOf, isEntry, type Branch, type Entry } from './entry.ts';

/** How many nodes pass a test, of which branches. */
export interface NodeCounter {
  passes(entry: Entry | undefined): boolean;
  /** From this step, or in this task, on down. */
  countFrom(branch: Branch): number;
  /** Below this step, or in this task. */
  countBelow(branch: Branch): number;
}

/**
 * A test of nodes, and how many of every branch that is followed pass it, kept up as the tree changes. What changed is
 * counted in what is above it when somebody asks, each branch once for all of it: where a task is one long chain, step by
 * step would cost the square of its length.
 */
export class MatchCounter implements NodeCounter {
  private readonly test: (node: ExplanationNode) => boolean;
  private readonly matching = new Set<Entry>();
  /** From each step, or in each task, on down; absent for none. */
  private readonly counts = new Map<Branch, number>();
  /** What is not counted yet, in the branch where it changed. */
  private readonly changes = new Map<Branch, number>();

  constructor(test: (node: ExplanationNode) => boolean, entries: Iterable<Entry>) {
    this.test = test;
    for (const entry of entries) this.content(entry, true);
  }

  passes(entry: Entry | undefined): boolean {
    return entry !== undefined && this.test(entry.node);
  }

  countFrom(branch: Branch): number {
    this.settle();
    return this.counts.get(branch) ?? 0;
  }

  countBelow(branch: Branch): number {
    const own = isEntry(branch) && this.matching.has(branch) ? 1 : 0;
    return this.countFrom(branch) - own;
  }

  content(entry: Entry, isThere: boolean): void {
    const matches = isThere && this.test(entry.node);
    if (matches === this.matching.has(entry)) return;
    if (matches) this.matching.add(entry);
    else this.matching.delete(entry);
    this.change(entry, matches ? 1 : -1);
  }

  moved(entry: Entry, before: Branch, after: Branch): void {
    // What is not counted yet will be where it hangs by then.
    const count = this.counts.get(entry) ?? 0;
    if (count === 0) return;
    this.change(before, -count);
    this.change(after, count);
  }

  /** It is followed no more, nor what is above it. */
  forget(branch: Branch): void {
    this.counts.delete(branch);
    this.changes.delete(branch);
    if (isEntry(branch)) this.matching.delete(branch);
  }

  private change(branch: Branch, by: number): void {
    this.changes.set(branch, (this.changes.get(branch) ?? 0) + by);
  }

  /** From below to above: a branch follows when all below it that changed are counted. */
  private settle(): void {
    if (this.changes.size === 0) return;
    const below = this.changedBelow();
    const ready = [...below.keys()].filter((branch) => below.get(branch) === 0);
    for (let branch = ready.pop(); branch; branch = ready.pop()) {
      const by = this.changes.get(branch) ?? 0;
      const count = (this.counts.get(branch) ?? 0) + by;
      if (count === 0) this.counts.delete(branch);
      else this.counts.set(branch, count);
      const above = aboveOf(branch);
      if (!above) continue;
      this.change(above, by);
      const left = (below.get(above) ?? 0) - 1;
      below.set(above, left);
      if (left === 0) ready.push(above);
    }
    this.changes.clear();
  }

  /** Everything that changed or is above that, each with how many of these are right below it. */
  private changedBelow(): Map<Branch, number> {
    const below = new Map<Branch, number>();
    for (const branch of this.changes.keys()) {
      if (below.has(branch)) continue;
      below.set(branch, 0);
      for (let at = aboveOf(branch); at; at = aboveOf(at)) {
        const known = below.get(at);
        below.set(at, (known ?? 0) + 1);
        if (known !== undefined) break;
      }
    }
    return below;
  }
}

function aboveOf(branch: Branch): Branch | undefined {
  return isEntry(branch) ? branchOf(branch) : undefined;
}
