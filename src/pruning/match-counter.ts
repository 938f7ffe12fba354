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
 * A test of nodes, and how many of every branch that is followed pass it, kept up as the tree changes: each change
 * costs as much as it is deep.
 */
export class MatchCounter implements NodeCounter {
  private readonly test: (node: ExplanationNode) => boolean;
  private readonly matching = new Set<Entry>();
  /** From each step, or in each task, on down; absent for none. */
  private readonly counts = new Map<Branch, number>();

  constructor(test: (node: ExplanationNode) => boolean, entries: Iterable<Entry>) {
    this.test = test;
    for (const entry of entries) this.content(entry, true);
  }

  passes(entry: Entry | undefined): boolean {
    return entry !== undefined && this.test(entry.node);
  }

  countFrom(branch: Branch): number {
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
    this.addUp(entry, matches ? 1 : -1);
  }

  moved(entry: Entry, before: Branch, after: Branch): void {
    const count = this.countFrom(entry);
    if (count === 0) return;
    this.addUp(before, -count);
    this.addUp(after, count);
  }

  /** It is followed no more, nor what is above it. */
  forget(branch: Branch): void {
    this.counts.delete(branch);
    if (isEntry(branch)) this.matching.delete(branch);
  }

  private addUp(start: Branch, by: number): void {
    let at: Branch | undefined = start;
    while (at) {
      const count = this.countFrom(at) + by;
      if (count === 0) this.counts.delete(at);
      else this.counts.set(at, count);
      at = isEntry(at) ? branchOf(at) : undefined;
    }
  }
}
