import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock } from '../../base/clock.ts';
import { wholeInTurns } from '../../base/in-turns.ts';
import type { Turns } from '../../base/pace.ts';
import type { ExplanationNode } from '../../model/node.ts';
import type { TaskOverview } from '../../model/task-overview.ts';
import type { TaskPage, TaskQuery } from '../../model/task-query.ts';
import type { FinishedTasksOptions } from '../../subscriptions/finished-tasks.ts';
import { askCells } from './ask-cells.ts';
import type { AskedCell, CellFailure } from './asked-cell.ts';
import { mergedGraph } from './merged-graph.ts';
import { mergedPage } from './merged-tasks.ts';
import { nodesOf, tasksAtOnce } from './tasks-at-once.ts';
import { failureWords } from '../notices.ts';

/**
 * The finished tasks of all cells with their nodes, for what is worked out over many tasks: it is then what one process
 * would work out, within the same bounds. A cell that is away from the beginning is left out; one that stops answering in
 * between makes the whole fail, since its tasks would count for what they are not.
 */
export class FinishedTasks implements FinishedTasksOptions {
  readonly clock: Clock;
  readonly pace: Turns;
  /** The cells that were away. */
  failures: readonly CellFailure[] = [];
  private cells: readonly AskedCell[];
  private readonly taskIds: readonly string[] | undefined;
  private isFirst = true;
  private page: readonly TaskOverview[] = [];
  private fetched = new Map<string, ExplanationNode[]>();

  /** @param taskIds only these; all if absent */
  constructor(cells: readonly AskedCell[], clock: Clock, pace: Turns, taskIds?: Iterable<string>) {
    this.cells = cells;
    this.clock = clock;
    this.pace = pace;
    this.taskIds = taskIds && [...taskIds];
  }

  readonly tasks = async (query: TaskQuery): Promise<TaskPage> => {
    const asked = this.taskIds ? { ...query, taskIds: this.taskIds } : query;
    const { page, failures } = await mergedPage(this.cells, asked, this.clock);
    if (this.isFirst) {
      this.failures = failures;
      this.cells = this.cells.filter(({ name }) => !failures.some(({ cell }) => cell === name));
    } else assertNone(failures);
    this.isFirst = false;
    this.page = page.tasks;
    return page;
  };

  readonly nodesOf = async (taskId: string): Promise<readonly ExplanationNode[]> => {
    if (!this.fetched.has(taskId)) await this.fetchFrom(taskId);
    return this.fetched.get(taskId) ?? [];
  };

  /** This one, and those after it. */
  private async fetchFrom(taskId: string): Promise<void> {
    const { pace } = this;
    const begin = this.page.findIndex((task) => task.taskId === taskId);
    const next = this.page.slice(begin).filter((task) => task.taskId === taskId || task.state !== 'RUNNING');
    const ids = begin < 0 ? [taskId] : tasksAtOnce(next).map((task) => task.taskId);
    this.fetched = new Map(ids.map((id) => [id, []]));
    const { answers, failures } = await askCells(this.cells, (of) => of.getGraph(nodesOf(ids)), this.clock);
    assertNone(failures);
    const parts = answers.map(({ cell, answer }) => ({ cell, graph: answer }));
    const { graph } = await wholeInTurns(
      mergedGraph(parts, () => pace.isOver),
      pace,
    );
    for (const node of graph.nodes) this.fetched.get(node.taskId)?.push(node);
  }
}

/** @throws BoundaryError UNAVAILABLE */
function assertNone(failures: readonly CellFailure[]): void {
  if (failures.length === 0) return;
  throw new BoundaryError(
    'UNAVAILABLE',
    `a cell stopped answering meanwhile, ask again: ${failureWords(failures)}`,
    { retryAfterMs: 1000 },
  );
}
