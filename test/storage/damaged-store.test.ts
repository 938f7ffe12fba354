import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { StoreCore } from '../../src/storage/sqlite/store-core.ts';
import { propertyRuns } from '../support/property-runs.ts';
import {
  leftOf,
  leftRows,
  NOW,
  openCore,
  recordRows,
  restored,
  sourceOf,
  spanFacts,
} from './core-support.ts';

const PAGE_BYTES = 16 * 1024;
const TASKS = 20;
const SPANS = 20;

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'damaged-'));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

const spansOf = (task: number): ReturnType<typeof spanFacts>[] =>
  Array.from({ length: SPANS }, (_, span) => spanFacts(task, span + 1));

/** Every other task left memory. */
function fill(dataDir: string): void {
  const { core } = openCore(dataDir);
  for (let task = 1; task <= TASKS; task++) {
    const spans = spansOf(task);
    core.append(recordRows(spans.map((facts) => ({ facts, text: 'word '.repeat(300) }))), NOW);
    if (task % 2 === 0) core.append(leftRows(`task ${task}`, spans.map(sourceOf)), NOW);
  }
  core.close();
}

function rootOf(path: string, table: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  const row = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table);
  database.close();
  return Number(row?.['rootpage']);
}

/** Everything that can be read of it. @returns how many records */
function readAll(core: StoreCore): number {
  let records = restored(core).length;
  for (const task of core.leftTasks())
    for (const id of leftOf(core, task)) {
      const node = core.leftNode(id);
      assert.ok(node, 'a node of a task can be read');
      records += node.records.length;
    }
  return records;
}

test('[ST34] property: whichever page is overwritten, with what, the store is put aside, what can be read is kept, and it goes on', (t) => {
  const whole = folder(t);
  fill(whole);
  const bytes = readFileSync(join(whole, 'explain.db'));
  const pages = bytes.length / PAGE_BYTES;
  const root = rootOf(join(whole, 'explain.db'), 'body') - 1;
  fc.assert(
    fc.property(fc.nat(pages - 1), fc.constantFrom(0, 0xff, 0x41), (page, value) => {
      const dataDir = folder(t);
      const damaged = Buffer.from(bytes).fill(value, page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
      writeFileSync(join(dataDir, 'explain.db'), damaged);
      let { core, said } = openCore(dataDir);
      const again = (): void => {
        core.close();
        ({ core, said } = openCore(dataDir, {}, true));
      };
      // As the thread does it.
      const healed = <T>(work: () => T): T => {
        try {
          return work();
        } catch {
          again();
          return work();
        }
      };
      const count = healed(() => readAll(core));
      // Without the page that leads to all others of facts and texts nothing of these can be found.
      if (page !== root) assert.ok(count > TASKS * SPANS * 0.5, `${count} records are left`);
      healed(() => core.append(recordRows([{ facts: spanFacts(99, 1) }]), NOW));
      assert.ok(healed(() => restored(core)).includes(JSON.stringify(spanFacts(99, 1))));
      if (said.length > 0) assert.ok(readdirSync(dataDir).some((name) => name.includes('.damaged-')));
      core.close();
      const next = openCore(dataDir).core;
      assert.ok(readAll(next) >= 1);
      next.close();
    }),
    { ...propertyRuns(), numRuns: Math.ceil(propertyRuns().numRuns / 10) },
  );
});
