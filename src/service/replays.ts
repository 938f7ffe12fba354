import { BoundaryError, invalid } from '../base/boundary-error.ts';
import type { Clock } from '../base/clock.ts';
import { replayedGraph } from '../exporters/otlp/replayed-graph.ts';
import type { RecordConsumer } from '../model/pipeline.ts';
import { isOfTask, replayPrefix, type ReplayStarted } from '../model/replay.ts';
import type { ReaderApi } from '../subscriptions/reader-api.ts';
import { detailOf, taskContent } from '../subscriptions/task-content.ts';
import type { Logger } from '../telemetry/logger.ts';
import { RunningReplay } from './running-replay.ts';
import { replayPlan } from './replay-plan.ts';
import { ReplayRecords } from './replay-records.ts';

export interface ReplaysOptions {
  readonly reader: ReaderApi;
  readonly consumer: RecordConsumer;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** At once: each holds the graph of its task, and is a sender like any other. */
export const MAX_REPLAYS = 8;
/** The graph of so many takes about 20 MiB as long as the replay runs. */
export const MAX_REPLAYED_NODES = 20_000;
/** Nobody watches for longer, and a place is taken meanwhile. */
export const MAX_REPLAY_MS = 24 * 3_600_000;
const MAX_SPEED = 10_000;
/** As long as ids can be. */
const MAX_ID_CHARS = 1000;

/** Tasks that are played again, each into a task of its own. */
export class Replays {
  private readonly options: ReplaysOptions;
  private readonly running = new Map<string, RunningReplay>();
  private readonly beingErased = new Set<string>();
  /** Those that are being read before they begin. */
  private starting = 0;
  private isStopped = false;

  constructor(options: ReplaysOptions) {
    this.options = options;
  }

  /**
   * Resolves when it has begun. `request`: `{ taskId, speed? }`, unchecked.
   * @throws BoundaryError INVALID_ARGUMENT, NOT_FOUND, RESOURCE_EXHAUSTED, UNAVAILABLE
   */
  async start(request: { readonly [key: string]: unknown }): Promise<ReplayStarted> {
    const speed = speedOf(request['speed']);
    if (this.running.size + this.starting >= MAX_REPLAYS)
      throw new BoundaryError(
        'RESOURCE_EXHAUSTED',
        `${MAX_REPLAYS} replays run at this moment: wait until one has ended, or erase its task`,
        { retryAfterMs: 1000 },
      );
    this.starting++;
    try {
      return await this.begin(request['taskId'], speed);
    } finally {
      this.starting--;
    }
  }

  /** Nothing of these tasks, and of what was made of them, is played during the work; what was is over before it. */
  async without<T>(tasks: readonly string[], work: () => Promise<T>): Promise<T> {
    for (const task of tasks) this.beingErased.add(task);
    try {
      const ended = [...this.running.values()].filter(({ taskId, replayOf }) =>
        tasks.some((task) => isOfTask(taskId, task) || isOfTask(replayOf, task)),
      );
      await Promise.all(ended.map((replay) => replay.stop('erased')));
      return await work();
    } finally {
      for (const task of tasks) this.beingErased.delete(task);
    }
  }

  /** Ends all; the steps that have begun are told as abandoned. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all([...this.running.values()].map((replay) => replay.stop('the service stops')));
  }

  /** Resolves when every replay is over. */
  async ended(): Promise<void> {
    await Promise.all([...this.running.values()].map((replay) => replay.over));
  }

  private async begin(task: unknown, speed: number): Promise<ReplayStarted> {
    const { reader, clock } = this.options;
    const { taskId: replayOf, graph } = await taskContent(reader, task);
    if (graph.nodes.length > MAX_REPLAYED_NODES)
      throw invalid(
        `taskId: it has ${graph.nodes.length} nodes, and at most ${MAX_REPLAYED_NODES} can be played`,
      );
    const plan = replayPlan(graph.nodes, speed);
    if (plan.durationMs > MAX_REPLAY_MS)
      throw invalid(
        `speed: this would take longer than a day; take ${Math.ceil((1000 * speed * plan.durationMs) / MAX_REPLAY_MS) / 1000} or more`,
      );
    const numbers = await this.numbersOf(replayOf);
    // From here to the end nothing is waited for, so no other replay takes the same number.
    this.assertMay(replayOf);
    const taskId = replayPrefix(replayOf) + (1 + Math.max(0, ...numbers, ...this.runningNumbers(replayOf)));
    if (taskId.length > MAX_ID_CHARS) throw invalid('taskId: too long for the id of a replay beside it');
    // The steps keep their lengths, so they are shown as if they had ended when the replay ends.
    const shiftMs = clock.now() + plan.durationMs - plan.recordedEndMs;
    const replayed = replayedGraph(graph, { taskId, shiftMs });
    const records = new ReplayRecords(replayed, (id) => detailOf(reader, id));
    const replay = new RunningReplay({ ...this.options, taskId, replayOf, plan, records });
    this.running.set(taskId, replay);
    void replay.over.finally(() => this.running.delete(taskId));
    return { taskId, replayOf, speed, steps: graph.nodes.length, durationMs: Math.ceil(plan.durationMs) };
  }

  /** @throws BoundaryError when the service stops, or the task is being erased */
  private assertMay(taskId: string): void {
    if (this.isStopped) throw new BoundaryError('UNAVAILABLE', 'the service is shutting down');
    if ([...this.beingErased].some((erased) => isOfTask(taskId, erased)))
      throw new BoundaryError('NOT_FOUND', 'taskId: no task with this id is known');
  }

  /** Of the replays of a task that are there. */
  private async numbersOf(taskId: string): Promise<readonly number[]> {
    const prefix = replayPrefix(taskId);
    const { tasks } = await this.options.reader.listTasks({
      text: prefix.slice(0, MAX_ID_CHARS),
      limit: 1000,
    });
    return numbersIn(
      tasks.map((task) => task.taskId),
      prefix,
    );
  }

  private runningNumbers(taskId: string): readonly number[] {
    return numbersIn([...this.running.keys()], replayPrefix(taskId));
  }
}

function numbersIn(ids: readonly string[], prefix: string): readonly number[] {
  return ids
    .filter((id) => id.startsWith(prefix) && /^\d{1,9}$/.test(id.slice(prefix.length)))
    .map((id) => Number(id.slice(prefix.length)));
}

/** @throws BoundaryError INVALID_ARGUMENT */
function speedOf(value: unknown = 0): number {
  if (typeof value === 'number' && value >= 0 && value <= MAX_SPEED) return value;
  throw invalid(`speed: a number from 0 to ${MAX_SPEED}: 1 as recorded, 10 ten times as fast, 0 at once`);
}
