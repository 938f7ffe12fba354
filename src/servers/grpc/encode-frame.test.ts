import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import type { ServerFrame } from '../../model/reader-messages.ts';
import { encodeFrame as encodeText } from '../websocket/encode-frame.ts';
import { encodeFrame } from './encode-frame.ts';
import { varint } from '../../base/protobuf.ts';
import { explainService } from './load-proto.ts';
import { fromStruct, type StructMessage } from '../../base/struct.ts';

type Message = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any

const decode = explainService['Subscribe']!.responseDeserialize as (bytes: Buffer) => Message;

const TIME = '2025-06-20T14:00:00.000Z';
const common = {
  timestamp: TIME,
  agent: 'A',
  taskId: 't',
  status: 'OK',
  state: 'ENDED',
  type: 'LLM_CALL',
} as const;
const details = { spanIds: ['a', 'b'], nested: { n: 1.5, none: null, yes: true } };
const node = { id: 'n', name: 'ask', title: 'ask', latencyMs: 0, tokensIn: 0, details, ...common } as const;
const edge = { id: 'e', from: 'n', to: 'm', relation: 'TRIGGERED', evidence: 'link', bridged: true } as const;
const update = {
  addedNodes: [node],
  removedNodeIds: ['x'],
  addedEdges: [edge],
  removedEdgeIds: [{ from: 'a', to: 'b', id: 'c' }],
  timestamp: TIME,
};

test('[SV71] the hand-made envelope reads as the message of the .proto', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.maxSafeNat(), (id, sequence) => {
      const subscriptionId = Buffer.from(id).toString();
      const seen = decode(encodeFrame({ type: 'update', requestId: 'r', subscriptionId, sequence, update }))[
        'update'
      ];
      assert.equal(seen.requestId, 'r');
      assert.equal(seen.subscriptionId ?? '', subscriptionId);
      assert.equal(seen.sequence ?? 0, sequence);
      assert.equal(seen.update.addedNodes.length, 1);
    }),
    { numRuns: 2000 },
  );
});

test('[SV71] nodes, edges and details arrive as they are; 0 is 0 and absent is absent', () => {
  const graph = { nodes: [node], edges: [edge], lastUpdated: TIME };
  const frame: ServerFrame = { type: 'subscribed', requestId: 'r', subscriptionId: 's', sequence: 3, graph };
  const { subscribed } = decode(encodeFrame(frame));
  assert.deepEqual([subscribed.requestId, subscribed.subscriptionId, subscribed.sequence], ['r', 's', 3]);
  const [{ details: struct, ...seen }] = subscribed.graph.nodes as [Message & { details: StructMessage }];
  assert.deepEqual({ ...seen, details: fromStruct(struct) }, node);
  assert.equal('costUsd' in seen, false);
  assert.deepEqual({ ...subscribed.graph.edges[0] }, edge);
  const needed = decode(encodeFrame({ type: 'snapshotNeeded', subscriptionId: 's', reason: 'late' }));
  assert.deepEqual({ ...needed['snapshotNeeded'] }, { subscriptionId: 's', reason: 'late' });
  const resumed = decode(encodeFrame({ type: 'resumed', requestId: 'r', subscriptionId: 's', sequence: 3 }));
  assert.deepEqual({ ...resumed['resumed'] }, { requestId: 'r', subscriptionId: 's', sequence: 3 });
});

test('[SV72] a shared update is encoded once', () => {
  let reads = 0;
  const counted = {
    ...update,
    get addedNodes() {
      reads += 1;
      return [node];
    },
  };
  for (let sequence = 1; sequence < 50; sequence++) {
    encodeFrame({ type: 'update', subscriptionId: `s${sequence}`, sequence, update: counted });
  }
  assert.ok(reads <= 2, `${reads} reads of one update`);
});

test('[SV72] a node that several views show is encoded once, over gRPC as over WebSocket', () => {
  for (const encode of [encodeFrame, encodeText]) {
    let reads = 0;
    const counted = {
      ...node,
      get title() {
        reads += 1;
        return 'ask';
      },
    };
    const ofOneView = encode({
      type: 'update',
      subscriptionId: 's',
      sequence: 1,
      update: { ...update, addedNodes: [counted] },
    });
    const once = reads;
    const addedNodes = [node, counted];
    encode({ type: 'update', subscriptionId: 't', sequence: 1, update: { ...update, addedNodes } });
    const graph = { nodes: [counted], edges: [], lastUpdated: TIME };
    encode({ type: 'subscribed', requestId: 'r', subscriptionId: 'u', sequence: 1, graph });
    assert.ok(ofOneView.includes('ask') && once > 0);
    assert.equal(reads, once);
  }
});

test('[SV71] varints', () => {
  assert.deepEqual([...varint(0)], [0]);
  assert.deepEqual([...varint(300)], [0xac, 0x02]);
  assert.equal(varint(Number.MAX_SAFE_INTEGER).length, 8);
});

/** Of 500 updates; a block of Node's for each would be 32 MB. Other tests of this process leave some, too. */
const MOST_KEPT = 12_000_000;

test('[FZ2] what is kept encoded keeps nothing else that is made at the time', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (const encode of [encodeFrame, encodeText]) {
    collect();
    const before = process.memoryUsage().arrayBuffers;
    for (let sequence = 1; sequence <= 500; sequence++) {
      const own = { ...update, addedNodes: [{ ...node }] };
      for (const subscriptionId of ['a', 'b', 'c'])
        encode({ type: 'update', subscriptionId, sequence, update: own });
      // As the frames of many readers.
      for (let n = 0; n < 8; n++) Buffer.from('x'.repeat(16_000));
    }
    // Dead buffers are given back by another thread, a while after the collection.
    let kept = Infinity;
    for (let looks = 0; looks < 50 && kept > MOST_KEPT; looks++) {
      collect();
      await setTimeout(20);
      kept = process.memoryUsage().arrayBuffers - before;
    }
    assert.ok(kept < MOST_KEPT, `${kept} bytes for 500 updates`);
  }
});
