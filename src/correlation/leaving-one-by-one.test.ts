import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeEntry, SpanEntry } from './node-entry.ts';
import { TaskRoots } from './task-roots.ts';
import { TraceQueries } from './trace-queries.ts';
import { Tracker } from './tracker.ts';

/** Fewer than are led from one another at most. */
const COUNT = 1_500;

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

function rootOf(n: number, starts: Starts): SpanEntry {
  const facts = Object.defineProperties(
    { kind: 'span', traceId: 'a', parentSpanId: undefined, step: { type: 'OTHER', byUser: true } },
    Object.getOwnPropertyDescriptors(starts.at(n)),
  );
  return { key: `a:${n}`, facts } as unknown as SpanEntry;
}

test('[EL1] of a task with many roots the next first one is not looked for whenever one leaves memory', () => {
  const starts = new Starts();
  const entries = Array.from({ length: COUNT }, (_, n) => eventOf(n, starts));
  const roots = new TaskRoots(new Tracker());
  for (const entry of entries) roots.place(entry, true);
  for (const entry of entries) roots.remove(entry);
  assert.ok(starts.asked <= 2 * COUNT, `asked ${starts.asked} times`);
});

test('[EL1] of a trace with many roots the next first one is not looked for whenever one leaves memory', () => {
  const starts = new Starts();
  const spans = Array.from({ length: COUNT }, (_, n) => rootOf(n, starts));
  const queries = new TraceQueries(new Tracker());
  for (const span of spans) queries.change(span, 'add');
  for (const span of spans.slice(0, COUNT / 2)) queries.change(span, 'delete');
  assert.ok(starts.asked <= 8 * COUNT, `asked ${starts.asked} times`);
});
