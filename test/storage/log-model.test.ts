import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after as afterAll, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
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
  type Opened,
} from '../../src/storage/log/log-core.test-support.ts';
import { propertyRuns } from '../support/property-runs.ts';

/** What the log must say: the state of each live source by its end, and which nodes of which task left. */
interface Oracle {
  readonly live: Map<number, number>;
  readonly left: Map<number, { readonly task: string; readonly end: number | undefined }>;
}

const TASKS = ['task-a', 'task-b'];

const span = fc.integer({ min: 1, max: 12 });
const spans = fc.array(fc.record({ span, end: fc.integer({ min: 0, max: 3 }) }), {
  minLength: 1,
  maxLength: 6,
});
const share = fc.double({ min: 0, max: 1, noNaN: true });

const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('append' as const), spans }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('leave' as const),
      task: fc.constantFrom(...TASKS),
      spans: fc.uniqueArray(span, { minLength: 1, maxLength: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const), clean: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), spans, at: share }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('full' as const), spans, room: fc.nat({ max: 3000 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('maintain' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('erase' as const),
      tasks: fc.subarray(TASKS),
      spans: fc.uniqueArray(span, { maxLength: 4 }),
      crashes: fc.boolean(),
    }),
  },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

interface State {
  readonly span: number;
  readonly end: number;
}

function facts({ span, end }: State): ReturnType<typeof spanFacts> {
  return spanFacts(1, span, end, `span ${span} ends at ${end};`);
}

function keyOf(span: number): string {
  return sourceOf(facts({ span, end: 0 }));
}

/** Of different sizes, up to what is stored in chunks; partly the same as others. */
function textOf({ span, end }: State): string | undefined {
  const words = [0, 10, 100, 1500][(span + end) % 4] ?? 0;
  const shared = Array.from({ length: words }, (_, i) => `word${i}`).join(' ');
  return words === 0 ? undefined : `text of ${span};${end}; ${shared}`;
}

function framesOf(states: readonly State[]): Buffer {
  return recordFrames(
    states.map((state) => {
      const text = textOf(state);
      return { facts: facts(state), ...(text !== undefined && { text }) };
    }),
  );
}

class World {
  readonly disk = new TestDisk();
  private opened: Opened;
  private oracle: Oracle = { live: new Map(), left: new Map() };
  private readonly index: () => ArchiveIndex;

  constructor(index: () => ArchiveIndex) {
    this.index = index;
    this.opened = this.open();
  }

  run(step: Command): void {
    const { core } = this.opened;
    switch (step.do) {
      case 'append':
        core.append(framesOf(step.spans), NOW, false);
        this.oracle = after(this.oracle, step.spans);
        break;
      case 'leave':
        core.append(leftFrames(step.task, step.spans.map(keyOf)), NOW, false);
        for (const span of step.spans) {
          this.oracle.left.set(span, { task: step.task, end: this.oracle.live.get(span) });
          this.oracle.live.delete(span);
        }
        break;
      case 'reopen':
        if (step.clean) core.close();
        this.opened = this.open();
        break;
      case 'crash':
        this.crash(step.spans, step.at);
        break;
      case 'full':
        this.fill(step.spans, step.room);
        break;
      case 'maintain':
        while (core.maintain(NOW));
        break;
      case 'erase':
        this.erase(step.tasks, step.spans, step.crashes);
        break;
    }
  }

  /** The log is exactly what it should be, as the running process sees it and as the next start does. */
  check(): void {
    this.checkReads();
    this.opened = this.open();
    this.checkReads();
    assert.deepEqual(restored(this.opened.core), liveOf(this.oracle));
    assert.deepEqual(this.opened.said, []);
  }

  private open(): Opened {
    return openCore(this.disk, { openIndex: this.index });
  }

  private checkReads(): void {
    const { core } = this.opened;
    const { live, left } = this.oracle;
    for (const task of TASKS) {
      const expected = [...left].filter(([, of]) => of.task === task).map(([span]) => keyOf(span));
      assert.deepEqual(leftOf(core, task), expected.sort());
    }
    for (const [span, { end }] of left) {
      const records = core.leftNode(keyOf(span))?.records ?? [];
      const expected = end === undefined ? [] : [{ span, end }];
      assert.deepEqual(
        records.map((record) => [record.facts, record.texts]),
        expected.map((state) => [JSON.stringify(facts(state)), JSON.stringify(textOf(state)) ?? '']),
      );
    }
    for (const [span, end] of live) {
      const text = textOf({ span, end });
      assert.equal(
        core.texts([keyOf(span)])[keyOf(span)],
        text === undefined ? undefined : JSON.stringify(text),
      );
    }
  }

  /** The process dies while it appends: some first part of the bytes is there, and of the records those that are whole. */
  private crash(states: readonly State[], at: number): void {
    const before = new Map([...this.disk.contents].map(([name, bytes]) => [name, bytes.length]));
    this.opened.core.append(framesOf(states), NOW, false);
    const last =
      [...this.disk.contents.keys()]
        .filter((name) => name.endsWith('.seg'))
        .sort()
        .at(-1) ?? '';
    const bytes = this.disk.contents.get(last) ?? Buffer.alloc(0);
    const kept = before.get(last) ?? 0;
    this.disk.contents.set(last, bytes.subarray(0, kept + Math.floor((bytes.length - kept) * at)));
    this.opened = this.open();
    const found = restored(this.opened.core);
    const prefixes = [...states, undefined].map((_, count) => after(this.oracle, states.slice(0, count)));
    const prefix = prefixes.findLast((oracle) => isDeepStrictEqual(liveOf(oracle), found));
    assert.ok(prefix, 'what is there after a crash is a beginning of what was appended');
    this.oracle = prefix;
  }

  /** A sender that was refused comes again when there is room. */
  private fill(states: readonly State[], room: number): void {
    this.disk.room = room;
    try {
      this.opened.core.append(framesOf(states), NOW, false);
    } catch {
      this.disk.room = Infinity;
      this.opened.core.append(framesOf(states), NOW, false);
    }
    this.disk.room = Infinity;
    this.oracle = after(this.oracle, states);
  }

  private erase(tasks: readonly string[], spans: readonly number[], crashes: boolean): void {
    this.opened.core.startErasure({ tasks, sources: spans.map(keyOf) }, NOW);
    if (crashes) {
      this.opened.core.eraseStep();
      this.opened = this.open();
    } else while (this.opened.core.eraseStep());
    const { live, left } = this.oracle;
    const gone = new Set(spans);
    for (const span of spans) live.delete(span);
    for (const [span, { task }] of left) {
      if (!tasks.includes(task)) continue;
      left.delete(span);
      gone.add(span);
    }
    const { text } = this.disk;
    for (const span of gone)
      if (!live.has(span) && !left.has(span))
        assert.ok(!text.includes(`"span ${span} `), `span ${span} is erased`);
  }
}

/** Of the states of a span the one with the latest end counts. */
function after({ live, left }: Oracle, states: readonly State[]): Oracle {
  const then = new Map(live);
  for (const { span, end } of states) then.set(span, Math.max(end, then.get(span) ?? 0));
  return { live: then, left };
}

function liveOf({ live }: Oracle): string[] {
  return [...live].map(([span, end]) => JSON.stringify(facts({ span, end }))).sort();
}

function runModel(commands: readonly Command[], index: () => ArchiveIndex): void {
  const world = new World(index);
  for (const step of commands) world.run(step);
  world.check();
}

test('[ST26] property: whatever is appended, leaves, is erased, cut off, refused or made smaller, the log says what it should', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 25 }), (commands) =>
      runModel(commands, () => new MemoryArchiveIndex()),
    ),
    propertyRuns(),
  );
});

const folder = mkdtempSync(join(tmpdir(), 'log-model-'));
afterAll(() => rmSync(folder, { recursive: true }));
let databases = 0;

test('[ST26] property: and with the index in SQLite, which lives on over restarts', async () => {
  const open = await loadSqlite();
  assert.ok(open);
  fc.assert(
    fc.property(fc.array(command, { maxLength: 25 }), (commands) => {
      const path = join(folder, `${++databases}.db`);
      let index: SqliteArchiveIndex | undefined;
      runModel(commands, () => {
        try {
          index?.close();
        } catch {
          // It was closed cleanly.
        }
        index = new SqliteArchiveIndex(open, path, 1e9);
        return index;
      });
      index?.close();
    }),
    { ...propertyRuns(), numRuns: 150 },
  );
});

test('[ST26] found: an erasure that a crash ends halfway reaches states that were replaced in other segments', () => {
  const commands: readonly Command[] = [
    { do: 'append', spans: [{ span: 1, end: 0 }] },
    { do: 'append', spans: [{ span: 1, end: 2 }] },
    { do: 'leave', task: 'task-a', spans: [1] },
    { do: 'erase', tasks: ['task-a'], spans: [], crashes: true },
  ];
  // It outlives the crash, as one on the disk does.
  const index = new MemoryArchiveIndex();
  runModel(commands, () => index);
});

test('[ST26] found: places of states that a rewritten segment no longer holds are forgotten', () => {
  runModel(
    [
      {
        do: 'append',
        spans: [
          { span: 4, end: 0 },
          { span: 1, end: 0 },
          { span: 1, end: 0 },
        ],
      },
      { do: 'append', spans: [{ span: 1, end: 2 }] },
      { do: 'maintain' },
      { do: 'leave', task: 'task-a', spans: [1] },
    ],
    () => new MemoryArchiveIndex(),
  );
});

test('[ST26] found: what is erased does not come back from the task that it left memory with before', () => {
  runModel(
    [
      { do: 'append', spans: [{ span: 1, end: 2 }] },
      { do: 'leave', task: 'task-a', spans: [1] },
      { do: 'leave', task: 'task-b', spans: [1] },
      { do: 'erase', tasks: ['task-b'], spans: [], crashes: false },
    ],
    () => new MemoryArchiveIndex(),
  );
});

test('[ST26] found: the records of a node that left again are those of the last time, over a rewritten segment too', () => {
  runModel(
    [
      { do: 'append', spans: [{ span: 1, end: 2 }] },
      { do: 'leave', task: 'task-a', spans: [1] },
      { do: 'leave', task: 'task-a', spans: [1] },
      { do: 'erase', tasks: [], spans: [], crashes: false },
    ],
    () => new MemoryArchiveIndex(),
  );
});

test('[ST26] found: chunks whose record a crash cut off are erased with it', () => {
  runModel(
    [
      { do: 'crash', spans: [{ span: 10, end: 1 }], at: 0.8717909062789978 },
      { do: 'erase', tasks: [], spans: [10], crashes: false },
    ],
    () => new MemoryArchiveIndex(),
  );
});
