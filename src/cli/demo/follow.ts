import { applyUpdate } from '../../model/apply-update.ts';
import type { ExplanationGraph, ExplanationNode, GraphUpdate } from '../../model/node.ts';

/** Frames that the demo's reader gets; the others do not concern it. */
type Frame =
  | { readonly type: 'subscribed'; readonly graph: ExplanationGraph }
  | { readonly type: 'update'; readonly update: GraphUpdate };

export interface Follower {
  /** The graph as it is now. */
  graph(): ExplanationGraph;
  close(): void;
}

/** Subscribes by WebSocket, as any program would, and tells of each node that is new or changed. */
export function follow(
  url: string,
  onNode: (node: ExplanationNode, isNew: boolean) => void,
): Promise<Follower> {
  const socket = new WebSocket(url);
  let graph: ExplanationGraph = { nodes: [], edges: [], lastUpdated: '' };
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => {
      socket.send(JSON.stringify({ type: 'subscribe', request: { collapse: 'none' } }));
    });
    socket.addEventListener('error', () => reject(new Error('the WebSocket could not be opened')));
    socket.addEventListener('message', ({ data }) => {
      const frame = JSON.parse(String(data)) as Frame;
      if (frame.type === 'subscribed') {
        graph = frame.graph;
        resolve({ graph: () => graph, close: () => socket.close() });
      } else if (frame.type === 'update') {
        const held = new Set(graph.nodes.map((node) => node.id));
        graph = applyUpdate(graph, frame.update);
        for (const node of frame.update.addedNodes) onNode(node, !held.has(node.id));
      }
    });
  });
}
