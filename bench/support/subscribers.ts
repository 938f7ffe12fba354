import { WebSocket } from 'ws';
import type { GraphUpdate } from '../../src/model/node.ts';

export interface Subscribers {
  /** Updates that all of them received. */
  updates(): number;
  close(): void;
}

/** Filters of the readers in turn: half see everything, the others each something of their own. */
const FILTERS: readonly object[] = [
  {},
  { status: ['ERROR'] },
  {},
  { nodeTypes: ['LLM_CALL'] },
  {},
  { minCostUsd: 0.01 },
  {},
  { agentNames: ['bench-agent'], nodeTypes: ['TOOL_CALL', 'LLM_CALL'] },
];

/**
 * @param onUpdate told of every update that the first reader, who sees everything unfolded, receives
 * @param filters of the readers in turn
 */
export async function subscribeAll(
  port: number,
  count: number,
  onUpdate?: (update: GraphUpdate) => void,
  filters = FILTERS,
): Promise<Subscribers> {
  let updates = 0;
  const sockets = await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/explain`, { perMessageDeflate: false });
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      const subscribed = new Promise((resolve) => socket.once('message', resolve));
      const collapse = i === 0 && onUpdate ? 'none' : 'auto';
      socket.send(
        JSON.stringify({ type: 'subscribe', request: { filters: filters[i % filters.length], collapse } }),
      );
      await subscribed;
      socket.on('message', (data: Buffer) => {
        updates++;
        if (i === 0 && onUpdate) onUpdate((JSON.parse(data.toString()) as { update: GraphUpdate }).update);
      });
      return socket;
    }),
  );
  return {
    updates: () => updates,
    close() {
      for (const socket of sockets) socket.terminate();
    },
  };
}
