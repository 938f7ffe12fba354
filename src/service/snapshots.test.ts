import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../test/support/until.ts';
import { ManualClock } from '../base/clock.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { Snapshots } from './snapshots.ts';

test('[ST36] nothing is written into a folder that stands in place of the own one, also when it comes meanwhile', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'snapshots-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  for (const replacedAt of [1, 2]) {
    let asked = 0;
    const snapshots = new Snapshots({
      isKept: true,
      dataDir,
      isReplaced: () => ++asked >= replacedAt,
      maxBytes: () => 1e6,
      graph: () => ({ nodes: [], edges: [], lastUpdated: '2025-06-20T14:23:45.123Z' }),
      nodeCount: () => 0,
      intervalMs: 3_600_000,
      clock: new ManualClock(),
      logger: silentLogger,
      onSaved: () => {},
    });
    snapshots.markChanged();
    await snapshots.stop();
    assert.match(snapshots.problem ?? '', /could not be written/);
    assert.deepEqual(readdirSync(dataDir), []);
  }
});

test('[ST38] a snapshot that could not be written is tried again soon, and said once', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'snapshots-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const dataDir = join(folder, 'not-there-yet');
  const clock = new ManualClock();
  const said: string[] = [];
  const snapshots = new Snapshots({
    isKept: true,
    dataDir,
    isReplaced: () => false,
    maxBytes: () => 1e6,
    graph: () => ({ nodes: [], edges: [], lastUpdated: '2025-06-20T14:23:45.123Z' }),
    nodeCount: () => 0,
    intervalMs: 3_600_000,
    clock,
    logger: { ...silentLogger, error: (_, message) => void said.push(message) },
    onSaved: () => {},
  });
  snapshots.start();
  snapshots.markChanged();
  await snapshots.save();
  assert.match(snapshots.problem ?? '', /could not be written/);
  mkdirSync(dataDir);
  clock.advance(5000);
  await until('it is written', () => snapshots.problem === undefined);
  assert.equal(said.length, 1);
  assert.match(readFileSync(join(dataDir, 'explain_graph.json'), 'utf8'), /"nodes"/);
  await snapshots.stop();
});
