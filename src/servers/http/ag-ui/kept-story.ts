import { KeptRun, type SpanTexts } from '../../../exporters/ag-ui/kept/kept-run.ts';
import { keptRoots } from '../../../exporters/ag-ui/kept/kept-task.ts';
import type { TaskGraph } from '../../../exporters/ag-ui/task-graph.ts';
import type { RunIds } from '../../../exporters/ag-ui/task-run.ts';
import { keptEventsOf } from '../../../model/ag-ui-events.ts';
import type { ReaderApi } from '../../../subscriptions/reader-api.ts';
import { detailOf } from '../../../subscriptions/task-content.ts';
import type { OutgoingEvent } from './encoding.ts';

/** A task told by the events of AG-UI that it came in by: one run after the other. */
export class KeptStory {
  private readonly graph: TaskGraph;
  private readonly reader: ReaderApi;
  private readonly run: KeptRun;
  /** Roots of the runs that were told to their end. */
  private readonly done = new Set<string>();

  constructor(ids: RunIds, graph: TaskGraph, reader: ReaderApi) {
    this.graph = graph;
    this.reader = reader;
    this.run = new KeptRun(ids, (span) => this.textsOf(span));
  }

  /**
   * What was not told yet of what is there. The runs of a task are told one after the other, whatever they did at the same
   * time.
   * @param isAll nothing more comes: what is missing is not waited for
   */
  async *tell(isAll = false): AsyncGenerator<readonly OutgoingEvent[], void> {
    for (const root of keptRoots(this.graph)) {
      if (this.done.has(root.id)) continue;
      const detail = await detailOf(this.reader, root.id);
      if (!detail) continue;
      yield* this.run.tell(keptEventsOf(detail), isAll);
      const isTold = this.run.isOver && root.state !== 'RUNNING';
      if (!isTold && !isAll) return;
      this.done.add(root.id);
      yield this.run.next();
    }
  }

  /** The rest. */
  async *finish(): AsyncGenerator<readonly OutgoingEvent[], void> {
    yield* this.tell(true);
    yield this.run.next();
  }

  breakOff(code: string, message: string): readonly OutgoingEvent[] {
    return this.run.breakOff(code, message);
  }

  private async textsOf(span: string): Promise<SpanTexts | undefined> {
    const node = this.graph.nodeOfSpan(span);
    const detail = node && (await detailOf(this.reader, node.id));
    return detail && { texts: detail.texts ?? {}, isOpen: detail.node.state === 'RUNNING' };
  }
}
