import type { ExplanationEdge, ExplanationNode } from '../../model/node.ts';
import type { ArchivedStep } from './archive.ts';

/** An edge, and which of its ends are kept that had it. */
interface KeptEdge {
  edge: ExplanationEdge;
  byFrom: boolean;
  byTo: boolean;
}

/** Archived nodes that somebody looks at, with their edges from both ends. */
export class KeptSteps {
  private readonly steps = new Map<string, ArchivedStep>();
  /** Tasks in the order in which the first node of each was added. */
  private readonly tasks = new Map<string, Set<string>>();
  private readonly into = new Map<string, Map<string, KeptEdge>>();
  /** How many edges lead from a node to each other one. */
  private readonly after = new Map<string, Map<string, number>>();

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
  *edgesInto(id: string): Iterable<ExplanationEdge> {
    for (const { edge } of this.into.get(id)?.values() ?? []) yield edge;
  }

  /** The nodes that edges lead to from this one. */
  nextTo(id: string): Iterable<string> {
    return this.after.get(id)?.keys() ?? [];
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
      const kept = this.keptEdge(edge);
      kept.edge = edge;
      kept.byFrom ||= edge.from === id;
      kept.byTo ||= edge.to === id;
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
    for (const edge of step.edges) {
      const kept = this.into.get(edge.to)?.get(edge.id);
      if (!kept) continue;
      kept.byFrom &&= edge.from !== id;
      kept.byTo &&= edge.to !== id;
      if (!kept.byFrom && !kept.byTo) this.removeEdge(edge);
    }
    return touched;
  }

  /** The tasks of the kept nodes that had this edge: one for each of its ends that had it. */
  tasksWith({ id, from, to }: ExplanationEdge): string[] {
    const kept = this.into.get(to)?.get(id);
    const steps = [kept?.byFrom === true && this.steps.get(from), kept?.byTo === true && this.steps.get(to)];
    return steps.flatMap((step) => (step ? [step.node.taskId] : []));
  }

  private keptEdge(edge: ExplanationEdge): KeptEdge {
    const others = this.into.get(edge.to) ?? new Map<string, KeptEdge>();
    this.into.set(edge.to, others);
    const held = others.get(edge.id);
    if (held) return held;
    const kept: KeptEdge = { edge, byFrom: false, byTo: false };
    others.set(edge.id, kept);
    const after = this.after.get(edge.from) ?? new Map<string, number>();
    this.after.set(edge.from, after.set(edge.to, (after.get(edge.to) ?? 0) + 1));
    return kept;
  }

  private removeEdge({ id, from, to }: ExplanationEdge): void {
    const others = this.into.get(to);
    others?.delete(id);
    if (others?.size === 0) this.into.delete(to);
    const after = this.after.get(from);
    const count = (after?.get(to) ?? 0) - 1;
    if (count > 0) after?.set(to, count);
    else after?.delete(to);
    if (after?.size === 0) this.after.delete(from);
  }
}
