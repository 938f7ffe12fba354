import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
import { ManualClock } from '../../base/clock.ts';
import { silentLogger, type Logger } from '../../telemetry/logger.ts';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import { Artifacts } from './artifacts.ts';

test('[TF15] a stop waits some seconds for files that are being written, and says how many are not', async () => {
  const clock = new ManualClock();
  const warned: object[] = [];
  const logger: Logger = { ...silentLogger, warn: (fields) => void warned.push(fields) };
  const artifacts = new Artifacts({
    files: undefined,
    // A disk, or a task, that takes for ever.
    reader: { getNode: () => new Promise(() => {}) } as unknown as ReaderApi,
    isKnown: async () => true,
    tell: async () => undefined,
    retentionDays: 7,
    clock,
    logger,
  });
  artifacts.ended(['one', 'two', 'three'], 'http://localhost:9000');
  let isStopped = false;
  void artifacts.stop().then(() => (isStopped = true));
  clock.advance(4_999);
  await setImmediate();
  assert.equal(isStopped, false);
  clock.advance(1);
  await setImmediate();
  assert.equal(isStopped, true);
  assert.deepEqual(warned, [{ sessions: 2 }]);
});
