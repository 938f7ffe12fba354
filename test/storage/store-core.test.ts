import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { convertLog } from '../../scripts/convert-log/convert-log.ts';
import type { Facts } from '../../src/model/facts.ts';
import { rootsTie, tiesOf, tiesTo, type Tie } from '../../src/model/ties.ts';
import { epochMs } from '../../src/model/time.ts';
import type { Row } from '../../src/storage/sqlite/rows.ts';
import type { StoreCore } from '../../src/storage/sqlite/store-core.ts';
import {
  bytesIn,
  leftOf,
  leftRows,
  NOW,
  openCore,
  recordRows,
  restored,
  settle,
  sourceOf,
  spanFacts,
} from './core-support.ts';

const MIB = 1024 * 1024;
const ROOM = { nodes: 100, bytes: MIB };
const OLD_LOG = resolve(import.meta.dirname, '../fixtures/old-log');

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'core-'));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

const span = (number: number): ReturnType<typeof spanFacts> => spanFacts(1, number);

/** What `du` would say. */
function sizeOf(dataDir: string): number {
  return readdirSync(dataDir).reduce((sum, name) => sum + statSync(join(dataDir, name)).size, 0);
}

test('[ST28] within maxStoreBytes the oldest tasks go first, whole, and it is said and counted', (t) => {
  const dataDir = folder(t);
  const { core, said, dropped } = openCore(dataDir, { maxBytes: 2 * MIB });
  t.after(() => core.close());
  for (let task = 1; task <= 200; task++) {
    const spans = [1, 2, 3, 4].map((number) => spanFacts(task, number));
    core.append(recordRows(spans.map((facts) => ({ facts, text: 'x'.repeat(3000) }))), NOW + task);
    core.append(leftRows(`task ${task}`, spans.map(sourceOf)), NOW + task);
    settle(core, NOW + task);
    assert.ok(sizeOf(dataDir) <= 2 * MIB, `${sizeOf(dataDir)} bytes`);
    assert.equal(core.bytes, sizeOf(dataDir));
  }
  const kept = Array.from({ length: 200 }, (_, task) => leftOf(core, `task ${task + 1}`).length);
  const first = kept.indexOf(4);
  assert.ok(first > 60 && kept.slice(first).every((nodes) => nodes === 4), kept.join(' '));
  assert.ok(first < 120, `${first} of 200 went`);
  assert.ok(kept.slice(0, first).every((nodes) => nodes === 0));
  assert.equal(
    dropped.reduce((sum, { tasks }) => sum + tasks, 0),
    first,
  );
  assert.match(said.join(), /maxStoreBytes reached/);
});

test('[ST28] no more goes than has to, however unlike in size records are', (t) => {
  const { core } = openCore(folder(t), { maxBytes: 2 * MIB });
  t.after(() => core.close());
  for (let task = 1; task <= 15; task++)
    core.append(recordRows([{ facts: spanFacts(task, 1), text: 'x'.repeat(100_000) }]), NOW);
  for (let task = 101; task <= 2100; task++) {
    core.append(recordRows([{ facts: spanFacts(task, 1) }]), NOW);
    if (task % 20 === 0) settle(core);
  }
  const kept = restored(core).map((json) => parseInt((JSON.parse(json) as { traceId: string }).traceId, 16));
  assert.ok(kept.length < 2015, 'some had to go');
  assert.equal(kept.filter((task) => task > 100).length, 2000);
  assert.ok(kept.length > 2008, `${kept.length - 2000} of 15 large ones are left`);
});

test('[ST28] a node whose records went is not kept when it leaves memory, and what comes then is', (t) => {
  const dataDir = folder(t);
  const { core } = openCore(dataDir, { maxBytes: 2 * MIB });
  t.after(() => core.close());
  const all = Array.from({ length: 3000 }, (_, n) => spanFacts(n + 1, 1));
  for (let at = 0; at < all.length; at += 100) {
    core.append(recordRows(all.slice(at, at + 100).map((facts) => ({ facts, text: 'x'.repeat(1000) }))), NOW);
    settle(core);
  }
  const kept = restored(core).length;
  assert.ok(kept < 2000, `${kept} records are left`);
  const left = all.map(sourceOf).map((source) => {
    const rows = leftRows(`task of ${source}`, [source]);
    // What was made from it has no record of its own.
    const [task, , , json] = rows[0] as [string, string, readonly string[], string];
    return [...rows, [task, `${source}#1`, [], json.repeat(3)]] as typeof rows;
  });
  for (let at = 0; at < left.length; at += 100) core.append(left.slice(at, at + 100).flat(), NOW);
  settle(core);
  assert.ok(sizeOf(dataDir) <= 2 * MIB, `${sizeOf(dataDir)} bytes`);
  core.append(recordRows([{ facts: spanFacts(9999, 1), text: 'y'.repeat(1000) }]), NOW + 1);
  settle(core, NOW + 1);
  assert.equal(restored(core).length, 1);
  assert.ok(core.leftTasks().length > kept / 2, 'what has its record is still there');
});

test('[ST28] a bound that was lowered makes the files smaller', (t) => {
  const dataDir = folder(t);
  const before = openCore(dataDir).core;
  for (let task = 1; task <= 100; task++)
    before.append(recordRows([{ facts: spanFacts(task, 1), text: 'x'.repeat(100_000) }]), NOW);
  before.close();
  assert.ok(sizeOf(dataDir) > 8 * MIB);
  const { core } = openCore(dataDir, { maxBytes: 4 * MIB });
  t.after(() => core.close());
  settle(core);
  assert.ok(sizeOf(dataDir) <= 4 * MIB, `${sizeOf(dataDir)} bytes`);
  assert.ok(restored(core).length > 20);
});

test('[ST29] what is older than persistRetentionDays is deleted; a clock that jumps back deletes nothing', (t) => {
  const dataDir = folder(t);
  const { core, dropped } = openCore(dataDir, { retentionMs: 1000 });
  t.after(() => core.close());
  core.append(recordRows([{ facts: span(1), text: 'expires' }]), NOW);
  settle(core, NOW - 1e9);
  assert.deepEqual(dropped, []);
  core.append(recordRows([{ facts: span(2) }, { facts: span(3) }]), NOW - 1e9);
  core.append(leftRows('T', [sourceOf(span(3))]), NOW - 1e9);
  settle(core, NOW + 900);
  assert.equal(restored(core).length, 2);
  core.append(recordRows([{ facts: span(4) }]), NOW + 1000);
  settle(core, NOW + 1100);
  assert.deepEqual(dropped, [{ reason: 'retention', tasks: 1, records: 3 }]);
  assert.deepEqual(restored(core), [JSON.stringify(span(4))]);
  assert.deepEqual(core.leftTasks(), []);
  assert.doesNotMatch(bytesIn(dataDir), /expires/);
});

test('[ST29] what a node that outlives its records leaves behind is deleted as well', (t) => {
  const dataDir = folder(t);
  const { core } = openCore(dataDir, { retentionMs: 1000 });
  t.after(() => core.close());
  core.append(recordRows([{ facts: span(1) }]), NOW);
  settle(core, NOW + 1100);
  const [row] = leftRows('T', [sourceOf(span(1))]);
  assert.ok(row);
  core.append([row, ['T', 'made from it', [], '{"node":{"id":"private words"}}']], NOW + 1100);
  assert.deepEqual(leftOf(core, 'T'), ['private words']);
  settle(core, NOW + 2200);
  assert.deepEqual(core.leftTasks(), []);
  assert.doesNotMatch(bytesIn(dataDir), /private words/);
});

test('[ST30] redeliveries and states that were replaced take no room', (t) => {
  const dataDir = folder(t);
  const { core } = openCore(dataDir, { maxBytes: 16 * MIB });
  t.after(() => core.close());
  for (let round = 0; round < 60; round++)
    core.append(
      recordRows(
        Array.from({ length: 50 }, (_, n) => ({
          facts: spanFacts(1, n + 1, round >> 1),
          text: 'y'.repeat(3000),
        })),
      ),
      NOW,
    );
  settle(core);
  assert.ok(core.bytes < 1.5 * MIB, `${core.bytes} bytes for 50 records`);
  assert.equal(restored(core).length, 50);
});

test('[ST9] the log of an earlier version is converted once: live and archived records, long texts, and what was to be erased', (t) => {
  const dataDir = folder(t);
  cpSync(OLD_LOG, join(dataDir, 'log'), { recursive: true });
  writeFileSync(join(dataDir, 'explain_index.db'), 'derived');
  assert.throws(() => openCore(dataDir), /npm run store:convert -- /);
  // A conversion that was killed.
  writeFileSync(join(dataDir, 'explain.db.new'), 'begun');
  writeFileSync(join(dataDir, 'explain.db.new-wal'), 'begun');
  assert.ok((convertLog(dataDir) ?? 0) > 0);
  assert.equal(convertLog(dataDir), undefined);
  const { core } = openCore(dataDir);
  const check = (): void => {
    const thoughts = restored(core).map((json) => JSON.parse(json) as { requestId: string; text: string });
    assert.deepEqual(thoughts.map(({ requestId, text }) => `${requestId}: ${text}`).sort(), [
      'later: thought',
      'long a: thought of long a',
      'long b: thought of long b',
      'state: new',
    ]);
    for (const id of ['long a', 'long b'])
      assert.match(core.texts([`req:${id}`])[`req:${id}`] ?? '', new RegExp(`word 919 .* and then ${id}"`));
    assert.deepEqual([...core.leftTasks()].sort(), ['T', 'U']);
    assert.deepEqual(leftOf(core, 'T'), ['req:left']);
    assert.match(core.leftNode('req:left')?.records[0]?.texts ?? '', /prompt of left/);
    const twice = core.leftNode('req:twice');
    assert.deepEqual(
      twice?.records.map(({ facts }) => (JSON.parse(facts) as { text: string }).text),
      ['again'],
    );
  };
  check();
  settle(core);
  assert.doesNotMatch(bytesIn(dataDir), /secret words/);
  assert.deepEqual(readdirSync(dataDir).sort(), ['explain.db', 'explain.db-wal']);
  check();
  core.close();
  const again = openCore(dataDir);
  assert.deepEqual(again.said, []);
  assert.equal(restored(again.core).length, 4);
  again.core.close();
});

test('[ST9] converting that was killed after its end removes the log; a log that was written since is not lost', (t) => {
  const dataDir = folder(t);
  const log = join(dataDir, 'log');
  cpSync(OLD_LOG, log, { recursive: true });
  convertLog(dataDir);
  assert.equal(existsSync(log), false);
  cpSync(OLD_LOG, log, { recursive: true });
  writeFileSync(join(log, 'of another program'), '');
  convertLog(dataDir);
  const { core } = openCore(dataDir);
  assert.equal(restored(core).length, 4);
  assert.deepEqual(readdirSync(log), ['of another program']);
  core.close();
  // One that was killed while it removed it.
  cpSync(OLD_LOG, log, { recursive: true });
  rmSync(join(log, '00000001.seg'));
  convertLog(dataDir);
  const again = openCore(dataDir).core;
  assert.equal(restored(again).length, 4);
  assert.deepEqual(readdirSync(log), ['of another program']);
  again.close();
  cpSync(OLD_LOG, log, { recursive: true });
  appendFileSync(join(log, '00000004.seg'), 'since');
  assert.throws(() => convertLog(dataDir), /holds a store, and a log that was written since/);
  assert.ok(readdirSync(log).length > 1);
});

test('[ST33] records that were to take the place of all others are gone when the start that wrote them was killed', (t) => {
  const dataDir = folder(t);
  const first = openCore(dataDir).core;
  first.append(recordRows([{ facts: span(1), text: 'a text' }]), NOW);
  first.startAnew();
  first.stage(recordRows([{ facts: span(1) }]), NOW);
  first.close();
  const { core } = openCore(dataDir);
  assert.equal(core.heldTexts, true);
  assert.equal(restored(core).length, 1);
  const upTo = core.startAnew();
  core.stage(recordRows([{ facts: span(1) }]), NOW);
  core.append(recordRows([{ facts: span(2) }]), NOW);
  core.replace(upTo);
  settle(core);
  assert.deepEqual(restored(core), [span(1), span(2)].map((facts) => JSON.stringify(facts)).sort());
  assert.equal(core.texts([sourceOf(span(1))])[sourceOf(span(1))], undefined);
  assert.doesNotMatch(bytesIn(dataDir), /a text/);
  core.close();
});

test('[ST32] a node that leaves memory again while what was erased of it is still being deleted has none of that', (t) => {
  const { core } = openCore(folder(t));
  t.after(() => core.close());
  const again = (end: number, task: string): void => {
    core.append(recordRows([{ facts: spanFacts(1, 1, end) }]), NOW);
    core.append(leftRows(task, [sourceOf(span(1))]), NOW);
  };
  again(2, 'T');
  core.erase({ tasks: ['T'], sources: [] }, NOW);
  assert.equal(core.leftNode(sourceOf(span(1))), undefined);
  again(1, 'U');
  const expected = [JSON.stringify(spanFacts(1, 1, 1))];
  assert.deepEqual(
    core.leftNode(sourceOf(span(1)))?.records.map(({ facts }) => facts),
    expected,
  );
  settle(core);
  assert.deepEqual(
    core.leftNode(sourceOf(span(1)))?.records.map(({ facts }) => facts),
    expected,
  );
});

const thought = (number: number, text: string): Facts => ({
  kind: 'cot',
  requestId: `r${number}`,
  part: 1,
  revision: 1,
  text,
  final: true,
  first: epochMs(NOW),
  last: epochMs(NOW),
});

const call = (number: number, parent?: number): Facts => ({
  ...(spanFacts(7, number) as Extract<Facts, { kind: 'span' }>),
  ...(parent !== undefined && { parentSpanId: parent.toString(16).padStart(16, '0') }),
});

test('[CO39] of a node that left memory with a thought of hundreds of MB the first records of it are read, and all others', (t) => {
  const { core } = openCore(folder(t));
  t.after(() => core.close());
  const part = (number: number): Facts => ({ ...thought(1, 'y'.repeat(2 * MIB)), part: number }) as Facts;
  for (let number = 1; number <= 20; number++) core.append(recordRows([{ facts: part(number) }]), NOW);
  core.append(recordRows([{ facts: span(1) }]), NOW);
  const sources = [sourceOf(part(1)), sourceOf(span(1))];
  core.append([['T', 'n', sources, JSON.stringify({ node: { id: 'n' }, edges: [], sources })]], NOW);
  const records = core.leftNode('n')?.records ?? [];
  const read = records.map(({ facts }) => JSON.parse(facts) as Facts);
  assert.equal(read.filter(({ kind }) => kind === 'span').length, 1);
  assert.deepEqual(
    read.flatMap((facts) => (facts.kind === 'cot' ? [facts.part] : [])),
    Array.from({ length: 15 }, (_, i) => i + 1),
  );
});

/** A chain of spans that left memory with their task. */
function chainThatLeft(core: StoreCore, length: number, name = 'call'): Facts[] {
  const all = Array.from({ length }, (_, n) => ({ ...call(n + 1, n === 0 ? undefined : n), name }) as Facts);
  core.append(recordRows(all.map((facts) => ({ facts }))), NOW);
  const nodes = leftRows('T', all.map(sourceOf)).map(
    (row, n) => [...row, tiesOf(all[n] as Facts)] as unknown as Row,
  );
  core.append(nodes, NOW);
  return all;
}

test('[ST42] what is tied to a record that came is in memory again, in one transaction, once', (t) => {
  const { core } = openCore(folder(t));
  t.after(() => core.close());
  const all = chainThatLeft(core, 3);
  const found = core.tied([tiesTo(call(9, 3))], ROOM, []);
  assert.deepEqual(found.nodes.map(({ name }) => name).sort(), all.map(sourceOf).sort());
  assert.deepEqual(found.tasks, ['T']);
  assert.deepEqual(
    core.tied([tiesTo(call(9, 3))], ROOM, ['T']).nodes,
    [],
    'a task that is being erased stays away',
  );
  assert.deepEqual(core.tied([tiesTo(spanFacts(8, 3))], ROOM, []).nodes, []);
  // A newer state of one of them has come.
  const newer = spanFacts(7, 2, 99);
  core.append(recordRows([{ facts: newer }]), NOW);
  const ids = found.nodes.map(({ id }) => id);
  core.append([[ids]], NOW);
  core.append([[ids]], NOW);
  assert.deepEqual(restored(core), [all[0], newer, all[2]].map((facts) => JSON.stringify(facts)).sort());
  assert.deepEqual(core.leftTasks(), []);
  assert.deepEqual(core.ties([-1, -1]), []);
  core.append(leftRows('T', all.map(sourceOf)), NOW);
  assert.equal(leftOf(core, 'T').length, 3);
});

test('[ST42] of more than there is room for only the node and those above it come', (t) => {
  const { core } = openCore(folder(t));
  t.after(() => core.close());
  const all = chainThatLeft(core, 20);
  const names = (max: number, bytes = MIB): string[] =>
    core
      .tied([tiesTo(call(99, 3))], { nodes: max, bytes }, [])
      .nodes.map(({ name }) => name)
      .sort();
  assert.deepEqual(names(19), all.slice(0, 3).map(sourceOf).sort());
  assert.equal(names(20).length, 20);
  const bytes = all.reduce((sum, facts) => sum + Buffer.byteLength(JSON.stringify(facts)), 0);
  assert.deepEqual(names(20, bytes - 1), all.slice(0, 3).map(sourceOf).sort());
  assert.equal(names(20, bytes).length, 20);
});

test('[ST42] of several requests each gets what it would get alone, and who finds no room is left for later', (t) => {
  const { core } = openCore(folder(t));
  t.after(() => core.close());
  // What takes longer than a batch may is left for later as well; here nothing takes time.
  t.mock.method(performance, 'now', () => 0);
  chainThatLeft(core, 20);
  const other = spanFacts(8, 1);
  core.append(recordRows([{ facts: other }]), NOW);
  core.append([[...(leftRows('U', [sourceOf(other)])[0] ?? []), tiesOf(other)] as unknown as Row], NOW);
  const [large, small, same, strange] = [call(99, 3), other, call(98, 5), spanFacts(9, 1)].map(tiesTo);
  assert.ok(large && small && same && strange);
  const asked = (ties: (readonly Tie[])[], nodes: number): object => {
    const found = core.tied(ties, { nodes, bytes: MIB }, []);
    return { answered: found.answered, nodes: found.nodes.length };
  };
  assert.deepEqual(asked([large, small], 21), { answered: [0, 1], nodes: 21 });
  assert.deepEqual(asked([small, large, small], 20), { answered: [0, 2], nodes: 1 }, 'alone it has room');
  assert.deepEqual(asked([large, small], 19), { answered: [0, 1], nodes: 4 }, 'alone it has none either');
  assert.deepEqual(asked([large, same, strange], 20), { answered: [0, 1, 2], nodes: 20 });
});

test('[ST42] of what is nearest no more comes than 32 MiB, and one node in any case', (t) => {
  const { core } = openCore(folder(t));
  t.after(() => core.close());
  const all = chainThatLeft(core, 4, 'x'.repeat(15 * MIB));
  const near = core.tied([tiesTo(call(99, 4))], { nodes: 100, bytes: 0 }, []).nodes.map(({ name }) => name);
  assert.deepEqual(near, all.slice(2).reverse().map(sourceOf));
});

test('[ST42] where there is no room for all of a task, of a thousand roots one comes, and of fewer all', (t) => {
  const { core } = openCore(folder(t));
  t.after(() => core.close());
  const tie = rootsTie('T', true);
  const leave = (from: number, to: number): void => {
    const all = Array.from({ length: to - from }, (_, n) => spanFacts(from + n, 1));
    core.append(recordRows(all.map((facts) => ({ facts }))), NOW);
    const rows = leftRows('T', all.map(sourceOf));
    core.append(
      rows.map((row, n) => [...row, [...tiesOf(all[n] as Facts), tie]] as unknown as Row),
      NOW,
    );
  };
  const come = (nodes: number): number => core.tied([[tie]], { nodes, bytes: MIB }, []).nodes.length;
  leave(1, 1000);
  assert.equal(come(998), 999);
  leave(1000, 1001);
  assert.equal(come(999), 1);
  assert.equal(come(1000), 1000);
});

test('[RD6] of thoughts that left memory the last 16 MiB are handed over at a start', (t) => {
  const { core } = openCore(folder(t));
  t.after(() => core.close());
  const states = Array.from({ length: 40 }, (_, n) => thought(n, 'x'.repeat(MIB - 1000)));
  for (const facts of states) core.append(recordRows([{ facts }]), NOW);
  core.append(leftRows('T', states.map(sourceOf)), NOW);
  assert.deepEqual(
    core.leftThoughts().map((json) => sourceOf(JSON.parse(json) as Facts)),
    states.slice(-16).map(sourceOf),
  );
});

test('[ST42] what was erased does not come back, whenever that was asked for', (t) => {
  const { core } = openCore(folder(t));
  t.after(() => core.close());
  chainThatLeft(core, 3);
  const ids = core.tied([tiesTo(call(9, 3))], ROOM, []).nodes.map(({ id }) => id);
  core.erase({ tasks: ['T'], sources: [] }, NOW);
  core.append([[ids]], NOW);
  assert.deepEqual(restored(core), []);
  while (core.sweep());
  assert.deepEqual(core.ties([-1, -1]), []);
});

test('[ST42] a store of the version before is read, and late records find what left in it', (t) => {
  const dataDir = folder(t);
  const { core } = openCore(dataDir);
  const all = chainThatLeft(core, 3);
  const [task, id, , json] = leftRows('T', ['made'])[0] as [string, string, string[], string];
  core.append(
    [
      [
        task,
        id,
        [],
        json.replace('"id":"made"', `"id":"made","details":{"partOf":"${sourceOf(all[0] as Facts)}"}`),
      ],
    ],
    NOW,
  );
  core.close();
  const database = new DatabaseSync(join(dataDir, 'explain.db'));
  database.exec('DROP TABLE tie; PRAGMA user_version = 1');
  database.close();
  const { core: again } = openCore(dataDir);
  t.after(() => again.close());
  assert.equal(again.tied([tiesTo(call(9, 3))], ROOM, []).nodes.length, 4);
});
