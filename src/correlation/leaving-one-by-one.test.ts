import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeEntry, SpanEntry } from './node-entry.ts';
import { TaskRoots } from './task-roots.ts';
import { TraceTasks } from './tasks.ts';
import { TraceQueries } from './trace-queries.ts';
import { TrackedMultimap, Tracker } from './tracker.ts';

/** Fewer than are led from one another at most. */
const COUNT = 1_500;
/** A trace that names more is no session. */
const MAX_SESSIONS = 64;
/** Told again. */
const BOTH = ['delete', 'add'] as const;

/** What each of these is asked for its start, all of them together. */
class Starts {
  asked = 0;

  at(start: number): { readonly start: number; readonly time: number } {
    const ask = (): number => {
      this.asked++;
      return start;
    };
    return {
      get start() {
        return ask();
      },
      get time() {
        return ask();
      },
    };
  }
}

function eventOf(n: number, starts: Starts): NodeEntry {
  const event = starts.at(n);
  return { id: `event:${n}`, taskId: 't', steps: [], event, rootOf: undefined } as unknown as NodeEntry;
}

interface RootOptions {
  readonly session?: string;
  readonly links?: readonly { readonly traceId: string }[];
}

function rootOf(n: number, starts: Starts, { session = 's', links }: RootOptions = {}): SpanEntry {
  const task = links ? undefined : { id: session, rank: 1 };
  const step = { type: 'OTHER', byUser: true, task };
  const facts = Object.defineProperties(
    { kind: 'span', traceId: 'a', parentSpanId: undefined, step, links },
    Object.getOwnPropertyDescriptors(starts.at(n)),
  );
  return { key: `a:${n}`, facts } as unknown as SpanEntry;
}

/** More than it takes to find the next first of so many; to look through all of them takes 2 * COUNT. */
const FEW = 400;

test('[EL1] of a task with many roots the next first one is not looked for whenever one leaves memory', () => {
  const starts = new Starts();
  const entries = Array.from({ length: COUNT }, (_, n) => eventOf(n, starts));
  const roots = new TaskRoots(new Tracker());
  for (const entry of entries) roots.place(entry, true);
  for (const entry of entries) roots.remove(entry);
  assert.ok(starts.asked <= 2 * COUNT, `asked ${starts.asked} times`);
});

test('[EL9] of a trace with many roots the next first one is not looked for whenever one leaves or is told again', () => {
  const starts = new Starts();
  const spans = Array.from({ length: COUNT }, (_, n) => rootOf(n, starts));
  const queries = new TraceQueries(new Tracker());
  for (const span of spans) queries.change(span, 'add');
  for (let n = 0; n < COUNT; n++) for (const verb of BOTH) queries.change(spans[0] ?? assert.fail(), verb);
  for (const span of spans) queries.change(span, 'delete');
  assert.ok(starts.asked <= FEW * COUNT, `asked ${starts.asked} times`);
});

test('[EL9] nor is the one that says of which task a trace is', () => {
  const starts = new Starts();
  const spans = Array.from({ length: COUNT }, (_, n) => rootOf(n, starts));
  const tasks = new TraceTasks(new TrackedMultimap(new Tracker()));
  for (const span of spans) tasks.change(span, 'add');
  for (let n = 0; n < COUNT; n++) for (const verb of BOTH) tasks.change(spans[0] ?? assert.fail(), verb);
  for (const span of spans.slice(0, -1)) tasks.change(span, 'delete');
  assert.equal(tasks.taskOf('a')?.id, 's');
  assert.ok(starts.asked <= FEW * COUNT, `asked ${starts.asked} times`);
});

test('[EL9] nor is it when a trace names now one session too many, and now not', () => {
  const starts = new Starts();
  const tasks = new TraceTasks(new TrackedMultimap(new Tracker()));
  for (let n = 0; n < COUNT; n++)
    tasks.change(rootOf(n, starts, { session: `s${String(n % MAX_SESSIONS).padStart(2, '0')}` }), 'add');
  const other = rootOf(COUNT, starts, { session: 'other' });
  for (let n = 0; n < COUNT / 2; n++) {
    tasks.change(other, 'add');
    assert.equal(tasks.taskOf('a'), undefined);
    tasks.change(other, 'delete');
    assert.equal(tasks.taskOf('a')?.id, 's00');
  }
  assert.ok(starts.asked <= FEW * COUNT, `asked ${starts.asked} times`);
});

test('[EL9] whoever reads the task of a trace is not told of one more root that links where all others do', () => {
  const tracker = new Tracker();
  const tasks = new TraceTasks(new TrackedMultimap(tracker));
  const [one, another] = [0, 1].map((n) => rootOf(n, new Starts(), { links: [{ traceId: 'b' }] }));
  assert.ok(one && another);
  tasks.change(one, 'add');
  tracker.start({ reads: [] } as unknown as NodeEntry);
  assert.equal(tasks.taskOf('a')?.id, 'b');
  tracker.stop();
  for (const verb of ['add', 'delete'] as const) {
    tasks.change(another, verb);
    assert.equal(tracker.hasChanges, false);
  }
  tasks.change(one, 'delete');
  assert.equal(tracker.hasChanges, true);
});
