import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { ExplanationGraph } from '../../model/node.ts';
import { saveSnapshot } from './graph-snapshot.ts';
import { SNAPSHOT_FILE } from './snapshot-format.ts';

const MAX_BYTES = 1_000_000;

function emptyFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'snapshot-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

function graphOf(lastUpdated: string): ExplanationGraph {
  return { nodes: [], edges: [], lastUpdated };
}

test('[ST6] the snapshot is one JSON object, readable by its owner alone', async (t) => {
  const folder = emptyFolder(t);
  await saveSnapshot(folder, graphOf('2026-01-01T00:00:00.000Z'), MAX_BYTES);
  const file = join(folder, SNAPSHOT_FILE);
  const { nodes, edges, lastUpdated } = JSON.parse(readFileSync(file, 'utf8')) as ExplanationGraph;
  assert.deepEqual({ nodes, edges, lastUpdated }, graphOf('2026-01-01T00:00:00.000Z'));
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('[ST7] where the disk refuses, the snapshot before stays whole, and nothing is left beside it', async (t) => {
  const folder = emptyFolder(t);
  await saveSnapshot(folder, graphOf('2026-01-01T00:00:00.000Z'), MAX_BYTES);
  const before = readFileSync(join(folder, SNAPSHOT_FILE), 'utf8');
  const full = new Error('no space left');
  await assert.rejects(
    saveSnapshot(folder, graphOf('2026-01-02T00:00:00.000Z'), MAX_BYTES, () => Promise.reject(full)),
    full,
  );
  assert.deepEqual(readdirSync(folder), [SNAPSHOT_FILE]);
  assert.equal(readFileSync(join(folder, SNAPSHOT_FILE), 'utf8'), before);
});
