import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundaryError } from '../../base/boundary-error.ts';
import { parseGraphQuery } from './graph-query.ts';

function parse(query: string) {
  return parseGraphQuery(new URLSearchParams(query));
}

test('[SV50] lists are comma-separated or repeated, empty parts left out', () => {
  const { request } = parse(
    'taskIds=a,b&taskIds=c&status=ERROR&agentNames= CriticAgent ,&nodeTypes=LLM_CALL&traceIds=1',
  );
  assert.deepEqual(request['filters'], {
    taskIds: ['a', 'b', 'c'],
    status: ['ERROR'],
    agentNames: ['CriticAgent'],
    nodeTypes: ['LLM_CALL'],
    traceIds: ['1'],
  });
});

test('[SV50] words come in lower case and with dashes, too, as on the command line', () => {
  const { request } = parse('status=error,Warning&nodeTypes=llm-call');
  assert.deepEqual(request['filters'], { status: ['ERROR', 'WARNING'], nodeTypes: ['LLM_CALL'] });
});

test('[SV50] numbers and times are read; a missing end of the range is the end of time', () => {
  const { request, format } = parse(
    'minCostUsd=0.01&timeStart=1750429425123&text=a,b&collapse=none&include=ui',
  );
  assert.deepEqual(request, {
    filters: {
      text: 'a,b',
      minCostUsd: 0.01,
      timeRange: { start: '2025-06-20T14:23:45.123Z', end: '9999-12-31T23:59:59.999Z' },
    },
    collapse: 'none',
    include: ['ui'],
  });
  assert.equal(format, 'explanation');
  const { filters } = parse('timeEnd=2025-06-20').request as { filters: { timeRange: object } };
  assert.deepEqual(filters.timeRange, { start: '0000-01-01T00:00:00.000Z', end: '2025-06-20T00:00:00.000Z' });
});

test('[SU3] a figure in a query is a decimal number, with a sign, an exponent and blanks around it or without', () => {
  for (const [text, figure] of [
    ['5', 5],
    ['%205', 5],
    ['5%20', 5],
    ['+5', 5],
    ['%2B5', 5],
    ['05', 5],
    ['1e3', 1000],
    ['1e-7', 1e-7],
    ['.5', 0.5],
  ] as const)
    assert.deepEqual(parse(`minLatencyMs=${text}`).request, { filters: { minLatencyMs: figure } }, text);
});

test('[SV51] a wrong value is refused by the name of its parameter, without the value', () => {
  const cases = [
    'minCostUsd=SECRET',
    'minCostUsd=',
    'minCostUsd=-1',
    'minCostUsd=1e999',
    'minLatencyMs=0x10',
    'minLatencyMs=0b1',
    'minLatencyMs=Infinity',
    'minLatencyMs=1_000',
    'minLatencyMs=5 6',
    'minLatencyMs=5ms',
    'minLatencyMs=%20',
    'timeStart=SECRET',
    'timeEnd=12',
    'format=SECRET',
    'text=a&text=b',
  ];
  for (const query of cases) {
    const name = query.slice(0, query.indexOf('='));
    assert.throws(
      () => parse(query),
      (error) =>
        error instanceof BoundaryError &&
        error.code === 'INVALID_ARGUMENT' &&
        error.message.startsWith(name) &&
        !error.message.includes('SECRET'),
      query,
    );
  }
});
