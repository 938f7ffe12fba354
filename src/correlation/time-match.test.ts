import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CotText } from '../model/facts.ts';
import type { SafeRecord } from '../model/pipeline.ts';
import { epochMs } from '../model/time.ts';
import { makeEngine } from '../../test/support/make-engine.ts';
import { batchOf, makeSpan, safe } from '../../test/support/world.ts';

const START = 1_750_000_000_000;

function call(spanId: string, from: number, to: number, component = 'coder-agent'): SafeRecord {
  return safe(
    makeSpan({
      spanId: spanId.repeat(16),
      start: epochMs(START + from),
      end: epochMs(START + to),
      attrs: { component, 'model.name': 'm' },
    }),
  );
}

function thought(requestId: string, at: number, rest: Partial<CotText> = {}): SafeRecord {
  const time = epochMs(START + at);
  const cot = { kind: 'cot', requestId, part: 1, revision: 1, text: `of ${requestId}`, final: true } as const;
  return safe({ ...cot, first: time, last: time, agent: 'CoderAgent', ...rest });
}

async function nodesAfter(...records: SafeRecord[]): Promise<string[]> {
  const { engine } = makeEngine({ maxCoTDepth: 0 });
  for (const record of records) await engine.correlator.consume(batchOf([record]));
  return engine.reader
    .getGraph({ collapse: 'none' })
    .nodes.map(
      ({ id, details }) =>
        `${id.slice(-4)} ${JSON.stringify(details?.['correlatedBy'] ?? '-').replaceAll('"', '')}`,
    );
}

test('[CO19] a thought that names no span joins the only call of its agent that it lies in', async () => {
  const joined = ['q:r1 agent and time'];
  assert.deepEqual(await nodesAfter(call('1', 0, 100), thought('r1', 50)), joined);
  assert.deepEqual(await nodesAfter(thought('r1', 50), call('1', 0, 100)), joined);
});

test('[CO19] it stays apart where there is another choice on either side', async () => {
  const twoCalls = await nodesAfter(call('1', 0, 100), thought('r1', 50), call('2', 10, 90));
  assert.deepEqual(twoCalls, ['1111 -', '2222 -', 'q:r1 -']);
  const twoThoughts = await nodesAfter(call('1', 0, 100), thought('r1', 50), thought('r2', 60));
  assert.deepEqual(twoThoughts, ['1111 -', 'q:r1 -', 'q:r2 -']);
});

test('[CO19] it stays apart from other agents, other tasks, other times, and calls that are spoken for', async () => {
  const apart = ['1111 -', 'q:r1 -'];
  assert.deepEqual(await nodesAfter(call('1', 0, 100, 'critic-agent'), thought('r1', 50)), apart);
  assert.deepEqual((await nodesAfter(call('1', 0, 100), thought('r1', 150))).toSorted(), apart);
  const pointing = { traceId: 'a'.repeat(32), spanId: '1'.repeat(16), agent: 'Other' };
  const spokenFor = await nodesAfter(call('1', 0, 100), thought('r1', 50), thought('r2', 50, pointing));
  assert.deepEqual(spokenFor.toSorted(), ['q:r1 -', 'q:r2 -']);
});
