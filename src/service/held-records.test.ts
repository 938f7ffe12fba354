import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { makeEngine } from '../../test/support/make-engine.ts';
import { makeSpan } from '../../test/support/world.ts';
import type { Taken } from '../correlation/journal.ts';
import { noAudit } from '../redaction/audit-log.ts';
import { RedactionDoor } from '../redaction/door.ts';
import { createRedactor } from '../redaction/redactor.ts';
import { noTextStore } from '../storage/text-store.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { noMetrics } from '../telemetry/own-metrics.ts';

test('[FZ2] while the store is waited for nobody holds the records that came, nor their texts', async () => {
  const written = Promise.withResolvers<void>();
  const journalled: (readonly Taken[])[] = [];
  const append = (taken: readonly Taken[], release?: () => void): Promise<void> => {
    assert.deepEqual(taken[0]?.texts?.attributes, { asked: 'a long text' });
    journalled.push(taken);
    release?.();
    return written.promise;
  };
  const texts = { ...noTextStore, isOfJournal: true } as const;
  const { engine, clock } = makeEngine({ texts, journal: { append } });
  const safe: (readonly unknown[])[] = [];
  const door = new RedactionDoor({
    next: {
      consume: (batch) => {
        safe.push(batch.records);
        return engine.correlator.consume(batch);
      },
    },
    redactor: createRedactor({ key: Buffer.alloc(32, 1), maxCodeSnippetChars: 2000 }),
    metrics: noMetrics,
    audit: noAudit,
    logger: silentLogger,
    clock,
    reorderWindowMs: 100,
    enabled: true,
  });
  const records = [makeSpan({ attrs: { asked: 'a long text' } })];
  const release = (): void => void (records.length = 0);
  const taken = door.consume({ receivedAt: 0, source: 'otlp-grpc', records, release });
  await turn();
  assert.deepEqual([records, ...safe, ...journalled], [[], [], []]);
  written.resolve();
  await taken;
  assert.equal(engine.graph.nodeCount, 1);
  engine.stop();
});
