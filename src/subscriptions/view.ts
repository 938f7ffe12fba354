import type { ExplanationEdge, ExplanationGraph, ExplanationNode, GraphUpdate } from '../model/node.ts';
import { withFollowers } from '../graph/followers.ts';
import type { MatchCounter } from '../pruning/match-counter.ts';
import { ViewComputer, type TaskView, type ViewSource } from './compute-view.ts';
import { UpdateBuilder } from './diff-view.ts';
import { hidesNodes, matches, specKey, type ViewSpec } from './view-spec.ts';

/** Adds what a reader asked to have included; the same object for the same node, so that nodes compare by identity. */
export type Decorate = (node: ExplanationNode) => ExplanationNode;

/** The state of what one or more readers with the same spec see, brought up to date task by task. */
export class View {
  readonly spec: ViewSpec;
  readonly key: string;
  private readonly source: ViewSource;
  private readonly decorate: Decorate | undefined;
  private readonly tasks: Map<string, TaskView>;
  private readonly counter: MatchCounter | undefined;
  private readonly counterKey: string;

  /** @param other a view that is up to date and differs in what is open of one task only: `taskId` */
  constructor(
    source: ViewSource,
    spec: ViewSpec,
    decorate: Decorate,
    other?: { readonly view: View; readonly taskId: string },
  ) {
    this.source = source;
    this.spec = spec;
    this.key = specKey(spec);
    this.decorate = spec.ui ? decorate : undefined;
    const { filters, collapse } = spec;
    this.counterKey = specKey(filters);
    if (collapse === 'auto' && hidesNodes(filters)) {
      this.counter = source.folds.watch(this.counterKey, (node) => matches(filters, node));
    }
    this.tasks = new Map(other?.view.tasks);
    const { graph } = source;
    const computer = new ViewComputer(source, spec, this.counter);
    for (const taskId of other ? withFollowers([other.taskId], graph) : graph.taskIds()) {
      this.put(taskId, this.compute(computer, taskId));
    }
  }

  /** Nobody looks at it any more. */
  end(): void {
    if (this.counter) this.source.folds.unwatch(this.counterKey);
  }

  /** @returns what changed in the tasks named, or undefined */
  refresh(taskIds: Iterable<string>, timestamp: string): GraphUpdate | undefined {
    const computer = new ViewComputer(this.source, this.spec, this.counter);
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
      const [before, after] = [this.tasks.get(taskId), other.tasks.get(taskId)];
      if (before !== after) update.addTask(before, after);
    }
    return update.build(timestamp);
  }

  graph(lastUpdated: string): ExplanationGraph {
    const nodes: ExplanationNode[] = [];
    const edges: ExplanationEdge[] = [];
    for (const task of this.tasks.values()) {
      for (const part of task.values()) {
        for (const node of part.nodes.values()) nodes.push(node);
        for (const edge of part.edges.values()) edges.push(edge);
      }
    }
    nodes.sort((a, b) => compare(a.timestamp, b.timestamp) || compare(a.id, b.id));
    edges.sort((a, b) => compare(a.id, b.id));
    return { nodes, edges, lastUpdated };
  }

  private compute(computer: ViewComputer, taskId: string): TaskView {
    const before = this.tasks.get(taskId);
    const view = computer.taskView(taskId, before);
    const { decorate } = this;
    if (!decorate) return view;
    return new Map(
      [...view].map(([id, part]) => {
        if (before?.get(id) === part) return [id, part];
        const nodes = new Map([...part.nodes].map(([nodeId, node]) => [nodeId, decorate(node)]));
        return [id, { ...part, nodes }];
      }),
    );
  }

  private put(taskId: string, view: TaskView): void {
    if (view.size === 0) this.tasks.delete(taskId);
    else this.tasks.set(taskId, view);
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
