import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toStruct } from '../base/struct.ts';
import { frameOf, nodeDetailOf, tasksOf } from './grpc-messages.ts';

const NODE = { id: 'n', agent: '', name: 'step', title: '', taskId: 't' };

test('[CL30] what protobuf does not send because it is zero or empty is there again', () => {
  assert.deepEqual(frameOf({ subscribed: { subscriptionId: 's', graph: { nodes: [], edges: [] } } }), {
    type: 'subscribed',
    subscriptionId: 's',
    sequence: 0,
    graph: { nodes: [], edges: [], lastUpdated: '' },
  });
  const page = tasksOf({ tasks: [{ taskId: 't', nodes: 2, agents: [] }], nextCursor: 'c' });
  const zeros = { title: '', errors: 0, warnings: 0, running: 0, durationMs: 0, types: {} };
  assert.deepEqual(page, { tasks: [{ taskId: 't', nodes: 2, ...zeros, agents: [] }], nextCursor: 'c' });
  assert.deepEqual(tasksOf({ tasks: [{ taskId: 't', cells: [] }], notices: [] }), {
    tasks: [{ taskId: 't', nodes: 0, ...zeros }],
  });
  const merged = tasksOf({ tasks: [{ taskId: 't', cells: ['a', 'b'] }], notices: ['c is away'] });
  assert.deepEqual([merged.notices, merged.tasks[0]?.cells], [['c is away'], ['a', 'b']]);
});

test('[CL30] free JSON comes out of its Struct, in graphs, updates and single nodes', () => {
  const details = { deep: [{ on: true }, null, 1.5], text: 'x' };
  const message = { id: 'n', name: 'step', taskId: 't', details: toStruct(details) };
  const update = {
    addedNodes: [message],
    addedEdges: [],
    removedNodeIds: [],
    removedEdgeIds: [],
    timestamp: 'now',
  };
  assert.deepEqual(frameOf({ update: { subscriptionId: 's', sequence: 4, update } }), {
    type: 'update',
    subscriptionId: 's',
    sequence: 4,
    update: { ...update, addedNodes: [{ ...NODE, details }] },
  });
  assert.deepEqual(
    nodeDetailOf({ node: message, attributes: { span: toStruct({ a: 1 }) }, members: [], memberEdges: [] }),
    {
      node: { ...NODE, details },
      attributes: { span: { a: 1 } },
    },
  );
});

test('[CL20] an event of a newer service is passed over', () => {
  assert.equal(frameOf({ weather: {} }), undefined);
});
