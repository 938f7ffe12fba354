import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after as afterAll, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { propertyRuns } from '../support/property-runs.ts';
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
  type Opened,
} from './core-support.ts';

/** What the store must say: the state of each live source by its end, and which nodes of which task left. */
interface Oracle {
  readonly live: Map<number, number>;
  readonly left: Map<number, Left>;
}

/** With which task it left memory, and the latest end of the states that it left with. */
interface Left {
  readonly task: string;
  readonly end: number;
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

/** Of different sizes, up to several pages. */
function textOf({ span, end }: State): string | undefined {
  const words = [0, 10, 100, 6000][(span + end) % 4] ?? 0;
  const shared = Array.from({ length: words }, (_, i) => `word${i}`).join(' ');
  return words === 0 ? undefined : `text of ${span};${end}; ${shared}`;
}

function rowsOf(states: readonly State[]): ReturnType<typeof recordRows> {
  return recordRows(
    states.map((state) => {
      const text = textOf(state);
      return { facts: facts(state), ...(text !== undefined && { text }) };
    }),
  );
}

class World {
  private folder: string;
  private opened: Opened;
  private oracle: Oracle = { live: new Map(), left: new Map() };

  constructor() {
    this.folder = newFolder();
    this.opened = openCore(this.folder);
  }

  run(step: Command): void {
    const { core } = this.opened;
    switch (step.do) {
      case 'append':
        core.append(rowsOf(step.spans), NOW);
        this.oracle = after(this.oracle, step.spans);
        break;
      case 'leave':
        core.append(leftRows(step.task, step.spans.map(keyOf)), NOW);
        for (const span of step.spans) {
          const left = leftAgain(this.oracle, span, step.task);
          if (left) this.oracle.left.set(span, left);
          this.oracle.live.delete(span);
        }
        break;
      case 'reopen':
        if (step.clean) core.close();
        this.reopen();
        break;
      case 'crash':
        this.crash(step.spans, step.at);
        break;
      case 'maintain':
        settle(core);
        core.probe(100);
        break;
      case 'erase':
        this.erase(step.tasks, step.spans, step.crashes);
        break;
    }
  }

  /** The store is exactly what it should be, as the running process sees it and as the next start does. */
  check(): void {
    this.checkReads();
    this.reopen();
    this.checkReads();
    assert.deepEqual(restored(this.opened.core), liveOf(this.oracle));
    assert.deepEqual(this.opened.said, []);
    this.opened.core.close();
    rmSync(this.folder, { recursive: true });
  }

  /** As the next start finds it when this process ends here. @param keep of what was appended to the log of the database */
  private reopen(keep?: { readonly from: number; readonly share: number }): void {
    const found = newFolder();
    cpSync(this.folder, found, { recursive: true });
    const wal = join(found, WAL);
    const size = sizeOf(wal);
    if (keep && size > keep.from) truncateSync(wal, keep.from + Math.floor((size - keep.from) * keep.share));
    try {
      this.opened.core.close();
    } catch {
      // It was closed.
    }
    rmSync(this.folder, { recursive: true });
    this.folder = found;
    this.opened = openCore(found);
  }

  private checkReads(): void {
    const { core } = this.opened;
    const { live, left } = this.oracle;
    for (const task of TASKS) {
      const expected = [...left].filter(([, of]) => of.task === task).map(([span]) => keyOf(span));
      assert.deepEqual(leftOf(core, task), expected.sort());
    }
    assert.deepEqual(
      [...core.leftTasks()].sort(),
      [...new Set([...left.values()].map(({ task }) => task))].sort(),
    );
    for (const [span, { end }] of left) {
      const records = core.leftNode(keyOf(span))?.records ?? [];
      assert.deepEqual(
        records.map((record) => [record.facts, record.texts]),
        [[JSON.stringify(facts({ span, end })), JSON.stringify(textOf({ span, end })) ?? '']],
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

  /** The process dies while it appends: some first part of the bytes is there, and all of the records or none. */
  private crash(states: readonly State[], share: number): void {
    const from = sizeOf(join(this.folder, WAL));
    this.opened.core.append(rowsOf(states), NOW);
    this.reopen({ from, share });
    const found = restored(this.opened.core);
    const outcomes = [after(this.oracle, states), this.oracle];
    const outcome = outcomes.find((oracle) => isDeepStrictEqual(liveOf(oracle), found));
    assert.ok(outcome, 'what is there after a crash is all that was appended or nothing of it');
    this.oracle = outcome;
  }

  private erase(tasks: readonly string[], spans: readonly number[], crashes: boolean): void {
    this.opened.core.erase({ tasks, sources: spans.map(keyOf) }, NOW);
    if (crashes) {
      this.opened.core.sweep();
      this.reopen();
      settle(this.opened.core);
    } else while (this.opened.core.sweep());
    const { live, left } = this.oracle;
    const gone = new Set(spans);
    for (const span of spans) {
      live.delete(span);
      left.delete(span);
    }
    for (const [span, { task }] of left) {
      if (!tasks.includes(task)) continue;
      left.delete(span);
      gone.add(span);
    }
    const bytes = bytesIn(this.folder);
    for (const span of gone) {
      if (live.has(span) || left.has(span)) continue;
      assert.ok(!bytes.includes(`"span ${span} `), `span ${span} is erased`);
      assert.ok(!bytes.includes(keyOf(span)), `the key of span ${span} is erased`);
    }
  }
}

/** Of the states of a span the one with the latest end counts. */
function after({ live, left }: Oracle, states: readonly State[]): Oracle {
  const then = new Map(live);
  for (const { span, end } of states) then.set(span, Math.max(end, then.get(span) ?? 0));
  return { live: then, left };
}

/** It keeps what it left with before, but for what is newer now; of what has no record nothing is kept. */
function leftAgain({ live, left }: Oracle, span: number, task: string): Left | undefined {
  const ends = [left.get(span)?.end, live.get(span)].filter((end) => end !== undefined);
  return ends.length === 0 ? undefined : { task, end: Math.max(...ends) };
}

function liveOf({ live }: Oracle): string[] {
  return [...live].map(([span, end]) => JSON.stringify(facts({ span, end }))).sort();
}

function runModel(commands: readonly Command[]): void {
  const world = new World();
  for (const step of commands) world.run(step);
  world.check();
}

const WAL = 'explain.db-wal';
const root = mkdtempSync(join(tmpdir(), 'store-model-'));
afterAll(() => rmSync(root, { recursive: true }));

function newFolder(): string {
  return mkdtempSync(join(root, 'store-'));
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

test('[ST26] property: whatever is appended, leaves, is erased, cut off or made smaller, the store says what it should', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 25 }), runModel),
    // Each opens databases on the disk.
    { ...propertyRuns(), numRuns: Math.ceil(propertyRuns().numRuns / 5) },
  );
});

test('[ST32] found: what was erased with its task does not come back when the node leaves memory again', () => {
  runModel([
    { do: 'append', spans: [{ span: 1, end: 2 }] },
    { do: 'leave', task: 'task-a', spans: [1] },
    { do: 'erase', tasks: ['task-a'], spans: [], crashes: false },
    { do: 'append', spans: [{ span: 1, end: 1 }] },
    { do: 'leave', task: 'task-b', spans: [1] },
  ]);
});

test('[ST39] a node that left again has its records once, and those of the time before', () => {
  runModel([
    { do: 'append', spans: [{ span: 1, end: 2 }] },
    { do: 'leave', task: 'task-a', spans: [1] },
    { do: 'append', spans: [{ span: 1, end: 1 }] },
    { do: 'leave', task: 'task-b', spans: [1] },
    { do: 'leave', task: 'task-b', spans: [1] },
    { do: 'erase', tasks: ['task-b'], spans: [], crashes: true },
  ]);
});
