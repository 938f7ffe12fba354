import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hurriedPace } from '../../test/support/hurried-pace.ts';
import { makeDoor } from '../../test/support/make-door.ts';
import { makeSpan } from '../../test/support/world.ts';
import { ManualClock } from '../base/clock.ts';
import type { RecordBatch, SafeBatch } from '../model/pipeline.ts';
import type { CotRecord } from '../model/records.ts';
import { withTail } from '../model/thought-text.ts';
import { epochMs } from '../model/time.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { noMetrics } from '../telemetry/own-metrics.ts';
import { noAudit } from './audit-log.ts';
import { RedactionDoor } from './door.ts';
import { createRedactor } from './redactor.ts';
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

function piece(requestId: string, token: string): CotRecord {
  const none = { text: undefined, summary: undefined, agent: undefined, model: undefined, taskId: undefined };
  const nowhere = { traceId: undefined, spanId: undefined, sequence: undefined };
  return { kind: 'cot', requestId, time: epochMs(1000), tokens: [token], final: false, ...none, ...nowhere };
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

test('[EL2] thoughts are joined in pieces, those of one request in order, and what is due at once is shown in pieces', async () => {
  const clock = new ManualClock();
  const taken: SafeBatch[] = [];
  let pauses = 0;
  const door = new RedactionDoor({
    next: { consume: async (safe) => void taken.push(safe) },
    redactor: createRedactor({ key: new Uint8Array(32).fill(9), maxCodeSnippetChars: 2000 }),
    metrics: noMetrics,
    audit: noAudit,
    logger: silentLogger,
    clock,
    pace: hurriedPace([7], () => pauses++),
    reorderWindowMs: 100,
    enabled: true,
  });
  const consume = (records: readonly CotRecord[]): Promise<void> =>
    door.consume({ receivedAt: 0, source: 'http', records });
  const send = (word: string): Promise<void> =>
    consume(Array.from({ length: 600 }, (_, n) => piece(`r${n % 300}`, ` ${word}${Math.floor(n / 300)}`)));
  const large = Promise.all([send('a'), send('b'), send('c')]);
  await consume([piece('another', 'x')]);
  assert.equal(taken.length, 1, 'a thought of another request does not wait for them');
  await large;
  assert.ok(pauses >= 200, `${pauses} pauses`);
  await door.drain();
  const shown = new Map(
    taken.flatMap(({ records }) =>
      records.map((record) => [record.kind === 'cot' && record.requestId, record] as const),
    ),
  );
  shown.delete('another');
  assert.equal(shown.size, 300);
  for (const record of shown.values())
    assert.equal(record.kind === 'cot' && withTail(record).text, ' a0 a1 b0 b1 c0 c1');
});

test('[EL2] thousands of thoughts that are silent since the same moment go on together, each once', async () => {
  const clock = new ManualClock();
  const taken: (readonly string[])[] = [];
  const redactor = createRedactor({ key: new Uint8Array(32).fill(9), maxCodeSnippetChars: 2000 });
  const door = makeDoor(redactor, clock, (records) =>
    taken.push(records.map((record) => (record.kind === 'cot' ? record.requestId : ''))),
  );
  const ids = Array.from({ length: 2000 }, (_, n) => `r${n}`);
  await door.consume({ receivedAt: 0, source: 'http', records: ids.map((id) => piece(id, 'a word')) });
  taken.length = 0;
  clock.advance(2000);
  await door.settled();
  assert.deepEqual(taken.flat().toSorted(), ids.toSorted());
  assert.ok(taken.length <= 50, `${taken.length} batches`);
  assert.ok(Math.max(...taken.map(({ length }) => length)) <= 500);
});

test('[EL2] what is erased before its turn comes is not shown', async () => {
  const clock = new ManualClock();
  const taken: string[] = [];
  const redactor = createRedactor({ key: new Uint8Array(32).fill(9), maxCodeSnippetChars: 2000 });
  const door = makeDoor(redactor, clock, (records) => {
    for (const record of records) if (record.kind === 'cot') taken.push(record.requestId);
  });
  const ids = ['r1', 'r2', 'r3'];
  await door.consume({ receivedAt: 0, source: 'http', records: ids.map((id) => piece(id, 'a word')) });
  taken.length = 0;
  // In a turn of its own.
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(2000);
  assert.deepEqual(taken, ['r1']);
  await door.forget((id) => id === 'r2');
  await door.settled();
  assert.deepEqual(taken, ['r1', 'r3']);
});
