import type { GraphReader } from '../graph/graph-reader.ts';
import { summaryId } from '../model/ids.ts';

/** A group of one is no gain. */
const MIN_GROUP = 2;

/**
 * Puts folded nodes into groups: those below the same shown node of the tree (or below none) belong together,
 * and so do groups between which an edge leads, so that no edge runs between two summaries. The id of a
 * summary comes from what it hangs on, so it stays the same while the group grows.
 *
 * @param folded closed under successors within the task
 * @returns members by summary id
 */
export function groupNodes(
  graph: GraphReader,
  taskId: string,
  folded: ReadonlySet<string>,
): Map<string, string[]> {
  const anchors = new Map<string, string>();
  const groups = new UnionFind();
  for (const id of folded) groups.find(anchorOf(graph, taskId, id, folded, anchors) ?? ROOTLESS);
  for (const id of folded) {
    for (const edge of graph.outEdges(id)) {
      if (!folded.has(edge.to)) continue;
      groups.union(
        anchorOf(graph, taskId, id, folded, anchors) ?? ROOTLESS,
        anchorOf(graph, taskId, edge.to, folded, anchors) ?? ROOTLESS,
      );
    }
  }
  const members = new Map<string, string[]>();
  for (const id of folded) {
    const anchor = groups.find(anchorOf(graph, taskId, id, folded, anchors) ?? ROOTLESS);
    const key = summaryId(anchor === ROOTLESS ? `task:${taskId}` : anchor);
    const group = members.get(key);
    if (group) group.push(id);
    else members.set(key, [id]);
  }
  for (const [key, ids] of members) if (ids.length < MIN_GROUP) members.delete(key);
  return members;
}

/** Smaller than any node id, so that it is the name of every group that it is joined with. */
const ROOTLESS = '';

/** The nearest node up the tree that is not folded. */
function anchorOf(
  graph: GraphReader,
  taskId: string,
  id: string,
  folded: ReadonlySet<string>,
  known: Map<string, string>,
): string | undefined {
  const path: string[] = [];
  let at: string | undefined = id;
  while (at !== undefined && folded.has(at)) {
    const found = known.get(at);
    if (found !== undefined) {
      at = found === ROOTLESS ? undefined : found;
      break;
    }
    path.push(at);
    at = graph.treeParent(at);
    // A summary hangs on a node of its own task, so that its id tells the task.
    if (at !== undefined && graph.node(at)?.taskId !== taskId) at = undefined;
  }
  for (const step of path) known.set(step, at ?? ROOTLESS);
  return at;
}

/** Sets of names; the smallest name stands for its set, whatever the order of the unions. */
class UnionFind {
  private readonly parent = new Map<string, string>();

  find(name: string): string {
    let root = name;
    for (let up = this.parent.get(root); up !== undefined && up !== root; up = this.parent.get(root))
      root = up;
    this.parent.set(name, root);
    return root;
  }

  union(a: string, b: string): void {
    const [x, y] = [this.find(a), this.find(b)];
    if (x === y) return;
    const [small, large] = x < y ? [x, y] : [y, x];
    this.parent.set(large, small);
  }
}
