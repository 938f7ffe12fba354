import { newEntry, newTask, type Branch, type Entry, type TaskTree } from './entry.ts';
import type { FoldLimits, InSight } from './fold.ts';
import { Foldable } from './foldable.ts';
import { MatchCounter } from './match-counter.ts';
import { StepTree, type TreeListener } from './step-tree.ts';
import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';

/**
 * Some tasks of the graph, each a tree of its steps, kept up change by change. Of an edge to or from a task that is
 * not among them only the end that is here is known. What is linked or unlinked again changes nothing.
 */
export class StepForest implements TreeListener {
  readonly entries = new Map<string, Entry>();
  readonly tasks = new Map<string, TaskTree>();
  private readonly tree: StepTree;
  private readonly foldable: Foldable;
  private readonly counters = new Map<string, { readonly counter: MatchCounter; users: number }>();

  /** @param inSight who changes it says so (`lookAgain`) */
  constructor(limits: FoldLimits, inSight: InSight) {
    this.tree = new StepTree(this.entries, this);
    this.foldable = new Foldable(limits, this.entries, inSight);
  }

  addTask(taskId: string): void {
    this.tasks.set(taskId, newTask(taskId));
  }

  /** Forgets a task. Edges from it and into it stay known where they lead to and where they come from. */
  dropTask(task: TaskTree): void {
    this.tasks.delete(task.id);
    const open: Branch[] = [task];
    for (let branch = open.pop(); branch; branch = open.pop()) {
      for (const { counter } of this.counters.values()) counter.forget(branch);
      for (const kid of branch.kids ?? []) {
        this.entries.delete(kid.node.id);
        open.push(kid);
      }
    }
  }

  /** A new node of one of the tasks, joined with nothing. */
  plant(node: ExplanationNode): void {
    const task = this.tasks.get(node.taskId);
    if (!task) return;
    const entry = newEntry(node, task);
    this.entries.set(node.id, entry);
    this.tree.plant(entry);
  }

  /** A node goes, with its edges. @returns the edges */
  uproot(entry: Entry): ExplanationEdge[] {
    const edges = [...entry.ins, ...(entry.extra ?? [])];
    for (const { treeEdge } of entry.kids ?? []) if (treeEdge) edges.push(treeEdge);
    for (const edge of edges) this.unlink(edge);
    this.tree.uproot(entry);
    this.entries.delete(entry.node.id);
    return edges;
  }

  /** Its content changed, not its task. */
  replace(entry: Entry, node: ExplanationNode): void {
    this.tree.replace(entry, node);
  }

  /** Whether a node is to be kept in sight changed. */
  lookAgain(id: string): void {
    const entry = this.entries.get(id);
    if (entry) this.tree.replace(entry, entry.node);
  }

  link(edge: ExplanationEdge): void {
    const [from, to] = this.endsOf(edge);
    if (from && from.task === to?.task) {
      if (to.ins.includes(edge)) return;
      if (!to.foldable) this.foldable.block(from, 1);
      this.tree.link(edge, from, to);
      return;
    }
    if (from && !from.extra?.has(edge)) {
      this.foldable.block(from, 1);
      this.tree.linkOut(edge, from);
    }
    if (to && !to.ins.includes(edge)) this.tree.linkIn(edge, to);
  }

  unlink(edge: ExplanationEdge): void {
    const [from, to] = this.endsOf(edge);
    if (from && from.task === to?.task) {
      if (!to.ins.includes(edge)) return;
      if (!to.foldable) this.foldable.block(from, -1);
      this.tree.unlink(edge, from, to);
      return;
    }
    if (from?.extra?.has(edge)) {
      this.foldable.block(from, -1);
      this.tree.unlinkOut(edge, from);
    }
    if (to?.ins.includes(edge)) this.tree.unlinkIn(edge, to);
  }

  /** Finds out what may be folded, for so long. @returns whether all of it is known */
  settle(isLate: () => boolean): boolean {
    return this.foldable.settle(isLate);
  }

  /** Counts the nodes that pass a test from now on, until `unwatch`. Equal keys stand for equal tests. */
  watch(key: string, test: (node: ExplanationNode) => boolean): MatchCounter {
    let held = this.counters.get(key);
    if (!held) {
      held = { counter: new MatchCounter(test, this.entries.values()), users: 0 };
      this.counters.set(key, held);
    }
    held.users++;
    return held.counter;
  }

  unwatch(key: string): void {
    const held = this.counters.get(key);
    if (held && --held.users <= 0) this.counters.delete(key);
  }

  leaving(entry: Entry): void {
    this.foldable.withdraw(entry);
  }

  changed(entry: Entry): void {
    this.foldable.markStale(entry);
  }

  content(entry: Entry, isThere: boolean): void {
    for (const { counter } of this.counters.values()) counter.content(entry, isThere);
  }

  moved(entry: Entry, before: Branch, after: Branch): void {
    for (const { counter } of this.counters.values()) counter.moved(entry, before, after);
    // What it inherits from above is another matter now.
    this.foldable.markStale(entry);
  }

  private endsOf({ from, to }: ExplanationEdge): readonly [Entry | undefined, Entry | undefined] {
    return [this.entries.get(from), this.entries.get(to)];
  }
}
