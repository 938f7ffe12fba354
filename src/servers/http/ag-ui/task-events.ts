import { BoundaryError } from '../../../base/boundary-error.ts';
import type { Clock } from '../../../base/clock.ts';
import { wholeInTurns } from '../../../base/in-turns.ts';
import type { Turns } from '../../../base/pace.ts';
import { keptRoots } from '../../../exporters/ag-ui/kept/kept-task.ts';
import { TaskRun, type RunIds } from '../../../exporters/ag-ui/task-run.ts';
import type { StepTexts } from '../../../model/facts.ts';
import type { ReaderApi } from '../../../subscriptions/reader-api.ts';
import { detailOf } from '../../../subscriptions/task-content.ts';
import type { OutgoingEvent } from './encoding.ts';
import { KeptStory } from './kept-story.ts';
import { TaskChanges } from './task-changes.ts';
import { isPast, patienceWith } from './task-end.ts';

/** Between two looks at the kept events of a run: each reads all of them, up to 4 MB. */
const KEPT_PAUSE_MS = 100;

export interface TaskEventsOptions {
  readonly reader: ReaderApi;
  readonly clock: Clock;
  readonly pace: Turns;
}

type Events = AsyncGenerator<readonly OutgoingEvent[], void>;

/**
 * The events of one task: what is there, then what comes, until it is over. One that came in by AG-UI is told by its own
 * events, any other by its graph.
 */
export class TaskEvents {
  private readonly options: TaskEventsOptions;
  private readonly ids: RunIds;
  private readonly changes: TaskChanges;
  private readonly run: TaskRun;
  private kept: KeptStory | undefined;
  private hasBegun = false;
  private isWanted = true;
  private failure: BoundaryError | undefined;
  private rested = 0;

  /** @throws BoundaryError INVALID_ARGUMENT, RESOURCE_EXHAUSTED */
  constructor(ids: RunIds, options: TaskEventsOptions) {
    this.ids = ids;
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
  async *events(): Events {
    const { run } = this;
    try {
      yield* this.first();
      if (!isPast(run.graph, this.options.clock.now())) yield* this.news();
      if (!this.isWanted) return;
      if (this.kept) yield* this.kept.finish();
      else yield run.finish(await wholeInTurns(run.sumUp(this.isTurnOver), this.options.pace));
    } catch (error) {
      if (!this.hasBegun) throw error;
      const { code, message } = BoundaryError.from(error);
      yield (this.kept ?? run).breakOff(code.toLowerCase(), message);
    } finally {
      this.end();
    }
  }

  /** What is there. */
  private async *first(): Events {
    const { run, ids } = this;
    const told: OutgoingEvent[] = [];
    for (let isPart = true; isPart && this.isWanted;) {
      const change = await this.changes.next();
      if (!change) continue;
      told.push(...run.change(change.update));
      ({ isPart } = change);
    }
    if (!this.isWanted) return;
    if (run.graph.size === 0) throw new BoundaryError('NOT_FOUND', 'threadId: no task with this id is known');
    this.hasBegun = true;
    const { reader } = this.options;
    if (keptRoots(run.graph).length > 0) this.kept = new KeptStory(ids, run.graph, reader);
    else {
      yield run.begin();
      // One by one, so that none waits encoded for the others.
      for (const event of told) yield [event];
    }
    yield* this.tell();
  }

  /** What comes, until it is over. */
  private async *news(): Events {
    const { run, changes } = this;
    while (this.isWanted) {
      const patience = patienceWith(run.graph);
      const change = await changes.next(patience);
      if (!change && patience !== undefined) return;
      if (!change) continue;
      const told = run.change(change.update);
      if (!this.kept) yield told;
      if (run.graph.size === 0) throw new BoundaryError('NOT_FOUND', 'the task was erased');
      if (change.isPart) continue;
      yield* this.tell();
      // What comes meanwhile is told together.
      if (this.kept) await new Promise<void>((go) => void this.options.clock.after(KEPT_PAUSE_MS, go));
    }
  }

  private async *tell(): Events {
    const { pace } = this.options;
    for await (const some of this.kept ? this.kept.tell() : this.moments()) {
      if (!this.isWanted) return;
      if (this.failure) throw this.failure;
      yield some;
      if (pace.isOver) await pace.rest(this.rested++);
    }
  }

  private async *moments(): Events {
    const { run, options } = this;
    for (const moment of await wholeInTurns(run.takeMoments(this.isTurnOver), options.pace))
      yield run.tell(moment, run.needsTexts(moment) ? await this.textsOf(moment.node.id) : {});
  }

  private readonly isTurnOver = (): boolean => this.options.pace.isOver;

  private async textsOf(nodeId: string): Promise<StepTexts> {
    return (await detailOf(this.options.reader, nodeId))?.texts ?? {};
  }
}
