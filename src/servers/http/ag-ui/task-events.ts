import { BoundaryError } from '../../../base/boundary-error.ts';
import type { Clock } from '../../../base/clock.ts';
import { wholeInTurns } from '../../../base/in-turns.ts';
import type { Turns } from '../../../base/pace.ts';
import type { TaskEvent } from '../../../exporters/ag-ui/events.ts';
import { TaskRun, type RunIds } from '../../../exporters/ag-ui/task-run.ts';
import type { StepTexts } from '../../../model/facts.ts';
import type { ReaderApi } from '../../../subscriptions/reader-api.ts';
import { detailOf } from '../../../subscriptions/task-content.ts';
import { TaskChanges, type TaskChange } from './task-changes.ts';
import { isPast, patienceWith } from './task-end.ts';

export interface TaskEventsOptions {
  readonly reader: ReaderApi;
  readonly clock: Clock;
  readonly pace: Turns;
}

/** The events of one task: what is there, then what comes, until it is over. */
export class TaskEvents {
  private readonly options: TaskEventsOptions;
  private readonly changes: TaskChanges;
  private readonly run: TaskRun;
  private hasBegun = false;
  private isWanted = true;
  private failure: BoundaryError | undefined;
  private rested = 0;

  /** @throws BoundaryError INVALID_ARGUMENT, RESOURCE_EXHAUSTED */
  constructor(ids: RunIds, options: TaskEventsOptions) {
    this.options = options;
    this.run = new TaskRun(ids);
    this.changes = new TaskChanges(options.reader, options.clock, ids.threadId);
  }

  /** Nobody wants more: all work for it ends. */
  end(): void {
    this.isWanted = false;
    this.changes.end();
  }

  /** The run breaks off, and its reader is told why. */
  close(reason: string): void {
    this.failure ??= new BoundaryError('UNAVAILABLE', reason);
    this.changes.close(reason);
  }

  /**
   * In lists, as they come.
   * @throws BoundaryError NOT_FOUND before the first, when nothing of the task is known
   */
  async *events(): AsyncGenerator<readonly TaskEvent[], void> {
    const { run } = this;
    try {
      yield* this.untilOver();
      if (!this.isWanted) return;
      const end = await wholeInTurns(run.sumUp(this.isTurnOver), this.options.pace);
      yield run.finish(end);
    } catch (error) {
      if (!this.hasBegun) throw error;
      const { code, message } = BoundaryError.from(error);
      yield run.breakOff(code.toLowerCase(), message);
    } finally {
      this.end();
    }
  }

  private async *untilOver(): AsyncGenerator<readonly TaskEvent[], void> {
    const { run, changes, options } = this;
    for (let isFirst = true; this.isWanted;) {
      const patience = isFirst ? undefined : patienceWith(run.graph);
      const change = await changes.next(patience);
      if (change) yield* this.changed(change);
      else if (patience !== undefined) return;
      if (!change || change.isPart) continue;
      if (isFirst && isPast(run.graph, options.clock.now())) return;
      isFirst = false;
    }
  }

  private async *changed({ update, isPart }: TaskChange): AsyncGenerator<readonly TaskEvent[], void> {
    const { run } = this;
    if (!this.hasBegun && update.addedNodes.length === 0) {
      if (isPart) return;
      throw new BoundaryError('NOT_FOUND', 'threadId: no task with this id is known');
    }
    if (!this.hasBegun) yield run.begin();
    this.hasBegun = true;
    yield run.change(update);
    if (run.graph.size === 0) throw new BoundaryError('NOT_FOUND', 'the task was erased');
    if (!isPart) yield* this.moments();
  }

  private async *moments(): AsyncGenerator<readonly TaskEvent[], void> {
    const { run, options } = this;
    for (const moment of await wholeInTurns(run.takeMoments(this.isTurnOver), options.pace)) {
      if (!this.isWanted) return;
      if (this.failure) throw this.failure;
      const texts = run.needsTexts(moment) ? await this.textsOf(moment.node.id) : {};
      yield run.tell(moment, texts);
      if (this.isTurnOver()) await options.pace.rest(this.rested++);
    }
  }

  private readonly isTurnOver = (): boolean => this.options.pace.isOver;

  private async textsOf(nodeId: string): Promise<StepTexts> {
    return (await detailOf(this.options.reader, nodeId))?.texts ?? {};
  }
}
