import type { Clock, Timer } from '../base/clock.ts';
import { inTurns, seldom, type Work } from '../base/in-turns.ts';
import type { Turns } from '../base/pace.ts';
import { TokenBucket } from '../base/token-bucket.ts';
import type { ChangeLog } from '../graph/change-log.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { ExplanationNode } from '../model/node.ts';
import { CoolDowns, type Reason } from './cool-downs.ts';
import { exceeded, reachedAt, type Exceeded } from './exceeded.ts';
import { fitsAny, type Guard } from './guard.ts';
import { guardedStep, type GuardedStep } from './guarded-step.ts';
import { GuardedTask } from './guarded-task.ts';
import type { Scope } from './scope.ts';
import { stepsToBlame } from './to-blame.ts';

/** A guard has something to say. */
export interface Firing extends Reason, Exceeded {
  readonly by: Guard;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The step by which the limit was reached. */
  readonly step: ExplanationNode | undefined;
  /** Of what it looks at, steps that run: whom to ask to stop, the likeliest first. */
  readonly running: readonly ExplanationNode[];
}

export interface GuardsOptions {
  readonly guards: readonly Guard[];
  readonly graph: GraphReader;
  readonly clock: Clock;
  readonly turns: Turns;
  /** What is counted of a node: undefined for one that is no step of an agent here. */
  readonly stepOf: (node: ExplanationNode) => { readonly said: string | undefined } | undefined;
  /** What a node says of an earlier firing. */
  readonly firingIn: (node: ExplanationNode) => (Reason & { readonly at: number }) | undefined;
  /** What began or ended longer ago, by its sender's clock, is history when it comes. */
  readonly freshMs: number;
  readonly onFired: (firing: Firing) => void;
  /** Of one guard; `FIRINGS_A_MINUTE` if absent. */
  readonly firingsAMinute?: number;
}

/** Changes are looked at together: nobody runs so far away in that time, and a step changes several times as it comes. */
export const LOOK_EVERY_MS = 200;
/**
 * So many steps are followed at once, with some 300 bytes each: twice what memory holds by default. Of more, the tasks that
 * changed longest ago are let go, and taken up again from the graph with their next change.
 */
const MAX_STEPS = 200_000;
/** Of one guard in a minute, in all and those that ask somebody to stop. What is more fires later, if it is still so. */
const FIRINGS_A_MINUTE = 60;
const INTERRUPTS_A_MINUTE = 10;
const MINUTE_MS = 60_000;
const AGAIN_MS = MINUTE_MS / INTERRUPTS_A_MINUTE;
/** Timers take no more than some weeks. */
const LONGEST_TIMER_MS = 3_600_000;

const NONE: ReadonlySet<string> = new Set();

/** A step before it changed. */
interface Seen {
  readonly task: GuardedTask;
  readonly step: GuardedStep;
}

/** Follows the graph for the tasks that guards name, and says which guards fire. */
export class Guards {
  private readonly options: GuardsOptions;
  /** The one that changed longest ago first. */
  private readonly tasks = new Map<string, GuardedTask>();
  /** Where each step was seen last. */
  private readonly homes = new Map<string, GuardedTask>();
  /** Those that have to be judged at some time though nothing comes. */
  private readonly due = new Set<GuardedTask>();
  private readonly coolDowns = new CoolDowns();
  private readonly paces: ReadonlyMap<Guard, { readonly all: TokenBucket; readonly interrupts: TokenBucket }>;
  /** Nodes, and steps below others, that changed since the last look. */
  private changed = new Set<string>();
  private moved = new Set<string>();
  private readonly deepest: number;
  private timer: Timer | undefined;
  private timerAt = Infinity;
  private isLooking = false;
  private isStopped = false;

  constructor(options: GuardsOptions) {
    this.options = options;
    const { guards, clock, firingsAMinute = FIRINGS_A_MINUTE } = options;
    this.deepest = Math.max(
      0,
      ...guards.flatMap(({ limits: { depth = 0, handovers = 0 } }) => [depth, handovers]),
    );
    this.paces = new Map(
      guards.map((guard) => [
        guard,
        {
          all: new TokenBucket(firingsAMinute, MINUTE_MS, clock),
          interrupts: new TokenBucket(INTERRUPTS_A_MINUTE, MINUTE_MS, clock),
        },
      ]),
    );
  }

  /** Takes up what runs in the graph as it was restored; what was over then stays over. */
  start(): void {
    const { graph } = this.options;
    for (const taskId of graph.taskIds()) {
      if (this.guardsOf(taskId).length === 0) continue;
      const ids = [...graph.nodesOfTask(taskId)];
      if (ids.some((id) => graph.node(id)?.state === 'RUNNING')) this.takeUp(taskId);
    }
    this.lookIn(LOOK_EVERY_MS);
  }

  stop(): void {
    this.isStopped = true;
    this.timer?.cancel();
  }

  /** These tasks were erased: nothing is remembered of them. */
  forget(tasks: readonly string[]): void {
    for (const taskId of tasks) this.coolDowns.forget(taskId);
  }

  /** The graph has changed. */
  follow({ tasks, nodes, added, removed }: ChangeLog): void {
    if (this.isStopped) return;
    let isGuarded = false;
    for (const taskId of tasks) isGuarded = this.taskOf(taskId) !== undefined || isGuarded;
    if (!isGuarded) return;
    for (const id of nodes) this.changed.add(id);
    if (this.deepest > 0)
      for (const edges of [added, removed])
        for (const edge of edges.values()) if (edge.evidence === 'parentSpanId') this.moved.add(edge.to);
    this.lookIn(LOOK_EVERY_MS);
  }

  private guardsOf(taskId: string): readonly Guard[] {
    return this.options.guards.filter(({ tasks }) => fitsAny(tasks, taskId));
  }

  /** Undefined for a task that no guard names, and takes nothing. */
  private taskOf(taskId: string): GuardedTask | undefined {
    return this.tasks.get(taskId) ?? this.takeUp(taskId);
  }

  private takeUp(taskId: string): GuardedTask | undefined {
    const guards = this.guardsOf(taskId);
    if (guards.length === 0) return undefined;
    const task = new GuardedTask(taskId, guards);
    this.tasks.set(taskId, task);
    for (const id of this.options.graph.nodesOfTask(taskId)) this.changed.add(id);
    return task;
  }

  private lookIn(ms: number): void {
    if (this.isLooking || this.isStopped) return;
    const { clock, turns } = this.options;
    const at = clock.now() + ms;
    if (this.timer && this.timerAt <= at) return;
    this.timer?.cancel();
    this.timerAt = at;
    this.timer = clock.after(ms, () => {
      this.timer = undefined;
      this.isLooking = true;
      void inTurns(this.look(), turns, () => !this.isStopped);
    });
  }

  /** Follows what changed, in as many turns as it takes, and judges the tasks of which something came, or is due. */
  private *look(): Work<void> {
    const { clock, graph, turns } = this.options;
    const isOver = seldom(() => turns.isOver);
    const { changed, moved } = this;
    this.changed = new Set();
    this.moved = new Set();
    const before = new Map<string, Seen>();
    for (const id of changed) {
      this.takeOut(id, before, moved);
      if (isOver()) yield;
    }
    const news = new Set<GuardedTask>();
    const touched = new Set(Array.from(before.values(), ({ task }) => task));
    for (const id of changed) {
      const found = this.putIn(id, before.get(id), moved);
      if (found) touched.add(found.task);
      if (found?.isNews === true) news.add(found.task);
      if (isOver()) yield;
    }
    for (const id of this.deepest > 0 ? moved : NONE) {
      this.homes.get(id)?.place(new Set([id]), graph, this.deepest);
      if (isOver()) yield;
    }
    for (const task of touched) {
      task.looked();
      if (task.steps.size === 0) this.drop(task);
      // Of what is over only news counts: somebody may look at it, or erase a part.
      else if (task.isLive && (news.has(task) || task.runs)) this.judge(task, true);
      if (isOver()) yield;
    }
    for (const task of this.due) {
      if (task.dueAt <= clock.now()) this.judge(task, false);
      if (isOver()) yield;
    }
    this.makeRoom();
    this.isLooking = false;
    this.lookAgain();
  }

  private lookAgain(): void {
    if (this.changed.size + this.moved.size > 0) return this.lookIn(LOOK_EVERY_MS);
    let dueAt = Infinity;
    for (const task of this.due) dueAt = Math.min(dueAt, task.dueAt);
    const inMs = dueAt - this.options.clock.now();
    if (dueAt < Infinity) this.lookIn(Math.min(Math.max(LOOK_EVERY_MS, inMs), LONGEST_TIMER_MS));
  }

  private takeOut(id: string, before: Map<string, Seen>, moved: Set<string>): void {
    const task = this.homes.get(id);
    const step = task?.steps.get(id);
    // Of a task that was taken up there may be some already.
    const node = this.options.graph.node(id);
    if (!task || !step || step.node === node) return;
    if (node?.taskId !== task.id || node.agent !== step.node.agent) this.below(id, moved);
    before.set(id, { task, step });
    task.delete(step);
    this.homes.delete(id);
  }

  private putIn(
    id: string,
    before: Seen | undefined,
    moved: Set<string>,
  ): { readonly task: GuardedTask; readonly isNews: boolean } | undefined {
    const { graph, clock, stepOf, firingIn, freshMs } = this.options;
    const node = graph.node(id);
    if (!node || this.homes.has(id)) return undefined;
    const fired = firingIn(node);
    // The clock may have been ahead when it was recorded.
    if (fired) this.coolDowns.fired(fired, Math.min(fired.at, clock.now()));
    const counted = stepOf(node);
    const task = counted && this.taskOf(node.taskId);
    if (!task) return undefined;
    const step = guardedStep(node, counted.said);
    if (before?.task === task) [step.depth, step.handovers] = [before.step.depth, before.step.handovers];
    const now = clock.now();
    const isFresh = step.end > now - freshMs;
    // A step that began long ago may go on saying things.
    const isNews = isFresh || (before?.task === task && node.state === 'RUNNING');
    task.add(step, isNews ? now : step.end);
    task.isLive ||= isFresh;
    this.homes.set(id, task);
    this.tasks.delete(task.id);
    this.tasks.set(task.id, task);
    moved.add(id);
    if (before?.task !== task) this.below(id, moved);
    return { task, isNews };
  }

  /** What lies directly below a step may lie elsewhere from now on. */
  private below(id: string, moved: Set<string>): void {
    for (const edge of this.options.graph.outEdges(id))
      if (edge.evidence === 'parentSpanId') moved.add(edge.to);
  }

  /** @param hasChanged else time has passed, which matters for what runs alone */
  private judge(task: GuardedTask, hasChanged: boolean): void {
    const now = this.options.clock.now();
    let dueAt = Infinity;
    for (const { guard, scope } of task.judged()) {
      if (!hasChanged && scope.running === 0) continue;
      dueAt = Math.min(dueAt, reachedAt(guard.limits, scope, now));
      for (const over of exceeded(guard.limits, scope, now)) {
        const againAt = this.fire(guard, scope, task.id, over, now);
        if (scope.running > 0) dueAt = Math.min(dueAt, againAt);
      }
    }
    task.dueAt = dueAt;
    if (dueAt < Infinity) this.due.add(task);
    else this.due.delete(task);
  }

  /** @returns when it may fire for the same again */
  private fire(guard: Guard, scope: Scope, taskId: string, over: Exceeded, now: number): number {
    const { agent } = scope;
    const reason: Reason = { guard: guard.name, taskId, agent, limit: over.limit };
    const until = this.coolDowns.until(reason, guard, now);
    if (until > now) return until;
    const pace = this.paces.get(guard);
    if (isInterrupting(guard) && pace?.interrupts.take() !== true) return now + AGAIN_MS;
    if (pace?.all.take() !== true) return now + AGAIN_MS;
    this.coolDowns.fired(reason, now);
    this.options.onFired({ ...reason, ...over, by: guard, at: now, ...stepsToBlame(scope, over.limit) });
    return now + guard.coolDownSeconds * 1000;
  }

  private makeRoom(): void {
    for (const task of this.tasks.values()) {
      if (this.homes.size <= MAX_STEPS || this.tasks.size === 1) return;
      this.drop(task);
    }
  }

  private drop(task: GuardedTask): void {
    for (const id of task.steps.keys()) this.homes.delete(id);
    this.tasks.delete(task.id);
    this.due.delete(task);
  }
}

/** Does it have somebody stopped, rather than say that it would? */
export function isInterrupting({ action, dryRun }: Guard): boolean {
  return action === 'interrupt' && !dryRun;
}
