import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryArchiveIndex } from '../index/memory-archive-index.ts';
import { crc32, crc32ByTable } from './crc32.ts';
import {
  leftFrames,
  leftOf,
  NOW,
  openCore,
  recordFrames,
  restored,
  sourceOf,
  spanFacts,
  TestDisk,
} from './log-core.test-support.ts';

const span = (number: number, name = 'step'): ReturnType<typeof spanFacts> => spanFacts(1, number, 10, name);
const json = (...spans: readonly object[]): string[] => spans.map((facts) => JSON.stringify(facts)).sort();

function fill(disk: TestDisk, count: number, chars = 100): void {
  const { core } = openCore(disk);
  for (let n = 1; n <= count; n++)
    core.append(recordFrames([{ facts: span(n), text: `${n} `.repeat(chars / 2) }]), NOW, false);
}

/** Upkeep comes to an end. */
function settle(core: ReturnType<typeof openCore>['core'], now: number): void {
  for (let steps = 0; core.maintain(now); steps++) assert.ok(steps < 1000, 'upkeep comes to an end');
}

function lastSegment(disk: TestDisk): string {
  return [...disk.contents.keys()].sort().at(-1) ?? '';
}

test('[ST23] the checksum is the CRC-32 of everybody, with zlib and without', () => {
  const bytes = Buffer.from('123456789');
  assert.equal(crc32(bytes), 0xcbf43926);
  assert.equal(crc32ByTable(bytes), 0xcbf43926);
  assert.equal(crc32ByTable(bytes.subarray(4), crc32ByTable(bytes.subarray(0, 4))), 0xcbf43926);
});

test('[ST24] a log cut in the middle of a record is cut after the last whole one, and says so', () => {
  const disk = new TestDisk();
  fill(disk, 3);
  const name = lastSegment(disk);
  const bytes = disk.contents.get(name) ?? Buffer.alloc(0);
  disk.contents.set(name, bytes.subarray(0, bytes.length - 7));
  const { core, said } = openCore(disk);
  assert.deepEqual(restored(core), json(span(1), span(2)));
  assert.match(said.join(), /cut after the last whole one/);
  assert.deepEqual(openCore(disk).said, []);
});

test('[ST24] flipped bytes cost the record that they are in, wherever it stands, and are said', () => {
  for (const offset of [40, 100, 200]) {
    const disk = new TestDisk();
    fill(disk, 60);
    const name = [...disk.contents.keys()].sort()[1] ?? '';
    const bytes = disk.contents.get(name) ?? Buffer.alloc(0);
    bytes.writeUInt8(bytes.readUInt8(offset) ^ 0x40, offset);
    const { core, said } = openCore(disk);
    assert.ok(disk.contents.size > 2, 'it is in the middle of the log');
    assert.equal(restored(core).length, 59);
    assert.match(said.join(), /damage in the log/);
  }
});

test('[ST24] a damaged head is said and costs nothing; a log of a newer version is refused and left alone', () => {
  const disk = new TestDisk();
  fill(disk, 3);
  const name = lastSegment(disk);
  const whole = Buffer.from(disk.contents.get(name) ?? []);
  const damaged = Buffer.from(whole);
  damaged.writeUInt8(0, 0);
  disk.contents.set(name, damaged);
  const { core, said } = openCore(disk);
  assert.equal(restored(core).length, 3);
  assert.match(said.join(), /head of a segment/);
  const newer = Buffer.from(whole);
  newer.writeUInt32LE(2, 8);
  newer.writeUInt32LE(crc32(newer.subarray(0, 28)), 28);
  disk.contents.set(name, newer);
  assert.throws(() => openCore(disk), /format 2, and this version reads 1/);
  assert.deepEqual(disk.contents.get(name), newer);
});

test('[ST25] a text that is sent again with more behind it is stored once', () => {
  const disk = new TestDisk();
  const { core } = openCore(disk, { segmentBytes: 1e7 });
  const words = Array.from({ length: 20_000 }, (_, n) => `word ${n * 7919}`);
  const history = (turns: number): string => words.slice(0, turns * 1000).join(' ');
  let sent = 0;
  for (let turn = 1; turn <= 20; turn++) {
    sent += history(turn).length;
    core.append(recordFrames([{ facts: span(turn), text: history(turn) }]), NOW, false);
  }
  const ratio = disk.text.length / history(20).length;
  assert.ok(ratio < 2, `${sent} bytes were sent, and stored is ${ratio.toFixed(2)} times the last message`);
  const source = sourceOf(span(20));
  assert.equal(core.texts([source])[source], JSON.stringify(history(20)));
});

test('[ST27] a disk that is full refuses, keeps what it has, and takes more when there is room', () => {
  const disk = new TestDisk();
  const { core } = openCore(disk);
  core.append(recordFrames([{ facts: span(1) }]), NOW, false);
  disk.room = 100;
  assert.throws(() => core.append(recordFrames([{ facts: span(2) }]), NOW, false), { code: 'ENOSPC' });
  disk.room = Infinity;
  assert.deepEqual(restored(openCore(disk.copy()).core), json(span(1)));
  core.append(recordFrames([{ facts: span(2) }]), NOW, false);
  assert.deepEqual(restored(openCore(disk).core), json(span(1), span(2)));
});

test('[ST28] within maxStoreBytes the oldest tasks go first, whole, and it is said and counted', () => {
  const disk = new TestDisk();
  const { core, said, dropped } = openCore(disk, { maxBytes: 20_000, segmentBytes: 2000 });
  const step = (task: number, number: number): ReturnType<typeof spanFacts> => spanFacts(task, number);
  for (let task = 1; task <= 40; task++) {
    const spans = [1, 2, 3, 4].map((number) => step(task, number));
    core.append(recordFrames(spans.map((facts) => ({ facts, text: 'x'.repeat(200) }))), NOW + task, false);
    core.append(leftFrames(`task ${task}`, spans.map(sourceOf)), NOW + task, false);
    settle(core, NOW + task);
    assert.ok(core.bytes <= 20_000, `${core.bytes} bytes`);
  }
  const kept = Array.from({ length: 40 }, (_, task) => leftOf(core, `task ${task + 1}`).length);
  const first = kept.indexOf(4);
  assert.ok(first > 10 && kept.slice(first).every((nodes) => nodes === 4), kept.join(' '));
  assert.ok(kept.slice(0, first).every((nodes) => nodes === 0));
  assert.equal(
    dropped.reduce((sum, { tasks }) => sum + tasks, 0),
    first,
  );
  assert.match(said.join(), /maxStoreBytes reached/);
});

test('[ST29] what is older than persistRetentionDays is deleted; a clock that jumps back deletes nothing', () => {
  const disk = new TestDisk();
  const { core, dropped } = openCore(disk, { retentionMs: 1000 });
  core.append(recordFrames([{ facts: span(1) }]), NOW, false);
  settle(core, NOW - 1e9);
  assert.deepEqual(dropped, []);
  core.append(recordFrames([{ facts: span(2) }]), NOW - 1e9, false);
  settle(core, NOW + 900);
  assert.equal(restored(openCore(disk.copy()).core).length, 2);
  settle(core, NOW + 1100);
  assert.deepEqual(
    dropped.map(({ reason }) => reason),
    ['retention'],
  );
  assert.deepEqual(restored(openCore(disk).core), []);
});

test('[ST31] found: nodes that left in one go have all left after a crash between the first of them and the next', () => {
  const disk = new TestDisk();
  const index = new MemoryArchiveIndex();
  const { core } = openCore(disk, { openIndex: () => index });
  core.append(recordFrames([{ facts: span(1) }, { facts: span(2) }]), NOW, false);
  const noted = index.transaction.bind(index);
  let done = 0;
  // The process dies: nothing is noted after the first.
  index.transaction = (work) => {
    if (done++ === 0) noted(work);
  };
  const both = [span(1), span(2)].map((facts) => leftFrames('task', [sourceOf(facts)]));
  core.append(Buffer.concat(both), NOW, false);
  index.transaction = noted;
  const again = openCore(disk, { openIndex: () => index }).core;
  assert.deepEqual(restored(again), []);
  assert.deepEqual(leftOf(again, 'task'), [span(1), span(2)].map(sourceOf).sort());
  for (const facts of [span(1), span(2)]) assert.equal(again.leftNode(sourceOf(facts))?.records.length, 1);
});

test('[ST30] what is mostly dead is written anew: redeliveries and states that were replaced take no room for long', () => {
  const disk = new TestDisk();
  const { core } = openCore(disk, { segmentBytes: 4096 });
  for (let round = 0; round < 50; round++) {
    for (let number = 1; number <= 5; number++)
      core.append(recordFrames([{ facts: spanFacts(1, number, round), text: 'y'.repeat(300) }]), NOW, false);
    settle(core, NOW);
  }
  assert.ok(core.bytes < 20_000, `${core.bytes} bytes for five records`);
  assert.equal(restored(openCore(disk).core).length, 5);
});

test('[ST2] found: what is restored has no gap where segments are worth rewriting meanwhile', () => {
  const disk = new TestDisk();
  const { core } = openCore(disk);
  const RECORDS = 400;
  // Behind the first piece that is restored, two of three records were replaced: the others would move.
  for (const round of [1, 2])
    for (let number = 1; number <= RECORDS; number++)
      if (round === 1 || (number > 120 && number % 3 > 0))
        core.append(recordFrames([{ facts: spanFacts(1, number, round), text: 'y'.repeat(50) }]), NOW, false);
  const again = openCore(disk).core;
  let count = 0;
  for (let some = again.restoreNext(); some; some = again.restoreNext()) {
    count += some.count;
    for (let step = 0; step < 50 && again.maintain(NOW); step++);
  }
  assert.equal(count, RECORDS);
  const { bytes } = again;
  settle(again, NOW);
  assert.ok(again.bytes < bytes, 'and then they are rewritten');
  assert.equal(restored(openCore(disk).core).length, RECORDS);
});
