import { countOf, listOf, minus, plus } from '../base/multimap.ts';
import { orderedParts, orderedSteps, type NodeEntry, type RootsOfTask } from './node-entry.ts';
import type { Tracker } from './tracker.ts';

/** Of a task with more roots than this none is led to another: whenever an earlier one comes, all edges are others. */
const MAX_ROOTS = 2_000;

/**
 * The roots of each task: nodes that nothing is above. One task may be told by several protocols, each with roots of its
 * own; where one of them is such that it may (`StepFacts.joinsTask`), the first root of the task leads to all others.
 */
export class TaskRoots {
  private readonly tasks = new Map<string, RootsOfTask>();
  private readonly tracker: Tracker;

  constructor(tracker: Tracker) {
    this.tracker = tracker;
  }

  /** The root that leads to this one. */
  before(root: NodeEntry): NodeEntry | undefined {
    const task = root.rootOf;
    if (!task) return undefined;
    this.tracker.read(task);
    if (task.joining === undefined || task.first === root || countOf(task.roots) > MAX_ROOTS)
      return undefined;
    return task.first;
  }

  /** Takes note of what a node is now. @param isRoot with the task that it has */
  place(entry: NodeEntry, isRoot: boolean): void {
    if (entry.rootOf && (!isRoot || entry.rootOf.taskId !== entry.taskId)) this.remove(entry);
    if (!isRoot) return;
    const task = entry.rootOf ?? this.taskOf(entry.taskId);
    const wasOver = countOf(task.roots) > MAX_ROOTS;
    const before = { first: task.first, isJoined: task.joining !== undefined };
    entry.rootOf = task;
    task.roots = plus(task.roots, entry);
    task.joining = joins(entry) ? plus(task.joining, entry) : minus(task.joining, entry);
    const start = startOf(entry);
    if (task.first === entry && start > task.firstStart) findFirst(task);
    else if (isEarlier(start, entry, task)) setFirst(task, entry, start);
    this.tell(task, before, wasOver);
  }

  remove(entry: NodeEntry): void {
    const task = entry.rootOf;
    if (!task) return;
    entry.rootOf = undefined;
    const wasOver = countOf(task.roots) > MAX_ROOTS;
    const before = { first: task.first, isJoined: task.joining !== undefined };
    task.roots = minus(task.roots, entry);
    task.joining = minus(task.joining, entry);
    if (task.first === entry) findFirst(task);
    this.tell(task, before, wasOver);
    if (task.roots === undefined) this.tasks.delete(task.taskId);
  }

  /** Told only where it makes a difference: a root that comes to a task without such protocols concerns nobody. */
  private tell(
    task: RootsOfTask,
    before: { readonly first: NodeEntry | undefined; readonly isJoined: boolean },
    wasOver: boolean,
  ): void {
    const isJoined = task.joining !== undefined;
    const isOther =
      isJoined !== before.isJoined ||
      (isJoined && (task.first !== before.first || wasOver !== countOf(task.roots) > MAX_ROOTS));
    if (isOther) this.tracker.changed(task);
  }

  private taskOf(taskId: string): RootsOfTask {
    const known = this.tasks.get(taskId);
    if (known) return known;
    const task: RootsOfTask = {
      taskId,
      roots: undefined,
      joining: undefined,
      first: undefined,
      firstStart: Infinity,
      dependents: undefined,
    };
    this.tasks.set(taskId, task);
    return task;
  }
}

/** Is one led to the others? */
export function isJoined(task: RootsOfTask): boolean {
  return task.joining !== undefined;
}

function joins({ steps }: NodeEntry): boolean {
  return steps.some(({ facts }) => facts.step.joinsTask === true);
}

function startOf(entry: NodeEntry): number {
  if (entry.event) return entry.event.time;
  const [first] = orderedSteps(entry);
  if (first) return first.facts.start;
  return Math.min(...orderedParts(entry.request).map((part) => part.first));
}

function isEarlier(start: number, { id }: NodeEntry, { first, firstStart }: RootsOfTask): boolean {
  if (first === undefined || start < firstStart) return true;
  return start === firstStart && id < first.id;
}

function setFirst(task: RootsOfTask, first: NodeEntry, start: number): void {
  task.first = first;
  task.firstStart = start;
}

function findFirst(task: RootsOfTask): void {
  task.first = undefined;
  task.firstStart = Infinity;
  for (const root of listOf(task.roots)) {
    const start = startOf(root);
    if (isEarlier(start, root, task)) setFirst(task, root, start);
  }
}
