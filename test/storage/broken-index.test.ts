import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadSqlite } from '../../src/storage/index/sqlite-archive-index.ts';
import { folderFiles } from '../../src/storage/log/files.ts';
import { LogCore } from '../../src/storage/log/log-core.ts';
import {
  leftFrames,
  leftOf,
  NOW,
  recordFrames,
  restored,
  sourceOf,
  spanFacts,
} from '../../src/storage/log/log-core.test-support.ts';
import { openIndexIn } from '../../src/storage/log/open-index.ts';

const PAGE_BYTES = 4096;
/** Longer than a failed index waits before it is tried again. */
const LATER_MS = 60_000;
const TASKS = 20;
const SPANS = 20;

/** The log and its database as the service opens them, in this thread. */
async function open(folder: string): Promise<{ readonly core: LogCore; readonly said: string[] }> {
  const said: string[] = [];
  const say = (_level: string, _fields: object, message: string): void => void said.push(message);
  const core = new LogCore({
    files: folderFiles(join(folder, 'log')),
    openIndex: openIndexIn(folder, 1e9, await loadSqlite(), say),
    segmentBytes: 16 * 1024,
    maxBytes: 1e9,
    retentionMs: 1e12,
    withoutTexts: false,
    say,
    onDropped: () => assert.fail('nothing may be dropped'),
  });
  return { core, said };
}

const spansOf = (task: number): ReturnType<typeof spanFacts>[] =>
  Array.from({ length: SPANS }, (_, span) => spanFacts(task, span + 1));
const sourcesOf = (task: number): string[] => spansOf(task).map(sourceOf).sort();

/** Every task left memory. */
async function fill(folder: string): Promise<void> {
  const { core } = await open(folder);
  for (let task = 1; task <= TASKS; task++) {
    core.append(recordFrames(spansOf(task).map((facts) => ({ facts }))), NOW, false);
    core.append(leftFrames(`task ${task}`, sourcesOf(task)), NOW, false);
  }
  core.close();
}

function checkAll(core: LogCore): void {
  assert.equal(core.problem, undefined);
  for (let task = 1; task <= TASKS; task++) {
    assert.deepEqual(leftOf(core, `task ${task}`), sourcesOf(task));
    const [source = ''] = sourcesOf(task);
    assert.equal(core.leftNode(source)?.records.length, 1);
  }
}

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'broken-index-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('[ST34] wherever pages of the database are damaged, it is noticed at the latest when they are read, and made anew', async (t) => {
  const folder = folderOf(t);
  await fill(folder);
  const path = join(folder, 'explain_index.db');
  const whole = readFileSync(path);
  const pages = whole.length / PAGE_BYTES;
  assert.ok(pages >= 10, `${pages} pages`);
  for (let page = 0; page < pages; page++) {
    const damaged = Buffer.from(whole);
    damaged.fill(0xa7, page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
    writeFileSync(path, damaged);
    const { core, said } = await open(folder);
    // Somebody asks, in vain perhaps; what is taken in meanwhile is kept.
    for (let task = 1; task <= TASKS; task++) leftOf(core, `task ${task}`);
    core.leftNode(sourcesOf(1)[0] ?? '');
    core.append(recordFrames([{ facts: spanFacts(1000, 1) }, { facts: spanFacts(1000, 2) }]), NOW, false);
    core.append(leftFrames('late', [sourceOf(spanFacts(1000, 2))]), NOW, false);
    const problem = core.problem;
    if (problem !== undefined) assert.match(said.join(), /the index of the store failed/, `page ${page}`);
    for (let step = 0; core.maintain(Date.now() + LATER_MS); step++) assert.ok(step < 100);
    checkAll(core);
    assert.deepEqual(leftOf(core, 'late'), [sourceOf(spanFacts(1000, 2))], `page ${page}`);
    assert.deepEqual(restored(core), [JSON.stringify(spanFacts(1000, 1))], `page ${page}`);
    if (problem !== undefined) assert.match(said.join(), /made anew/, `page ${page}`);
    core.close();
  }
});

test('[ST34] a database that another program keeps locked for long is said, what comes is kept, and it catches up', async (t) => {
  const folder = folderOf(t);
  await fill(folder);
  const { core, said } = await open(folder);
  const other = (await loadSqlite())?.(join(folder, 'explain_index.db'));
  t.after(() => other?.close());
  other?.exec('BEGIN IMMEDIATE');
  core.append(recordFrames(spansOf(TASKS + 1).map((facts) => ({ facts }))), NOW, false);
  core.append(leftFrames('late', sourcesOf(TASKS + 1)), NOW, false);
  assert.match(core.problem ?? '', /index of the store cannot be used/);
  assert.match(said.join(), /the index of the store failed; the log itself goes on/);
  core.append(recordFrames([{ facts: spanFacts(1000, 1) }]), NOW, false);
  other?.exec('ROLLBACK');
  core.maintain(Date.now() + LATER_MS);
  checkAll(core);
  assert.deepEqual(leftOf(core, 'late'), sourcesOf(TASKS + 1));
  core.close();
  const again = await open(folder);
  assert.deepEqual(restored(again.core), [JSON.stringify(spanFacts(1000, 1))]);
  assert.deepEqual(leftOf(again.core, 'late'), sourcesOf(TASKS + 1));
  again.core.close();
});

test('[ST32] after an erasure the write-ahead log of the database does not name what is gone', async (t) => {
  const folder = folderOf(t);
  await fill(folder);
  const { core } = await open(folder);
  core.append(recordFrames([{ facts: spanFacts(1000, 1) }]), NOW, false);
  core.append(leftFrames('a secret name', [sourceOf(spanFacts(1000, 1))]), NOW, false);
  const names = ['explain_index.db', 'explain_index.db-wal'];
  const holds = (): boolean =>
    names.some((name) => readFileSync(join(folder, name)).includes('a secret name'));
  assert.ok(holds());
  core.startErasure({ tasks: ['a secret name'], sources: [] }, NOW);
  while (core.eraseStep());
  assert.ok(!holds());
  checkAll(core);
  core.close();
});
