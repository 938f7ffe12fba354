import { countOf, listOf, minus, plus } from '../base/multimap.ts';
import { firstOf, orderedSteps, type NodeEntry, type RootsOfTask } from './node-entry.ts';
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
    return task.first === root ? undefined : task.first;
  }

  /** Takes note of what a node is now. @param isRoot with the task that it has */
  place(entry: NodeEntry, isRoot: boolean): void {
    if (entry.rootOf && (!isRoot || entry.rootOf.taskId !== entry.taskId)) this.remove(entry);
    if (!isRoot) return;
    const task = entry.rootOf ?? this.taskOf(entry.taskId);
    entry.rootOf = task;
    task.roots = plus(task.roots, entry);
    task.joining = joins(entry) ? plus(task.joining, entry) : minus(task.joining, entry);
    this.follow(task, entry);
  }

  remove(entry: NodeEntry): void {
    const task = entry.rootOf;
    if (!task) return;
    entry.rootOf = undefined;
    task.roots = minus(task.roots, entry);
    task.joining = minus(task.joining, entry);
    this.follow(task, undefined);
    if (task.roots === undefined) this.tasks.delete(task.taskId);
  }

  /** Looks for the first root only where it leads to others: of a large task roots leave memory one after the other. */
  private follow(task: RootsOfTask, placed: NodeEntry | undefined): void {
    const before = task.first;
    if (!isJoined(task) || countOf(task.roots) > MAX_ROOTS) setFirst(task, undefined);
    else if (before?.rootOf !== task || (before === placed && startOf(before) > task.firstStart))
      findFirst(task);
    else if (placed && isEarlier(startOf(placed), placed, task)) setFirst(task, placed);
    if (task.first !== before) this.tracker.changed(task);
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
  return firstOf(entry.request?.parts.values() ?? []);
}

function isEarlier(start: number, { id }: NodeEntry, { first, firstStart }: RootsOfTask): boolean {
  if (first === undefined || start < firstStart) return true;
  return start === firstStart && id < first.id;
}

function setFirst(task: RootsOfTask, first: NodeEntry | undefined): void {
  task.first = first;
  task.firstStart = first ? startOf(first) : Infinity;
}

function findFirst(task: RootsOfTask): void {
  setFirst(task, undefined);
  for (const root of listOf(task.roots)) if (isEarlier(startOf(root), root, task)) setFirst(task, root);
}
