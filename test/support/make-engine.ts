import { ManualClock, type Clock } from '../../src/base/clock.ts';
import { Pace } from '../../src/base/pace.ts';
import { Engine, type EngineOptions } from '../../src/service/engine.ts';
import { LruTextStore } from '../../src/storage/lru-text-store.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';
import { noMetrics } from '../../src/telemetry/own-metrics.ts';

/** The settings of folding, unless a test has its own. */
export const FOLD_LIMITS = {
  pruneLatencyThresholdMs: 50,
  minCostUsdDetail: 0.0001,
  maxCoTDepth: 5,
  maxNodesPerTask: 500,
};

export interface TestEngine {
  readonly engine: Engine;
  readonly clock: ManualClock;
}

/** The stages behind the redaction door on a clock that is moved by hand. */
export function makeEngine(options: Partial<EngineOptions> = {}): TestEngine {
  const clock = new ManualClock();
  const engine = new Engine({
    clock,
    metrics: noMetrics,
    logger: silentLogger,
    texts: new LruTextStore(1_000_000),
    decorate: (node) => node,
    flushIntervalMs: 10,
    updateLatencySlaMs: 50,
    maxQueuedUpdates: 100,
    resumeWindowSeconds: 300,
    maxSubscriptions: 1000,
    ...FOLD_LIMITS,
    nodeTTLMinutes: 120,
    abandonAfterMinutes: 15,
    maxMemoryBytes: 1e9,
    pace: new Pace(options.clock ?? clock, (task) => nextTurn(options.clock ?? clock, task)),
    ...options,
  });
  return { engine, clock };
}

/** A turn ends with that of the event loop, and when time moves: whatever comes first. */
function nextTurn(clock: Clock, task: () => void): void {
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    timer.cancel();
    clearImmediate(immediate);
    task();
  };
  const timer = clock.after(0, end);
  const immediate = setImmediate(end);
}
