import type { GraphChange, LiveGraphology } from '../../client/change-log.ts';
import { buildTaskTree, type TaskTree, type Totals } from './task-tree.ts';

interface Task {
  readonly members: Set<string>;
  /** undefined: to be built anew. */
  tree: TaskTree | undefined;
}

/** The trees of all tasks, kept current; only what changed is built anew. */
export class Forest {
  private readonly graph: LiveGraphology;
  private readonly tasks = new Map<string, Task>();
  private readonly taskOf = new Map<string, string>();
  private sorted: readonly TaskTree[] | undefined;

  constructor(graph: LiveGraphology) {
    this.graph = graph;
    graph.forEachNode((id, { taskId }) => this.place(id, taskId));
  }

  /** To be called after the graph has changed. */
  apply({ nodes, edges }: GraphChange): void {
    this.sorted = undefined;
    for (const { id } of nodes.removed) this.remove(id);
    for (const { id, taskId } of [...nodes.added, ...nodes.changed]) this.place(id, taskId);
    for (const list of [edges.added, edges.changed, edges.removed]) {
      for (const { from, to } of list) {
        this.touch(from);
        this.touch(to);
      }
    }
  }

  /** By their earliest step. */
  get trees(): readonly TaskTree[] {
    this.sorted ??= [...this.tasks]
      .map(([taskId, task]) => (task.tree ??= this.build(taskId, task)))
      .sort((a, b) => (a.first === b.first ? (a.taskId < b.taskId ? -1 : 1) : a.first < b.first ? -1 : 1));
    return this.sorted;
  }

  get totals(): Totals {
    const sum = { nodes: 0, errors: 0, warnings: 0, running: 0 };
    let costUsd: number | undefined;
    for (const { totals } of this.trees) {
      sum.nodes += totals.nodes;
      sum.errors += totals.errors;
      sum.warnings += totals.warnings;
      sum.running += totals.running;
      if (totals.costUsd !== undefined) costUsd = (costUsd ?? 0) + totals.costUsd;
    }
    return { ...sum, costUsd };
  }

  private build(taskId: string, { members }: Task): TaskTree {
    const { graph } = this;
    return buildTaskTree(
      taskId,
      [...members].map((id) => graph.getNodeAttributes(id)),
      (id) => graph.mapInEdges(id, (_, edge) => edge),
    );
  }

  private place(id: string, taskId: string): void {
    if (this.taskOf.get(id) !== taskId) {
      this.remove(id);
      this.taskOf.set(id, taskId);
      const task = this.tasks.get(taskId);
      if (task === undefined) this.tasks.set(taskId, { members: new Set([id]), tree: undefined });
      else task.members.add(id);
    }
    this.touch(id);
  }

  private remove(id: string): void {
    const taskId = this.taskOf.get(id);
    if (taskId === undefined) return;
    this.touch(id);
    this.taskOf.delete(id);
    const task = this.tasks.get(taskId);
    task?.members.delete(id);
    if (task?.members.size === 0) this.tasks.delete(taskId);
  }

  private touch(id: string): void {
    const task = this.tasks.get(this.taskOf.get(id) ?? '');
    if (task !== undefined) task.tree = undefined;
  }
}
