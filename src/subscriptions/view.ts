import { matches } from '../model/filters.ts';
import type { ExplanationNode, GraphUpdate } from '../model/node.ts';
import { withFollowers } from '../graph/followers.ts';
import type { NodeCounter } from '../pruning/match-counter.ts';
import { ViewComputer, type BegunTask, type Decorate, type TaskView } from './compute-view.ts';
import { difference, type TaskViews } from './diff-view.ts';
import { atOnce, NEVER_OVER, type IsOver, type Work } from '../base/in-turns.ts';
import type { OtherView, ShownView } from './shown-view.ts';
import { ofStructure } from './structure-node.ts';
import type { ViewSource } from './view-source.ts';
import { hidesNodes, specKey, type ViewSpec } from './view-spec.ts';

/**
 * How often what changed while a view was made may be made in turns, too. Beyond it the view might never be finished,
 * and what is left is made at once, as for views that are there.
 */
const MOST_ROUNDS = 20;

/** A view of the graph of this process, brought up to date task by task. */
export class View implements ShownView {
  readonly spec: ViewSpec;
  readonly key: string;
  /** What it is computed from. */
  readonly source: ViewSource;
  readonly notices: readonly string[] = [];
  private readonly decorate: Decorate;
  private readonly tasks: Map<string, TaskView>;
  private tasksItems: number;
  /** From the first task that is computed on: it looks at every node, in a turn of its own. */
  private counter: NodeCounter | undefined;
  private readonly counterKey: string;
  /** Is everything computed? */
  private made = false;
  /** How often a task changed while it was computed. */
  private startedAnew = 0;
  /** Until it is made: the tasks that were not looked at yet. */
  private readonly unseen: Iterator<string>;
  /** Tasks that changed since they were looked at. */
  private readonly changed = new Set<string>();
  /** The task that is being computed. */
  private begun: { readonly taskId: string; readonly task: BegunTask } | undefined;

  constructor(source: ViewSource, spec: ViewSpec, decorate: Decorate, other?: OtherView<View>) {
    this.source = source;
    this.spec = spec;
    this.key = specKey(spec);
    const shown = spec.ui ? decorate : asItIs;
    this.decorate = spec.detail === undefined ? shown : ofStructure(shown);
    const { filters } = spec;
    this.counterKey = specKey(filters);
    this.tasks = new Map(other?.view.tasks);
    this.tasksItems = other?.view.tasksItems ?? 0;
    const { graph } = source;
    const tasks = other ? withFollowers([other.taskId], graph) : (filters.taskIds ?? graph.taskIds());
    this.unseen = tasks[Symbol.iterator]();
  }

  get items(): number {
    return this.tasksItems + (this.begun ? itemsIn(this.begun.task.parts) : 0);
  }

  end(): void {
    if (this.counter) this.source.folds.unwatch(this.counterKey);
  }

  *make(isOver: IsOver, bringUpToDate: () => void): Work<void> {
    for (let round = 1; !this.made; round++) {
      const isTurnOver = (): boolean => round + this.startedAnew <= MOST_ROUNDS && isOver();
      while (!this.advance(isTurnOver)) {
        yield;
        // Another made it meanwhile, and its readers follow: what changed since is to be told to them, by `refresh`.
        if (this.made) return;
      }
      // Only the graph of one moment has both ends of every edge.
      bringUpToDate();
      if (this.changed.size === 0) this.made = true;
    }
  }

  /** These tasks may look different now. */
  note(taskIds: Iterable<string>): void {
    const { taskIds: only } = this.spec.filters;
    for (const taskId of taskIds) {
      if (only && !only.has(taskId)) continue;
      this.changed.add(taskId);
      if (this.begun?.taskId !== taskId) continue;
      this.begun = undefined;
      this.startedAnew++;
    }
  }

  shows(taskId: string): boolean {
    return this.tasks.has(taskId);
  }

  get isStale(): boolean {
    return this.made && this.changed.size > 0;
  }

  refresh(timestamp: string): GraphUpdate | undefined {
    if (!this.isStale) return undefined;
    const computer = this.computer();
    const before = new Map<string, TaskView>();
    const after = new Map<string, TaskView>();
    for (const taskId of this.changed) {
      const held = this.tasks.get(taskId) ?? NO_TASK;
      const view = computer.taskView(taskId, held) ?? NO_TASK;
      before.set(taskId, held);
      after.set(taskId, view);
      this.put(taskId, view);
    }
    this.changed.clear();
    return atOnce(difference(before, after, timestamp, NEVER_OVER));
  }

  copy(): TaskViews {
    return new Map(this.tasks);
  }

  /** Computes tasks until the turn is over: at least something. @returns whether all are computed */
  private advance(isOver: IsOver): boolean {
    const computer = this.computer();
    for (;;) {
      this.begun ??= this.nextTask();
      if (!this.begun) return true;
      const { taskId, task } = this.begun;
      const view = computer.taskView(taskId, this.tasks.get(taskId), task, isOver);
      if (!view) return false;
      this.put(taskId, view);
      this.begun = undefined;
      if (isOver()) return false;
    }
  }

  private nextTask(): { readonly taskId: string; readonly task: BegunTask } | undefined {
    for (const taskId of this.changed) {
      this.changed.delete(taskId);
      return { taskId, task: { parts: new Map() } };
    }
    const { done, value } = this.unseen.next();
    return done === true ? undefined : { taskId: value, task: { parts: new Map() } };
  }

  private computer(): ViewComputer {
    const { filters, collapse } = this.spec;
    if (collapse === 'auto' && hidesNodes(filters))
      this.counter ??= this.source.folds.watch(this.counterKey, (node) => matches(filters, node));
    return new ViewComputer(this.source, this.spec, this.counter, this.decorate);
  }

  private put(taskId: string, view: TaskView): void {
    this.tasksItems += itemsIn(view) - itemsIn(this.tasks.get(taskId) ?? NO_TASK);
    if (view.size === 0) this.tasks.delete(taskId);
    else this.tasks.set(taskId, view);
  }
}

const NO_TASK: TaskView = new Map();

function itemsIn(task: TaskView): number {
  let items = 0;
  for (const { nodes, edges } of task.values()) items += nodes.length + edges.length;
  return items;
}

function asItIs(node: ExplanationNode): ExplanationNode {
  return node;
}
