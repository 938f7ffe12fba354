import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as ids from './ids.ts';

test('[GR7] the ids of nodes are functions of the input, each kind with its own beginning', () => {
  const node = ids.requestNodeId('r1');
  const made = [
    ids.spanKey('t', 's'),
    node,
    ids.eventNodeId('e1'),
    ids.stepNodeId('c1'),
    ids.logKey('h1'),
    ids.thoughtId(node, 2),
    ids.alternativeId(node, 1),
    ids.switchId(node),
    ids.queryId('t'),
    ids.summaryId(node),
    ids.noticeId('T1'),
  ];
  assert.deepEqual(made, [
    't:s',
    'req:r1',
    'event:e1',
    'step:c1',
    'log:h1',
    'thought:2:req:r1',
    'alternative:1:req:r1',
    'switch:req:r1',
    'query:t',
    'summary:req:r1',
    'notice:T1',
  ]);
  const owners = made.map(ids.madeOf).filter((owner) => owner !== undefined);
  assert.deepEqual(owners, [node, node, node]);
});
