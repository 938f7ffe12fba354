import type { Clock } from '../../base/clock.ts';
import type { SplitReport } from '../../model/told-cells.ts';
import { askCells, outcomes } from './ask-cells.ts';
import type { AskedCell, CellFailure } from './asked-cell.ts';
import { absenceNotices, noticed } from '../notices.ts';
import { SplitEvidence } from './split-evidence.ts';
import { nodesOf, tasksAtOnce } from './tasks-at-once.ts';

/** The newest of each cell: what is wrong with a set-up is wrong today. */
const TASKS_OF_A_CELL = 500;
/** Nodes of a cell that are looked at: of each two ids are kept meanwhile, of calls what they are compared by. */
const NODES_OF_A_CELL = 50_000;

/**
 * Looks through the newest tasks of all cells, a cell after the other, for what several cells cannot join.
 * @throws BoundaryError UNAVAILABLE when no cell answers
 */
export async function findSplit(cells: readonly AskedCell[], clock: Clock): Promise<SplitReport> {
  const query = { sort: 'newest', limit: TASKS_OF_A_CELL } as const;
  const listed = await askCells(cells, (of) => of.findTasks(query), clock, 'own');
  const evidence = new SplitEvidence();
  const failures: CellFailure[] = [...listed.failures];
  let tasks = 0;
  let truncated = false;
  for (const { cell, answer } of listed.answers) {
    const of = cells.filter(({ name }) => name === cell);
    let nodes = 0;
    for (const task of answer.tasks) evidence.task(cell, task);
    truncated ||= answer.nextCursor !== undefined;
    for (let left = answer.tasks; left.length > 0;) {
      if (nodes >= NODES_OF_A_CELL) {
        truncated = true;
        break;
      }
      const some = tasksAtOnce(left);
      left = left.slice(some.length);
      const request = nodesOf(some.map(({ taskId }) => taskId));
      const { answers, failures: away } = await outcomes(of, (one) => one.getGraph(request), clock, 'own');
      failures.push(...away);
      if (away.length > 0) break;
      for (const { answer: graph } of answers)
        for (const node of graph.nodes) {
          nodes += 1;
          evidence.node(cell, node);
        }
      tasks += some.length;
    }
  }
  return noticed<SplitReport>({ findings: evidence.findings(), tasks, truncated }, absenceNotices(failures));
}

/** Looks through the cells once at a time: who asks meanwhile gets what is found then. */
export function splitFinder(cells: () => readonly AskedCell[], clock: Clock): () => Promise<SplitReport> {
  let running: Promise<SplitReport> | undefined;
  return () => (running ??= findSplit(cells(), clock).finally(() => (running = undefined)));
}
