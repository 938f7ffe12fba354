import type { Clock } from '../../base/clock.ts';
import { compareText } from '../../model/compare-text.ts';
import type { ExplanationNode } from '../../model/node.ts';
import type { TaskOverview } from '../../model/task-overview.ts';
import { SPLIT_KINDS, type SplitFinding, type SplitReport } from '../../model/told-cells.ts';
import { askCells, outcomes } from './ask-cells.ts';
import type { AskedCell, CellFailure } from './asked-cell.ts';
import { absenceNotices, noticed } from '../notices.ts';

/** The newest of each cell: what is wrong with a set-up is wrong today. */
const TASKS_OF_A_CELL = 500;
/** Nodes of a cell that are looked at: of each two ids are kept meanwhile. */
const NODES_OF_A_CELL = 50_000;
/** Of so many an answer is read within some ten milliseconds; a task that has more comes alone. */
const NODES_AT_ONCE = 500;
const TASKS_AT_ONCE = 100;
const EXAMPLES = 3;

/** Where something was seen: `seen.get(id)` are cells, or cells and traces. */
type Seen = Map<string, Set<string>>;

interface Found {
  readonly tasks: Seen;
  readonly traces: Seen;
  /** Requests that spans name, by cell and trace. */
  readonly requests: Seen;
  /** Thoughts whose request was not known in their cell. */
  readonly alone: Set<string>;
}

/**
 * Looks through the newest tasks of all cells, a cell after the other, for what several cells cannot join.
 * @throws BoundaryError UNAVAILABLE when no cell answers
 */
export async function findSplit(cells: readonly AskedCell[], clock: Clock): Promise<SplitReport> {
  const query = { sort: 'newest', limit: TASKS_OF_A_CELL } as const;
  const listed = await askCells(cells, (of) => of.findTasks(query), clock);
  const found: Found = { tasks: new Map(), traces: new Map(), requests: new Map(), alone: new Set() };
  const failures: CellFailure[] = [...listed.failures];
  let tasks = 0;
  let truncated = false;
  for (const { cell, answer } of listed.answers) {
    const of = cells.filter(({ name }) => name === cell);
    let nodes = 0;
    for (const { taskId } of answer.tasks) put(found.tasks, taskId, cell);
    truncated ||= answer.nextCursor !== undefined;
    for (const some of groups(answer.tasks)) {
      if (nodes >= NODES_OF_A_CELL) {
        truncated = true;
        break;
      }
      const request = {
        filters: { taskIds: some.map(({ taskId }) => taskId) },
        collapse: 'none' as const,
      };
      const { answers, failures: away } = await outcomes(of, (asked) => asked.getGraph(request), clock);
      failures.push(...away);
      if (away.length > 0) break;
      for (const { answer: graph } of answers)
        for (const node of graph.nodes) {
          nodes += 1;
          look(found, cell, node);
        }
      tasks += some.length;
    }
  }
  return noticed<SplitReport>({ findings: findingsOf(found), tasks, truncated }, absenceNotices(failures));
}

/** Some small tasks at once. */
function groups(tasks: readonly TaskOverview[]): readonly (readonly TaskOverview[])[] {
  const all: TaskOverview[][] = [];
  let nodes = Infinity;
  for (const task of tasks) {
    const last = all.at(-1);
    if (last && nodes + task.nodes <= NODES_AT_ONCE && last.length < TASKS_AT_ONCE) last.push(task);
    else {
      all.push([task]);
      nodes = 0;
    }
    nodes += task.nodes;
  }
  return all;
}

function look(
  { traces, requests, alone }: Found,
  cell: string,
  { id, type, details = {} }: ExplanationNode,
): void {
  const { traceId, requestId, correlation } = details;
  if (typeof traceId === 'string') put(traces, traceId, cell);
  if (typeof requestId !== 'string') return;
  if (typeof traceId === 'string') put(requests, requestId, `${cell} ${traceId}`);
  else if (type === 'LLM_CALL' && correlation === 'pending') alone.add(id);
}

function findingsOf({ tasks, traces, requests, alone }: Found): readonly SplitFinding[] {
  const ids: Readonly<Record<SplitFinding['kind'], readonly string[]>> = {
    task: several(tasks),
    trace: several(traces),
    thought: [...alone].sort(compareText),
    twin: several(requests),
  };
  return SPLIT_KINDS.flatMap((kind) => {
    const { length: count } = ids[kind];
    return count === 0 ? [] : [{ kind, count, examples: ids[kind].slice(0, EXAMPLES) }];
  });
}

function several(seen: Seen): readonly string[] {
  return [...seen].flatMap(([id, places]) => (places.size > 1 ? [id] : [])).sort(compareText);
}

function put(seen: Seen, id: string, place: string): void {
  const places = seen.get(id);
  if (places) places.add(place);
  else seen.set(id, new Set([place]));
}
