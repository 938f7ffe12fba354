import { useCallback } from 'react';
import type { ExplanationNode, NodeStatus } from '../../../src/client/browser.ts';
import type { GraphStore } from '../../state/graph-store.ts';
import { startOf } from '../../state/node-times.ts';
import type { UrlState } from '../../state/url.ts';

/** Asks why: of the node given, or of the failure of the task, or of its warning; where there is none, that is said. */
export function useAskWhy(
  store: GraphStore | undefined,
  { params, set }: UrlState,
): (nodeId?: string) => void {
  const isAsked = params.get('ask') === 'why';
  return useCallback(
    (nodeId) => {
      if (!store) return;
      const asked = nodeId ?? (worstNode(store, 'ERROR') ?? worstNode(store, 'WARNING'))?.id;
      if (asked !== undefined) set({ why: asked, ask: null }, 'push');
      else if (!isAsked) set({ why: null, ask: 'why' }, 'push');
    },
    [isAsked, set, store],
  );
}

/** The node nearest the root that ended so, the latest of several. */
function worstNode(store: GraphStore, status: NodeStatus): ExplanationNode | undefined {
  let best: { readonly node: ExplanationNode; readonly depth: number } | undefined;
  for (const node of store.nodes.values()) {
    if (node.status !== status) continue;
    const depth = depthOf(store, node.id);
    const isNearer = best === undefined || depth < best.depth;
    if (isNearer || (depth === best?.depth && startOf(node) > startOf(best.node))) best = { node, depth };
  }
  return best?.node;
}

/** Steps up to a root, by the shortest way. */
function depthOf(store: GraphStore, id: string): number {
  const seen = new Set([id]);
  let level = [id];
  for (let depth = 0; ; depth += 1) {
    if (level.some((one) => store.causesOf(one).length === 0)) return depth;
    const above = level.flatMap((one) => store.causesOf(one).map(({ from }) => from));
    level = [...new Set(above)].filter((one) => !seen.has(one));
    for (const one of level) seen.add(one);
    if (level.length === 0) return depth;
  }
}
