import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hurriedPace } from '../../test/support/hurried-pace.ts';
import { makeSpan } from '../../test/support/world.ts';
import { ManualClock } from '../base/clock.ts';
import type { RecordBatch, SafeBatch } from '../model/pipeline.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { noMetrics } from '../telemetry/own-metrics.ts';
import { noAudit } from './audit-log.ts';
import { RedactionDoor } from './door.ts';
import { KeepingRedactor, Originals, type Original } from './vault/originals.ts';

const TRACE = 'c'.repeat(32);

function idOf(n: number): string {
  return (n + 1).toString(16).padStart(16, '0');
}

/** Spans that all hide something. */
function batch(from: number, count: number): RecordBatch {
  const records = Array.from({ length: count }, (_, n) =>
    makeSpan({
      traceId: TRACE,
      spanId: idOf(from + n),
      attrs: { note: `write to person${from + n}@example.com` },
    }),
  );
  return { receivedAt: 0, source: 'bus', records };
}

test('[EL2] a large batch is redacted in pieces, others pass meanwhile, and each has its own originals', async () => {
  const taken: SafeBatch[] = [];
  const kept: { readonly original: Original; readonly isTaken: boolean }[] = [];
  const isTaken = (source: string): boolean =>
    taken.some(({ records }) =>
      records.some((record) => record.kind === 'span' && source === `${TRACE}:${record.spanId}`),
    );
  const originals = new Originals(
    {
      keep: (some) => {
        for (const original of some) kept.push({ original, isTaken: isTaken(original.source) });
      },
    },
    true,
  );
  let pauses = 0;
  const door = new RedactionDoor({
    next: { consume: async (safe) => void taken.push(safe) },
    redactor: new KeepingRedactor({ key: new Uint8Array(32).fill(9), maxCodeSnippetChars: 2000 }, originals),
    metrics: noMetrics,
    audit: noAudit,
    logger: silentLogger,
    clock: new ManualClock(),
    pace: hurriedPace([7], () => pauses++),
    reorderWindowMs: 100,
    enabled: true,
    originals,
  });
  const large = door.consume(batch(0, 200));
  const small = door.consume(batch(200, 5));
  await Promise.all([large, small]);
  assert.ok(pauses >= 20, `${pauses} pauses`);
  assert.deepEqual(
    taken.map(({ records }) => records.length),
    [5, 200],
  );
  assert.equal(kept.length, 205);
  assert.ok(
    kept.every((one) => one.isTaken),
    'none is kept before the next stage knows its record',
  );
});
