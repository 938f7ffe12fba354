import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExplanationNode } from '../../src/model/node.ts';
import { duration } from '../../ui/state/format.ts';
import { titleOf, wordsOf } from '../../ui/state/node-words.ts';

function failed(title: string, name: string, details: ExplanationNode['details'] = {}): ExplanationNode {
  return {
    id: 'n',
    timestamp: '2026-03-01T10:00:00Z',
    agent: 'a',
    type: 'OTHER',
    taskId: 't',
    state: 'ENDED',
    status: 'ERROR',
    title,
    name,
    details,
  };
}

test('[UI12] a failed step keeps its name, and says its message once', () => {
  const long = 'x'.repeat(200);
  for (const [node, what, failure] of [
    [failed('1 test failed', 'run tests', { errorMessage: '1 test failed' }), 'run tests', '1 test failed'],
    [failed('gave up', 'big run', { errorMessage: 'gave up\n at x.js' }), 'big run', 'gave up\n at x.js'],
    [failed('get Oslo: gone', 'execute_tool get', { errorMessage: 'gone' }), 'get Oslo', 'gone'],
    [failed(`get: ${'x'.repeat(114)}…`, 'execute_tool get', { errorMessage: long }), 'get', long],
    [failed('timeout', 'chat', { errorType: 'timeout' }), 'chat', 'timeout'],
    [failed('gone', 'gone', { errorMessage: 'gone' }), 'gone', undefined],
    [failed('What now?', 'chat'), 'What now?', undefined],
    [failed('', 'chat'), 'chat', undefined],
  ] as const)
    assert.deepEqual(wordsOf(node), { what, failure }, node.title);
  assert.equal(titleOf(failed('gave up', 'big run', { errorMessage: 'gave up\n at' })), 'big run: gave up');
  assert.equal(titleOf(failed('gone', 'gone', { errorMessage: 'gone' })), 'gone');
});

test('[UI12] a duration is told in the units that people use for it', () => {
  const minute = 60_000;
  assert.deepEqual(
    [
      undefined,
      0,
      0.3,
      250,
      9_500,
      90_000,
      47 * 60 * minute,
      48 * 60 * minute,
      (12_490 * 60 + 12) * minute,
    ].map(duration),
    ['', '0 ms', '<1 ms', '250 ms', '9.5 s', '1 min 30 s', '47 h 0 min', '2 d 0 h', '520 d 10 h'],
  );
});
