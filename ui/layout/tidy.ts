import type { ExplanationEdge, ExplanationNode } from '../../src/client/browser.ts';
import { GraphStore } from '../state/graph-store.ts';
import { Placement } from './place.ts';
import type { Places } from './place.ts';
import type { Records } from './graph-reading.ts';

/** What placing reads of the records, and no more: it is copied to another thread. */
export interface ToPlace {
  readonly nodes: readonly ExplanationNode[];
  readonly edges: readonly ExplanationEdge[];
}

export function toPlace({ nodes, edges }: Records): ToPlace {
  return {
    nodes: Array.from(nodes.values(), ({ id, timestamp, agent, type, state, latencyMs }) => ({
      id,
      timestamp,
      agent,
      type,
      state,
      ...(latencyMs !== undefined && { latencyMs }),
      name: '',
      title: '',
      taskId: '',
      status: 'OK',
    })),
    edges: [...edges.values()],
  };
}

/** Places all that is there as if it had come at once. */
export function placesOf({ nodes, edges }: ToPlace): Places {
  const none = { changed: [], removed: [] };
  const store = new GraphStore();
  store.apply([{ nodes: { ...none, added: nodes }, edges: { ...none, added: edges } }], true);
  const placement = new Placement();
  placement.update(store);
  return { cells: [...placement.cells], lanes: placement.lanes };
}
