import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { silentLogger } from '../../telemetry/logger.ts';
import { putAsideName } from '../put-aside.ts';
import { deleteExpired, TEMPORARY_FILE } from './retention.ts';
import { SNAPSHOT_FILE } from './snapshot-format.ts';

test('[ST12] snapshots and files put aside are deleted when they are too old, other files never', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'retention-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const now = 1_750_000_000_000;
  const daysAgo = (days: number): Date => new Date(now - days * 86_400_000);
  const left = async (ages: Readonly<Record<string, number>>): Promise<readonly string[]> => {
    for (const [name, days] of Object.entries(ages)) {
      writeFileSync(join(folder, name), '');
      utimesSync(join(folder, name), daysAgo(days), daysAgo(days));
    }
    await deleteExpired(folder, 7, now, silentLogger);
    return readdirSync(folder).sort();
  };
  const aside = putAsideName('explain.db', now);
  const others = { 'redaction.key': 30, 'somebody.json': 30 };
  assert.deepEqual(
    await left({ [SNAPSHOT_FILE]: 6.9, [aside]: 6.9, [TEMPORARY_FILE]: 0, ...others }),
    [aside, SNAPSHOT_FILE, ...Object.keys(others)].sort(),
  );
  assert.deepEqual(await left({ [SNAPSHOT_FILE]: 7.1, [aside]: 7.1, ...others }), Object.keys(others).sort());
});
