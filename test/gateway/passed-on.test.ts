import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toStruct } from '../../src/base/struct.ts';
import { toldNodes } from '../../src/client/told-nodes.ts';
import type { ExplanationNode } from '../../src/model/node.ts';
import type { ServerFrame } from '../../src/model/reader-messages.ts';
import { encodeFrame as encodeMessage } from '../../src/servers/grpc/encode-frame.ts';
import { messageSerializer } from '../../src/servers/grpc/load-proto.ts';
import { encodeFrame as encodeText } from '../../src/servers/websocket/encode-frame.ts';
import { codecOf } from '../support/explain-proto.ts';

const serialize = messageSerializer('ExplanationNode');

function node(id: string, given: Partial<ExplanationNode> = {}): ExplanationNode {
  return {
    id,
    timestamp: '2026-01-01T00:00:00.000Z',
    agent: 'ag€nt',
    type: 'LLM_CALL',
    name: 'chat "x"',
    title: '…',
    taskId: 't',
    state: 'ENDED',
    status: 'OK',
    ...given,
  };
}

const NODES = [
  node('a', { costUsd: 0.25, details: { line: 'a\nb', deep: { list: [1, null] } } }),
  node('b', { type: 'SUMMARY', summary: { count: 2, types: { LLM_CALL: 2 }, reason: 'routine' } }),
  node('c', { tokensIn: 2 ** 40 }),
];
const MESSAGES = NODES.map(({ details, ...rest }) =>
  serialize({ ...rest, ...(details && { details: toStruct(details) }) }),
);
const TOLD = toldNodes(MESSAGES, codecOf('ExplanationNode'));
const edge = { id: 'e', from: 'a', to: 'b', relation: 'NEXT_STEP', evidence: 'inferred' } as const;

function frames(nodes: readonly ExplanationNode[]): readonly ServerFrame[] {
  const place = { subscriptionId: 's', sequence: 3 };
  const lastUpdated = '2026-01-01T00:00:01.000Z';
  const update = { addedNodes: nodes, removedNodeIds: ['z'], addedEdges: [edge], removedEdgeIds: [edge] };
  return [
    {
      type: 'subscribed',
      ...place,
      requestId: 'r',
      graph: { nodes, edges: [edge], lastUpdated, notices: ['n'] },
    },
    { type: 'update', ...place, complete: true, update: { ...update, timestamp: lastUpdated } },
  ];
}

test('[GV10] nodes that a gateway passes on come to its readers as those of its cells do', () => {
  const expected = frames(NODES);
  for (const [n, frame] of frames(TOLD).entries()) {
    const plain = expected[n] as ServerFrame;
    assert.deepEqual(JSON.parse(encodeText(frame).toString()), JSON.parse(encodeText(plain).toString()));
    assert.deepEqual(sorted(encodeMessage(frame)), sorted(encodeMessage(plain)));
  }
});

/** Fields of protobuf may come in any order: the bytes are the same ones, if not at the same places. */
function sorted(message: Buffer): readonly number[] {
  return [...message].sort((a, b) => a - b);
}
