import { EVIDENCE, type ExplanationEdge, type ExplanationNode } from '../../model/node.ts';
import { byStartAndId } from '../../model/node-order.ts';
import { compareIso } from '../../model/time.ts';

/** The steps of one task as a tree: each hangs from the step that the strongest evidence says it came from. */
export interface TaskTree {
  readonly taskId: string;
  /** In the order in which they are shown. */
  readonly rows: readonly NodeRow[];
  /** ISO 8601, of the earliest step. */
  readonly first: string;
  readonly totals: Totals;
}

export interface NodeRow {
  readonly node: ExplanationNode;
  /** The lines that lead to it, such as `│ └ `. */
  readonly guides: string;
  readonly parent: string | undefined;
  readonly hasChildren: boolean;
}

/** Sums over what is shown. Summaries stand for what they hold. */
export interface Totals {
  readonly nodes: number;
  readonly errors: number;
  readonly warnings: number;
  readonly running: number;
  readonly costUsd: number | undefined;
}

/** Lines of a deeper tree would leave no room for the steps. */
const MAX_GUIDES = 24;

/**
 * Pure. Parents of other tasks don't count, and a node has one place though several edges may lead to it.
 * @param inEdges the edges that lead to a node
 */
export function buildTaskTree(
  taskId: string,
  nodes: readonly ExplanationNode[],
  inEdges: (id: string) => readonly ExplanationEdge[],
): TaskTree {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const children = new Map<string | undefined, ExplanationNode[]>();
  const parents = new Map<string, string>();
  for (const node of nodes.toSorted(byStartAndId)) {
    const parent = parentOf(inEdges(node.id), byId);
    if (parent !== undefined) parents.set(node.id, parent);
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [node]);
    else siblings.push(node);
  }
  return { taskId, rows: rowsOf(children, parents), first: firstOf(nodes), totals: totalsOf(nodes) };
}

function parentOf(
  edges: readonly ExplanationEdge[],
  byId: ReadonlyMap<string, ExplanationNode>,
): string | undefined {
  let best: ExplanationEdge | undefined;
  for (const edge of edges) {
    if (byId.has(edge.from) && edge.from !== edge.to && (best === undefined || isStronger(edge, best)))
      best = edge;
  }
  return best?.from;
}

/** By evidence, a real edge before one past hidden steps, then by id. */
function isStronger(a: ExplanationEdge, b: ExplanationEdge): boolean {
  const rank = (edge: ExplanationEdge): number =>
    EVIDENCE.indexOf(edge.evidence) + (edge.bridged === true ? EVIDENCE.length : 0);
  return rank(a) < rank(b) || (rank(a) === rank(b) && a.id < b.id);
}

/** Depth first, without recursion: chains may be thousands of steps long. */
function rowsOf(
  children: ReadonlyMap<string | undefined, readonly ExplanationNode[]>,
  parents: ReadonlyMap<string, string>,
): readonly NodeRow[] {
  const rows: NodeRow[] = [];
  const stack: { readonly node: ExplanationNode; readonly indent: string; readonly isLast: boolean }[] = [];
  const push = (list: readonly ExplanationNode[], indent: string): void => {
    for (const [index, node] of [...list.entries()].reverse()) {
      stack.push({ node, indent, isLast: index === list.length - 1 });
    }
  };
  push(children.get(undefined) ?? [], '');
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, indent, isLast } = next;
    const below = children.get(node.id) ?? [];
    const isRoot = !parents.has(node.id);
    rows.push({
      node,
      guides: isRoot ? '' : shortened(indent + (isLast ? '└ ' : '├ ')),
      parent: parents.get(node.id),
      hasChildren: below.length > 0,
    });
    push(below, isRoot ? '' : shortened(indent + (isLast ? '  ' : '│ ')));
  }
  return rows;
}

/** The near end is what tells where a step belongs. */
function shortened(guides: string): string {
  return guides.length <= MAX_GUIDES ? guides : `…${guides.slice(1 - MAX_GUIDES)}`;
}

function totalsOf(nodes: readonly ExplanationNode[]): Totals {
  const totals = { nodes: 0, errors: 0, warnings: 0, running: 0 };
  let costUsd: number | undefined;
  for (const { status, state, summary, costUsd: cost } of nodes) {
    totals.nodes += summary?.count ?? 1;
    if (status === 'ERROR') totals.errors += 1;
    if (status === 'WARNING') totals.warnings += 1;
    if (state === 'RUNNING') totals.running += 1;
    const known = cost ?? summary?.totalCostUsd;
    if (known !== undefined) costUsd = (costUsd ?? 0) + known;
  }
  return { ...totals, costUsd };
}

function firstOf(nodes: readonly ExplanationNode[]): string {
  return nodes.reduce(
    (first, { timestamp }) => (compareIso(timestamp, first) < 0 ? timestamp : first),
    nodes[0]?.timestamp ?? '',
  );
}
