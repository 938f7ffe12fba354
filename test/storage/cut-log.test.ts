import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Facts } from '../../src/model/facts.ts';
import type { ArchiveIndex } from '../../src/storage/index/archive-index.ts';
import { MemoryArchiveIndex } from '../../src/storage/index/memory-archive-index.ts';
import { loadSqlite, SqliteArchiveIndex } from '../../src/storage/index/sqlite-archive-index.ts';
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
} from '../../src/storage/log/log-core.test-support.ts';

const folder = mkdtempSync(join(tmpdir(), 'cut-log-'));
after(() => rmSync(folder, { recursive: true }));

/** Long enough to be stored in chunks, and shared by those who come later. */
const HISTORY = Array.from({ length: 800 }, (_, n) => `word ${n * 7919}`).join(' ');
const SEGMENT_BYTES = 1e6;

const span = (number: number): Facts => spanFacts(1, number);

interface Step {
  readonly frames: Buffer;
  readonly appended?: Facts;
  readonly left?: Facts;
}

const record = (number: number, text?: string): Step => ({
  frames: recordFrames([{ facts: span(number), ...(text !== undefined && { text }) }]),
  appended: span(number),
});
const leaving = (number: number): Step => ({
  frames: leftFrames('task', [sourceOf(span(number))]),
  left: span(number),
});

/** What is read again and again is short; what is behind it is not cut. */
const STEPS: readonly Step[] = [
  record(1),
  record(2, HISTORY),
  leaving(1),
  record(3, `${HISTORY} and more`),
  leaving(2),
  record(4),
];
/** The last of them are cut at every byte. */
const CUT_STEPS = 4;

/** At the ends of frames every byte is looked at. */
const NEAR_BYTES = 3;

/** What the first steps leave behind. */
function expected(steps: readonly Step[]): { readonly live: string[]; readonly left: string[] } {
  const left = steps.map((step) => step.left).filter((facts) => facts !== undefined);
  const gone = new Set(left.map(sourceOf));
  const live = steps.map(({ appended }) => appended).filter((facts) => facts !== undefined);
  return {
    live: live
      .filter((facts) => !gone.has(sourceOf(facts)))
      .map((facts) => JSON.stringify(facts))
      .sort(),
    left: [...gone].sort(),
  };
}

interface Cut {
  /** Cuts at every byte near the ends of frames, and at each so manieth between them. */
  readonly every: number;
  /** An index as it was when the last byte had been written, and the process died. */
  readonly indexFor: () => ArchiveIndex;
  /** As file systems do when the power fails: the file has its length, and nothing in it. */
  readonly withZeros?: boolean;
}

function checkCuts(
  disk: TestDisk,
  ends: readonly number[],
  { every, indexFor, withZeros = false }: Cut,
): void {
  const [name = ''] = disk.list();
  const whole = disk.contents.get(name) ?? Buffer.alloc(0);
  assert.equal(ends.at(-1), whole.length);
  const from = ends[STEPS.length - CUT_STEPS - 1] ?? 0;
  assert.ok(whole.length - from > 500, `${whole.length - from} bytes are cut`);
  for (let length = from; length <= whole.length; length++) {
    const isNear = ends.some((end) => Math.abs(end - length) < NEAR_BYTES);
    if (!isNear && length % every !== 0) continue;
    const cut = disk.copy();
    const zeros = Buffer.alloc(withZeros ? whole.length - length : 0);
    cut.contents.set(name, Buffer.concat([whole.subarray(0, length), zeros]));
    const reached = withZeros ? endOfZeros(whole, length) : length;
    const kept = STEPS.slice(0, ends.filter((end) => end <= reached).length);
    const options = { openIndex: indexFor, segmentBytes: SEGMENT_BYTES };
    const { core, said } = openCore(cut, options);
    const { live, left } = expected(kept);
    assert.deepEqual(restored(core), live, `cut at ${length}`);
    assert.deepEqual(leftOf(core, 'task'), left, `cut at ${length}`);
    const isWhole = withZeros ? reached === whole.length : ends.includes(length);
    const isSaid = /ends in the middle of a record/.test(said.join());
    assert.equal(isSaid, !isWhole, `cut at ${length}: ${said.join()}`);
    // It goes on where it was cut, and what comes stands behind what was there.
    core.append(record(5, HISTORY).frames, NOW, false);
    const again = openCore(cut, { segmentBytes: SEGMENT_BYTES });
    assert.deepEqual(again.said, []);
    assert.deepEqual(restored(again.core), expected([...kept, record(5)]).live, `cut at ${length}`);
    const source = sourceOf(span(5));
    assert.equal(again.core.texts([source])[source], JSON.stringify(HISTORY));
    core.close();
  }
}

/** Zeros that were there before are none that are missing. */
function endOfZeros(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0) at++;
  return at;
}

function write(disk: TestDisk, index: ArchiveIndex): readonly number[] {
  const { core } = openCore(disk, { openIndex: () => index, segmentBytes: SEGMENT_BYTES });
  const ends = STEPS.map(({ frames }) => {
    core.append(frames, NOW, false);
    return disk.size(disk.list()[0] ?? '');
  });
  return ends;
}

test('[ST24] cut at any byte of its last frames, the log has what was whole, says so, and goes on', () => {
  const disk = new TestDisk();
  const ends = write(disk, new MemoryArchiveIndex());
  checkCuts(disk, ends, { every: 1, indexFor: () => new MemoryArchiveIndex() });
  checkCuts(disk, ends, { every: 7, indexFor: () => new MemoryArchiveIndex(), withZeros: true });
});

test('[ST24] and so it is where the database got further than the log that a power cut left', async () => {
  const open = await loadSqlite();
  assert.ok(open);
  const disk = new TestDisk();
  const path = join(folder, 'written.db');
  const index = new SqliteArchiveIndex(open, path, 1e9);
  const ends = write(disk, index);
  index.close();
  let copies = 0;
  const indexFor = (): ArchiveIndex => {
    const copy = join(folder, `${++copies % 2}.db`);
    for (const ending of ['-wal', '-shm']) rmSync(copy + ending, { force: true });
    copyFileSync(path, copy);
    return new SqliteArchiveIndex(open, copy, 1e9);
  };
  checkCuts(disk, ends, { every: 41, indexFor });
  checkCuts(disk, ends, { every: 41, indexFor, withZeros: true });
});
