import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SafeRecord } from '../model/pipeline.ts';
import { epochMs } from '../model/time.ts';
import { makeEngine } from '../../test/support/make-engine.ts';
import { batchOf, makeSpan, safe } from '../../test/support/world.ts';

const messages = (role: string, part: object): string => JSON.stringify([{ role, parts: [part] }]);

function step(
  spanId: string,
  operation: string,
  attrs: { [key: string]: string },
  traceId = 'a',
): SafeRecord {
  return safe(
    makeSpan({
      traceId: traceId.repeat(32),
      spanId: spanId.repeat(16),
      start: epochMs(1_750_000_000_000 + Number(spanId)),
      attrs: { 'gen_ai.operation.name': operation, ...attrs },
    }),
  );
}

const asks = step('1', 'chat', {
  'gen_ai.output.messages': messages('assistant', {
    type: 'tool_call',
    id: 'c1',
    name: 'run',
    arguments: {},
  }),
});
const runs = step('2', 'execute_tool', { 'gen_ai.tool.name': 'run', 'gen_ai.tool.call.id': 'c1' });
const reads = step('3', 'chat', {
  'gen_ai.input.messages': messages('tool', { type: 'tool_call_response', id: 'c1', response: 'done' }),
});
const elsewhere = step('4', 'execute_tool', { 'gen_ai.tool.name': 'run', 'gen_ai.tool.call.id': 'c1' }, 'b');

test('[CO20] a tool-call id leads from who asked to who ran it to who read it, in any order, within a trace', async () => {
  for (const order of [
    [asks, runs, reads, elsewhere],
    [elsewhere, reads, runs, asks],
    [runs, elsewhere, asks, reads],
  ]) {
    const { engine } = makeEngine();
    for (const record of order) await engine.correlator.consume(batchOf([record]));
    const { edges } = engine.reader.getGraph({ collapse: 'none' });
    assert.deepEqual(
      edges.map((edge) => `${edge.from.slice(-1)} ${edge.relation} ${edge.to.slice(-1)} ${edge.evidence}`),
      ['1 TRIGGERED 2 toolCallId', '2 TRIGGERED 3 toolCallId'],
    );
  }
});
