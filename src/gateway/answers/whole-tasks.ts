import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock } from '../../base/clock.ts';
import { seldom, wholeInTurns, type IsOver, type Work } from '../../base/in-turns.ts';
import type { Turns } from '../../base/pace.ts';
import { CausalGraph } from '../../graph/causal-graph.ts';
import type { GraphReader } from '../../graph/graph-reader.ts';
import type { StepTexts } from '../../model/facts.ts';
import type { ExplanationEdge, ExplanationGraph } from '../../model/node.ts';
import type { LoadTexts } from '../../subscriptions/answers.ts';
import { askCells, mayBeAway, outcomes } from './ask-cells.ts';
import type { AskedCell, CellFailure } from './asked-cell.ts';
import { mergedGraph } from './merged-graph.ts';
import { partsOf, type TaskPart } from './merged-tasks.ts';
import { nodesOf } from './tasks-at-once.ts';
import type { SharedTask } from '../notices.ts';

/** Nodes of tasks that are put together here: some hundred megabytes with all that is made of them. */
const MAX_NODES = 100_000;
/** Texts that are asked for at the same time: each may be as large as a text may be. */
const TEXTS_AT_ONCE = 16;

/** Which cells have parts of some tasks. */
export interface Whereabouts {
  /** By task, in the order of the cells; only those that are known. */
  readonly parts: ReadonlyMap<string, readonly TaskPart[]>;
  /** Those with parts in several cells. */
  readonly shared: readonly SharedTask[];
  readonly failures: readonly CellFailure[];
}

/** @throws BoundaryError UNAVAILABLE when no cell answers */
export async function whereabouts(
  cells: readonly AskedCell[],
  taskIds: readonly string[],
  clock: Clock,
): Promise<Whereabouts> {
  const { parts, failures } = await partsOf(cells, taskIds, clock);
  const shared = taskIds.flatMap((taskId) => {
    const of = parts.get(taskId) ?? [];
    return of.length > 1 ? [{ taskId, cells: of.map(({ cell }) => cell) }] : [];
  });
  return { parts, shared, failures };
}

/** @throws BoundaryError NOT_FOUND; UNAVAILABLE where a cell that does not answer may have it */
export function assertKnown(taskId: string, { parts, failures }: Whereabouts, field = 'taskId'): void {
  if (parts.has(taskId)) return;
  const message = `${field}: no task with this id is known`;
  if (failures.length === 0) throw new BoundaryError('NOT_FOUND', message);
  throw mayBeAway(message, failures);
}

/** The whole of some tasks, wherever their parts are, as one graph. */
export interface WholeTasks {
  readonly graph: GraphReader;
  readonly lastUpdated: string;
  /** Of these nodes, from the cells that show them. */
  readonly loadTexts: LoadTexts;
}

/**
 * Fetches all nodes of tasks, nothing folded, from the cells that have parts of them.
 * @throws BoundaryError TOO_LARGE for more than `MAX_NODES`; UNAVAILABLE when none of the cells answers
 */
export async function wholeTasks(
  cells: readonly AskedCell[],
  taskIds: readonly string[],
  { parts }: Whereabouts,
  clock: Clock,
  pace: Turns,
): Promise<WholeTasks> {
  const wanted = taskIds.flatMap((taskId) => parts.get(taskId) ?? []);
  assertSize(wanted.reduce((sum, { overview }) => sum + overview.nodes, 0));
  const having = new Set(wanted.map(({ cell }) => cell));
  const asked = cells.filter(({ name }) => having.has(name));
  const { answers } = await askCells(asked, (of) => of.getGraph(nodesOf(taskIds)), clock);
  assertSize(answers.reduce((sum, { answer }) => sum + answer.nodes.length, 0));
  const isOver = (): boolean => pace.isOver;
  const shown = answers.map(({ cell, answer }) => ({ cell, graph: answer }));
  const { graph: merged, owners } = await wholeInTurns(mergedGraph(shown, isOver), pace);
  const byName = new Map(asked.map((cell) => [cell.name, cell]));
  return {
    graph: await wholeInTurns(causalGraphOf(merged, isOver), pace),
    lastUpdated: merged.lastUpdated,
    loadTexts: (nodeIds) => textsOf(nodeIds, (id) => byName.get(owners.get(id) ?? ''), clock),
  };
}

function assertSize(nodes: number): void {
  if (nodes <= MAX_NODES) return;
  throw new BoundaryError(
    'TOO_LARGE',
    `it is in several cells and has more than ${MAX_NODES} nodes, which a gateway does not put together: ask a cell`,
  );
}

function* causalGraphOf({ nodes, edges }: ExplanationGraph, isOver: IsOver): Work<GraphReader> {
  const isRest = seldom(isOver);
  const graph = new CausalGraph();
  const into = new Map<string, ExplanationEdge[]>();
  for (const node of nodes) {
    graph.putNode(node);
    if (isRest()) yield;
  }
  for (const edge of edges) {
    const known = into.get(edge.to);
    if (known) known.push(edge);
    else into.set(edge.to, [edge]);
    if (isRest()) yield;
  }
  for (const [id, of] of into) {
    graph.putInEdges(id, of);
    if (isRest()) yield;
  }
  graph.untangle();
  return graph;
}

/** Of a cell that does not answer, and of what went meanwhile, none. */
async function textsOf(
  nodeIds: readonly string[],
  ownerOf: (nodeId: string) => AskedCell | undefined,
  clock: Clock,
): Promise<(nodeId: string) => StepTexts> {
  const found = new Map<string, StepTexts>();
  for (let at = 0; at < nodeIds.length; at += TEXTS_AT_ONCE)
    await Promise.all(
      nodeIds.slice(at, at + TEXTS_AT_ONCE).map(async (id) => {
        const owner = ownerOf(id);
        if (!owner) return;
        const { answers } = await outcomes([owner], (of) => of.getNode(id, {}), clock);
        const texts = answers[0]?.answer.texts;
        if (texts) found.set(id, texts);
      }),
    );
  return (id) => found.get(id) ?? {};
}
