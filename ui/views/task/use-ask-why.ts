import { useCallback } from 'react';
import type { ExplanationNode } from '../../../src/client/browser.ts';
import type { GraphStore } from '../../state/graph-store.ts';
import { startOf } from '../../state/node-times.ts';
import type { UrlState } from '../../state/url.ts';

/** Asks why: of the node given, or of the failure of the task. */
export function useAskWhy(store: GraphStore | undefined, { set }: UrlState): (nodeId?: string) => void {
  return useCallback(
    (nodeId) => {
      const asked = nodeId ?? (store && failedNode(store)?.id);
      if (asked !== undefined) set({ why: asked, ask: null }, 'push');
    },
    [set, store],
  );
}

/** The failed node nearest the root, the latest of several. */
function failedNode(store: GraphStore): ExplanationNode | undefined {
  let best: { readonly node: ExplanationNode; readonly depth: number } | undefined;
  for (const node of store.nodes.values()) {
    if (node.status !== 'ERROR') continue;
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
