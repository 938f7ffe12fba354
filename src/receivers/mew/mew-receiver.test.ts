import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundaryError } from '../../base/boundary-error.ts';
import { ManualClock } from '../../base/clock.ts';
import { Pace } from '../../base/pace.ts';
import type { RecordBatch } from '../../model/pipeline.ts';
import { noMetrics } from '../../telemetry/own-metrics.ts';
import { MewReceiver } from './mew-receiver.ts';

test('[MW9] that somebody left counts when it is sent again after it was refused', async () => {
  const clock = new ManualClock();
  const taken: RecordBatch[] = [];
  let isFull = false;
  const consumer = {
    consume: async (batch: RecordBatch) => {
      if (isFull) throw new BoundaryError('RESOURCE_EXHAUSTED', 'full', { retryAfterMs: 1_000 });
      taken.push(batch);
    },
  };
  const receiver = new MewReceiver({ consumer, clock, metrics: noMetrics, pace: new Pace(clock) });
  const post = (message: object) =>
    receiver.receive({
      body: Buffer.from(JSON.stringify({ protocol: 'mew/v0.4', ts: '2026-01-01T00:00:00Z', ...message })),
      contentType: 'application/json',
      taskId: undefined,
      space: 'yard',
      key: undefined,
    });
  await post({ id: 'r', kind: 'reasoning/start', from: 'ann', payload: {} });
  const leaves = {
    id: 'p',
    kind: 'system/presence',
    from: 'system:gateway',
    payload: { event: 'leave', participant: { id: 'ann' } },
  };
  isFull = true;
  await assert.rejects(post(leaves), { code: 'RESOURCE_EXHAUSTED' });
  isFull = false;
  await post(leaves);
  const [end] = taken.at(-1)?.records ?? [];
  assert.ok(end?.kind === 'span' && end.end !== undefined, 'the context is over');
  const before = taken.length;
  await post({ ...leaves, id: 'q' });
  assert.equal(taken.length, before, 'once');
});
