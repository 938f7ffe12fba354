import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../base/clock.ts';
import { nodeMetadata } from '../../../exporters/ag-ui/node-metadata.ts';
import type { ExplanationNode } from '../../../model/node.ts';
import { ToldNode } from '../../../model/told-node.ts';
import type { ReaderApi, SubscriberSink } from '../../../subscriptions/reader-api.ts';
import { TaskChanges } from './task-changes.ts';

const NODE: ExplanationNode = {
  id: 'a',
  timestamp: '2026-01-01T00:00:00.000Z',
  agent: 'CoderAgent',
  type: 'LLM_CALL',
  name: 'chat',
  title: 'chat gpt',
  taskId: 't',
  state: 'ENDED',
  status: 'OK',
  tokensIn: 5,
  promptSummary: 'what only who asks for the node is told',
};

function told(node: ExplanationNode): ExplanationNode {
  return ToldNode.of(node, Buffer.from(JSON.stringify(node)), 0, true);
}

test('[AG35] a run over a gateway tells of nodes what it does over a service: all their fields, and none of the gateway', async () => {
  const place = { subscriptionId: 's', sequence: 0 };
  const timestamp = NODE.timestamp;
  const nothing = { removedNodeIds: [], addedEdges: [], removedEdgeIds: [] };
  const subscribe = (_request: unknown, sink: SubscriberSink): object => {
    sink.write({
      type: 'subscribed',
      ...place,
      graph: { nodes: [told(NODE)], edges: [], lastUpdated: timestamp },
    });
    sink.write({ type: 'update', ...place, update: { addedNodes: [told(NODE)], ...nothing, timestamp } });
    return { ...place, drained: () => undefined };
  };
  const changes = new TaskChanges({ subscribe } as unknown as ReaderApi, new ManualClock(), 't');
  const { promptSummary: _promptSummary, ...shown } = NODE;
  for (const change of [await changes.next(), await changes.next()]) {
    const [node] = change?.update.addedNodes ?? [];
    assert.ok(node);
    assert.deepEqual(nodeMetadata(node, [], {}), { ...shown, edges: [] });
  }
});
