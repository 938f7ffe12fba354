import type { ExplanationEdge, ExplanationGraph, ExplanationNode, GraphUpdate } from '../model/node.ts';
import { ViewComputer, type TaskView, type ViewSource } from './compute-view.ts';
import { UpdateBuilder } from './diff-view.ts';
import { specKey, type ViewSpec } from './view-spec.ts';

/** Adds what a reader asked to have included; the same object for the same node, so that nodes compare by identity. */
export type Decorate = (node: ExplanationNode) => ExplanationNode;

/** The state of what one or more readers with the same spec see, brought up to date task by task. */
export class View {
  readonly spec: ViewSpec;
  readonly key: string;
  private readonly source: ViewSource;
  private readonly decorate: Decorate | undefined;
  private readonly tasks = new Map<string, TaskView>();

  constructor(source: ViewSource, spec: ViewSpec, decorate: Decorate) {
    this.source = source;
    this.spec = spec;
    this.key = specKey(spec);
    this.decorate = spec.ui ? decorate : undefined;
    const computer = new ViewComputer(source, spec);
    for (const taskId of source.graph.taskIds()) this.put(taskId, this.compute(computer, taskId));
  }

  /** @returns what changed in the tasks named, or undefined */
  refresh(taskIds: Iterable<string>, timestamp: string): GraphUpdate | undefined {
    const computer = new ViewComputer(this.source, this.spec);
    const update = new UpdateBuilder();
    for (const taskId of taskIds) {
      const after = this.compute(computer, taskId);
      update.addTask(this.tasks.get(taskId), after);
      this.put(taskId, after);
    }
    return update.build(timestamp);
  }

  /** What a reader of this view needs in order to see the other one. */
  differenceTo(other: View, timestamp: string): GraphUpdate | undefined {
    const update = new UpdateBuilder();
    for (const taskId of new Set([...this.tasks.keys(), ...other.tasks.keys()])) {
      update.addTask(this.tasks.get(taskId), other.tasks.get(taskId));
    }
    return update.build(timestamp);
  }

  graph(lastUpdated: string): ExplanationGraph {
    const nodes: ExplanationNode[] = [];
    const edges: ExplanationEdge[] = [];
    for (const task of this.tasks.values()) {
      for (const node of task.nodes.values()) nodes.push(node);
      for (const edge of task.edges.values()) edges.push(edge);
    }
    nodes.sort((a, b) => compare(a.timestamp, b.timestamp) || compare(a.id, b.id));
    edges.sort((a, b) => compare(a.id, b.id));
    return { nodes, edges, lastUpdated };
  }

  private compute(computer: ViewComputer, taskId: string): TaskView {
    const view = computer.taskView(taskId);
    const { decorate } = this;
    if (!decorate) return view;
    return { nodes: new Map([...view.nodes].map(([id, node]) => [id, decorate(node)])), edges: view.edges };
  }

  private put(taskId: string, view: TaskView): void {
    if (view.nodes.size === 0) this.tasks.delete(taskId);
    else this.tasks.set(taskId, view);
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
