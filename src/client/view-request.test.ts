import assert from 'node:assert/strict';
import { test } from 'node:test';
import { givenFields } from '../base/given-fields.ts';
import { graphQuery } from './view-request.ts';

test('[CL29] an empty list is no filter', () => {
  assert.deepEqual(givenFields({ status: [], taskIds: ['a'], text: '' }), { taskIds: ['a'], text: '' });
});

test('[CL29] a request as the query of the HTTP API', () => {
  const query = graphQuery({
    filters: {
      agentNames: ['A', 'B&C'],
      nodeTypes: ['LLM_CALL'],
      status: ['ERROR'],
      minCostUsd: 0,
      timeRange: { start: '2025-06-20T14:00:00Z', end: '2025-06-21T14:00:00Z' },
      text: 'x y',
    },
    collapse: 'none',
    include: ['ui'],
  });
  assert.deepEqual(
    [...query],
    [
      ['agentNames', 'A'],
      ['agentNames', 'B&C'],
      ['nodeTypes', 'LLM_CALL'],
      ['status', 'ERROR'],
      ['minCostUsd', '0'],
      ['text', 'x y'],
      ['timeStart', '2025-06-20T14:00:00Z'],
      ['timeEnd', '2025-06-21T14:00:00Z'],
      ['collapse', 'none'],
      ['include', 'ui'],
    ],
  );
});
