import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExplanationNode } from '../model/node.ts';
import { promptProvenance } from './prompt-provenance.ts';

function toolCall(id: string, timestamp: string): ExplanationNode {
  return {
    id,
    timestamp,
    agent: 'a',
    type: 'TOOL_CALL',
    name: 'run',
    title: 'run',
    taskId: 't',
    state: 'ENDED',
    status: 'OK',
    details: { toolCallId: 'c1' },
  };
}

test('[TF12] of several steps that said a part the first by start is named, in whatever order they are known', () => {
  const node = { ...toolCall('call', '2026-01-01T00:00:02.000Z'), type: 'LLM_CALL' as const };
  const part = { type: 'tool_call_response', id: 'c1', response: 'ok' };
  const attributes = {
    span: { 'gen_ai.input.messages': JSON.stringify([{ role: 'tool', parts: [part] }]) },
  };
  const [late, b, a] = [
    toolCall('late', '2026-01-01T00:00:01.000Z'),
    toolCall('b', '2026-01-01T00:00:00.000Z'),
    toolCall('a', '2026-01-01T00:00:00.000Z'),
  ];
  for (const before of [
    [late, b, a],
    [a, b, late],
    [b, a, late],
  ]) {
    const told = promptProvenance({ node, attributes }, before);
    assert.deepEqual(
      told?.parts.map(({ source }) => source.nodeId),
      ['a'],
    );
  }
});
