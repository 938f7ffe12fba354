import type { ExplanationEdge, ExplanationNode } from '../../model/node.ts';
import type { ArchivedStep } from './archive.ts';

/** Archived nodes that somebody looks at, with their edges from both ends. */
export class KeptSteps {
  private readonly steps = new Map<string, ArchivedStep>();
  /** Tasks in the order in which the first node of each was added. */
  private readonly tasks = new Map<string, Set<string>>();
  private readonly into = new Map<string, Map<string, ExplanationEdge>>();
  private readonly after = new Map<string, Set<string>>();

  get size(): number {
    return this.steps.size;
  }

  hasTask(taskId: string): boolean {
    return this.tasks.has(taskId);
  }

  taskIds(): Iterable<string> {
    return this.tasks.keys();
  }

  ids(): Iterable<string> {
    return this.steps.keys();
  }

  node(id: string): ExplanationNode | undefined {
    return this.steps.get(id)?.node;
  }

  hasEdgesInto(id: string): boolean {
    return this.into.has(id);
  }

  /** Whether or not what they come from is kept. */
  edgesInto(id: string): Iterable<ExplanationEdge> {
    return this.into.get(id)?.values() ?? [];
  }

  /** The nodes that edges lead to from this one. */
  nextTo(id: string): Iterable<string> {
    return this.after.get(id) ?? [];
  }

  /** Adds a node, or replaces the one of the same id. */
  add(step: ArchivedStep): void {
    const { id, taskId } = step.node;
    this.remove(id);
    this.steps.set(id, step);
    const members = this.tasks.get(taskId);
    if (members) members.add(id);
    else this.tasks.set(taskId, new Set([id]));
    for (const edge of step.edges) {
      const others = this.into.get(edge.to) ?? new Map<string, ExplanationEdge>();
      this.into.set(edge.to, others.set(edge.id, edge));
      this.after.set(edge.from, (this.after.get(edge.from) ?? new Set<string>()).add(edge.to));
    }
  }

  /** @returns the nodes that are kept no more, and those that edges led to from them */
  removeTask(taskId: string): ReadonlySet<string> {
    const touched = new Set<string>();
    for (const id of this.tasks.get(taskId) ?? []) for (const other of this.remove(id)) touched.add(other);
    return touched;
  }

  /** @returns the node, and those that edges led to from it; nothing when it is not kept */
  remove(id: string): readonly string[] {
    const step = this.steps.get(id);
    if (!step) return [];
    const touched = [id, ...this.nextTo(id)];
    this.steps.delete(id);
    const members = this.tasks.get(step.node.taskId);
    if (members?.delete(id) && members.size === 0) this.tasks.delete(step.node.taskId);
    for (const edge of step.edges) if (this.tasksWith(edge).length === 0) this.removeEdge(edge);
    return touched;
  }

  /** The tasks of the kept nodes that had this edge: one for each of its ends that had it. */
  tasksWith({ id, from, to }: ExplanationEdge): string[] {
    const steps = [this.steps.get(from), this.steps.get(to)];
    return steps.flatMap((step) =>
      step?.edges.some((edge) => edge.id === id) === true ? [step.node.taskId] : [],
    );
  }

  private removeEdge({ id, from, to }: ExplanationEdge): void {
    const others = this.into.get(to);
    if (!others?.delete(id)) return;
    if (others.size === 0) this.into.delete(to);
    for (const other of others.values()) if (other.from === from) return;
    const targets = this.after.get(from);
    if (targets?.delete(to) && targets.size === 0) this.after.delete(from);
  }
}
