import type { ManualClock } from '../../src/base/clock.ts';
import type { SafeBatch } from '../../src/model/pipeline.ts';
import type { CotRecord } from '../../src/model/records.ts';
import { epochMs } from '../../src/model/time.ts';
import { noAudit } from '../../src/redaction/audit-log.ts';
import { RedactionDoor, type RedactionDoorOptions } from '../../src/redaction/door.ts';
import type { Redactor } from '../../src/redaction/redactor.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';
import { noMetrics } from '../../src/telemetry/own-metrics.ts';

/** A door that tells nobody what it does. `consume` gets what it lets through, and is waited for. */
export function makeDoor(
  redactor: Redactor,
  clock: ManualClock,
  consume: (records: SafeBatch['records']) => unknown,
  options: Partial<RedactionDoorOptions> = {},
): RedactionDoor {
  return new RedactionDoor({
    next: {
      consume: async ({ records }) => {
        await consume(records);
      },
    },
    redactor,
    metrics: noMetrics,
    audit: noAudit,
    logger: silentLogger,
    clock,
    reorderWindowMs: 100,
    enabled: true,
    ...options,
  });
}

/** An entry of a chain of thought as a receiver makes it. */
export function makeEntry(change: Partial<CotRecord> = {}): CotRecord {
  return {
    kind: 'cot',
    requestId: 'r',
    time: epochMs(1000),
    text: undefined,
    tokens: undefined,
    final: false,
    summary: undefined,
    agent: undefined,
    model: undefined,
    taskId: undefined,
    traceId: undefined,
    spanId: undefined,
    sequence: undefined,
    ...change,
  };
}
