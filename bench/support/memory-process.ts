import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { systemClock } from '../../src/base/clock.ts';
import { epochMs, toIso } from '../../src/model/time.ts';
import { DEFAULT_RECEIVER_LIMITS } from '../../src/receivers/config.ts';
import { decodeOtlp } from '../../src/receivers/otlp/decode.ts';
import { noAudit } from '../../src/redaction/audit-log.ts';
import { RedactionDoor } from '../../src/redaction/door.ts';
import { createRedactor } from '../../src/redaction/redactor.ts';
import { saveSnapshot } from '../../src/storage/json/graph-snapshot.ts';
import { LruTextStore } from '../../src/storage/lru-text-store.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';
import { noMetrics } from '../../src/telemetry/own-metrics.ts';
import { makeEngine } from '../../test/support/make-engine.ts';
import { spanRequest } from './payload.ts';

/**
 * Fills a graph through the real stages, from bytes on, to the sizes named on the command line, and tells its parent for
 * each what it holds and how long a snapshot takes. Runs with `--expose-gc`: what is counted is what stays.
 */
export interface SizeReport {
  readonly nodes: number;
  /** Heap that stays for a node: graph, facts, views. */
  readonly heapBytesPerNode: number;
  /** What the service itself estimates, on which `maxMemoryBytes` goes. */
  readonly estimatedBytesPerNode: number;
  readonly snapshotMs: number;
  readonly snapshotBytes: number;
  /** The longest that the event loop stood still meanwhile, in milliseconds. */
  readonly snapshotPauseMs: number;
}

const SPANS_PER_REQUEST = 512;
const dataDir = mkdtempSync(join(tmpdir(), 'explain-bench-'));
const texts = new LruTextStore(64 * 1024 * 1024);
const { engine } = makeEngine({ texts, maxMemoryBytes: 1e10 });
const door = new RedactionDoor({
  next: engine.correlator,
  redactor: createRedactor({
    key: Buffer.alloc(32, 1),
    userPatterns: [],
    maxCodeSnippetChars: 2000,
    disabledRules: [],
  }),
  metrics: noMetrics,
  audit: noAudit,
  logger: silentLogger,
  clock: systemClock,
  reorderWindowMs: 100,
  enabled: true,
});
engine.reader.subscribe({}, { write() {}, close() {}, writable: true });

const empty = heapAfterCollection();
for (const size of process.argv.slice(2).map(Number)) {
  await fill(size);
  const nodes = engine.graph.nodeCount;
  const heap = heapAfterCollection() - empty;
  const saved = await snapshot();
  const report: SizeReport = {
    nodes,
    heapBytesPerNode: heap / nodes,
    estimatedBytesPerNode: engine.correlator.bytes / nodes,
    ...saved,
  };
  process.send?.(report);
}
rmSync(dataDir, { recursive: true });
process.disconnect();

async function fill(nodes: number): Promise<void> {
  const request = spanRequest(SPANS_PER_REQUEST, 1);
  while (engine.graph.nodeCount < nodes) {
    request.renew();
    const { records } = decodeOtlp('traces', 'protobuf', request.body, DEFAULT_RECEIVER_LIMITS, Date.now());
    await door.consume({ receivedAt: 0, source: 'otlp-grpc', records, refused: 0 });
    engine.flush();
  }
}

async function snapshot(): Promise<Pick<SizeReport, 'snapshotMs' | 'snapshotBytes' | 'snapshotPauseMs'>> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const start = performance.now();
  const graph = { ...engine.graph.everything(), lastUpdated: toIso(epochMs(Date.now())) };
  const { bytes } = await saveSnapshot(dataDir, graph, 1e10);
  delay.disable();
  return {
    snapshotMs: performance.now() - start,
    snapshotBytes: bytes,
    snapshotPauseMs: delay.max / 1e6,
  };
}

function heapAfterCollection(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
