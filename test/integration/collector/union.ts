import { isDeepStrictEqual } from 'node:util';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode } from '../../../src/model/node.ts';
import { tasksOf, tracesOf } from './one-trace.ts';

/** What readers see, unfolded or folded. */
interface Shown {
  graph(collapse?: 'none' | 'auto'): Promise<ExplanationGraph>;
}

/** Stands for a value that was hidden; its tag is another one in every cell. */
const MARKER = /\[([A-Z_]+):[a-z0-9]{10}\]/g;

/**
 * In what the cells together differ from one service that got the same. Tasks of one trace are the same node by node,
 * edge by edge, folded or not. Of other tasks each trace is: what is one call in two traces is a node in each, and
 * edges between traces may be missing.
 */
export async function whatDiffers(one: Shown, cells: Shown): Promise<readonly string[]> {
  const [expected, found] = [withoutTags(await one.graph()), withoutTags(await cells.graph())];
  const [folded, foundFolded] = [
    withoutTags(await one.graph('auto')),
    withoutTags(await cells.graph('auto')),
  ];
  const tasks = tasksOf(expected);
  const whole = new Set([...tasks].filter(([, { isOfOneTrace }]) => isOfOneTrace).map(([task]) => task));
  return [
    ...differences('unfolded', only(expected, whole), only(found, whole)),
    ...differences('folded', only(folded, whole), only(foundFolded, whole)),
    ...beyondLimits(expected, found),
  ];
}

/** With markers that are the same in every cell. */
export function withoutTags(graph: ExplanationGraph): ExplanationGraph {
  return JSON.parse(JSON.stringify(graph), (_, value: unknown) =>
    typeof value === 'string' ? value.replace(MARKER, '[$1]') : value,
  ) as ExplanationGraph;
}

/** What is of these tasks. */
function only({ nodes, edges, lastUpdated }: ExplanationGraph, tasks: ReadonlySet<string>): ExplanationGraph {
  const kept = nodes.filter(({ taskId }) => tasks.has(taskId));
  const ids = new Set(kept.map(({ id }) => id));
  return { nodes: kept, edges: edges.filter(({ from, to }) => ids.has(from) || ids.has(to)), lastUpdated };
}

/** Node by node and edge by edge. */
export function differences(
  how: string,
  expected: ExplanationGraph,
  found: ExplanationGraph,
): readonly string[] {
  return [
    ...differ(`${how}: node`, expected.nodes, found.nodes),
    ...differ(`${how}: edge`, expected.edges, found.edges),
  ];
}

function differ<T extends ExplanationNode | ExplanationEdge>(
  what: string,
  expected: readonly T[],
  found: readonly T[],
): readonly string[] {
  const left = new Map(expected.map((item) => [item.id, item]));
  const problems: string[] = [];
  for (const item of found) {
    const same = left.get(item.id);
    if (same === undefined) problems.push(`${what} ${item.id} is there once too often`);
    else if (!isDeepStrictEqual(same, item)) problems.push(`${what} ${item.id} is another one`);
    left.delete(item.id);
  }
  for (const id of left.keys()) problems.push(`${what} ${id} is in no cell`);
  return problems;
}

/** Of all tasks: what is missing or there besides, but for twins in several traces and edges between traces. */
function beyondLimits(expected: ExplanationGraph, found: ExplanationGraph): readonly string[] {
  const traces = new Map(
    [...found.nodes, ...expected.nodes].map((node) => [node.id, new Set(tracesOf(node))]),
  );
  const isTwin = (id: string): boolean => (traces.get(id)?.size ?? 0) > 1;
  const tracesOfTwins = new Set(
    [...traces.values()].filter(({ size }) => size > 1).flatMap((ids) => [...ids]),
  );
  const mayBeMissing = ({ from, to }: ExplanationEdge): boolean =>
    isTwin(from) || isTwin(to) || traces.get(from)?.isDisjointFrom(traces.get(to) ?? new Set()) === true;
  const problems: string[] = [];
  const ids = new Set(found.nodes.map(({ id }) => id));
  for (const { id } of expected.nodes)
    if (!ids.has(id) && !isTwin(id)) problems.push(`node ${id} is in no cell`);
  const known = new Set(expected.nodes.map(({ id }) => id));
  for (const node of found.nodes)
    if (!known.has(node.id) && !tracesOf(node).some((id) => tracesOfTwins.has(id)))
      problems.push(`node ${node.id} is not in one service`);
  const edges = new Set(found.edges.map(({ id }) => id));
  for (const edge of expected.edges)
    if (!edges.has(edge.id) && !mayBeMissing(edge)) problems.push(`edge ${edge.id} is in no cell`);
  return problems;
}
