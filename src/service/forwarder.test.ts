import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
import type { ManualClock } from '../base/clock.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { SpanRecord } from '../model/records.ts';
import { silentLogger } from '../telemetry/logger.ts';
import type { Sent } from '../telemetry/sent.ts';
import { makeEngine } from '../../test/support/make-engine.ts';
import { batchOf, makeSpan, safe } from '../../test/support/world.ts';
import type { Engine } from './engine.ts';
import { TASK_PARENT_WAIT_MS, TASK_QUIET_MS } from '../model/task-over.ts';
import { MAX_WAITING_TASKS } from './forward-queue.ts';
import { Forwarder } from './forwarder.ts';

const TAKEN: Sent = { outcome: 'taken', rejected: 0 };

/** An engine whose tasks are sent on to a receiver that the test plays. */
class Bench {
  readonly engine: Engine;
  readonly clock: ManualClock;
  readonly forwarder: Forwarder;
  /** Every request, whatever became of it. */
  readonly requests: (readonly SpanRecord[])[] = [];
  readonly dropped: { [reason: string]: number } = {};
  forwarded = 0;
  answer: () => Sent | Promise<Sent> = () => TAKEN;

  constructor() {
    const { engine, clock } = makeEngine();
    this.engine = engine;
    this.clock = clock;
    this.forwarder = new Forwarder({
      reader: engine.reader,
      nodesOf: (taskId) => this.nodesOf(taskId),
      sender: {
        send: async (spans) => {
          this.requests.push(spans);
          return this.answer();
        },
        close() {},
      },
      clock,
      logger: silentLogger,
      metrics: {
        spansForwarded: (count) => void (this.forwarded += count),
        forwardDropped: (reason, count) => void (this.dropped[reason] = (this.dropped[reason] ?? 0) + count),
      },
    });
    engine.onChanged((tasks) => this.forwarder.changed(tasks));
  }

  async take(digit: string, fields: Partial<SpanRecord> & { readonly task?: string } = {}): Promise<void> {
    const { task = 'T1', ...rest } = fields;
    const span = makeSpan({ spanId: digit.repeat(16), name: digit, attrs: { taskID: task }, ...rest });
    await this.engine.correlator.consume(batchOf([safe(span)]));
    this.engine.flush();
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 250) {
      this.clock.advance(250);
      for (let turn = 0; turn < 6; turn++) await setImmediate();
    }
  }

  /** The names of the spans of each request. */
  get sent(): readonly (readonly string[])[] {
    return this.requests.map((spans) => spans.map(({ name }) => name));
  }

  private *nodesOf(taskId: string): Generator<ExplanationNode> {
    for (const id of this.engine.graph.nodesOfTask(taskId)) {
      const node = this.engine.graph.node(id);
      if (node) yield node;
    }
  }
}

test('[OX8] a task is sent on once it has ended and is quiet, and later only what is another', async () => {
  const bench = new Bench();
  await bench.take('1', { end: undefined });
  await bench.pass(TASK_QUIET_MS * 2);
  assert.deepEqual(bench.sent, [], 'it runs');
  await bench.take('2', { parentSpanId: '1'.repeat(16) });
  await bench.take('1');
  await bench.pass(TASK_QUIET_MS - 500);
  assert.deepEqual(bench.sent, [], 'more may come');
  await bench.pass(1000);
  assert.deepEqual(bench.sent, [['1', '2']]);
  await bench.take('3', { parentSpanId: '1'.repeat(16) });
  await bench.pass(TASK_QUIET_MS + 500);
  assert.deepEqual(bench.sent, [['1', '2'], ['3']]);
  await bench.pass(TASK_PARENT_WAIT_MS);
  assert.equal(bench.requests.length, 2);
  assert.equal(bench.forwarded, 3);
});

test('[OX8] a step around others that has not come is waited for, and not for ever', async () => {
  const bench = new Bench();
  await bench.take('2', { parentSpanId: '1'.repeat(16) });
  await bench.pass(TASK_QUIET_MS * 3);
  assert.deepEqual(bench.sent, []);
  await bench.take('1');
  await bench.pass(TASK_QUIET_MS + 500);
  assert.deepEqual(bench.sent, [['1', '2']]);
  await bench.take('3', { parentSpanId: '9'.repeat(16) });
  await bench.pass(TASK_PARENT_WAIT_MS + 500);
  assert.deepEqual(bench.sent.at(-1), ['3']);
});

test('[OX9] a receiver that is away is tried again, ever less often, and nothing is lost meanwhile', async () => {
  const bench = new Bench();
  bench.answer = () => ({ outcome: 'later', reason: 'away' });
  await bench.take('1');
  await bench.pass(TASK_QUIET_MS + 250);
  assert.equal(bench.requests.length, 1);
  await bench.take('2', { task: 'T2', traceId: 'b'.repeat(32) });
  await bench.pass(31_000);
  assert.equal(bench.requests.length, 6, 'after 1, 2, 4, 8 and 16 seconds');
  bench.answer = () => TAKEN;
  await bench.pass(40_000);
  assert.deepEqual(bench.sent.slice(-2), [['1'], ['2']]);
  assert.deepEqual([bench.forwarded, bench.dropped], [2, {}]);
});

test('[OX9] no sooner than the receiver says, and what it refuses is counted and not sent again', async () => {
  const bench = new Bench();
  bench.answer = () => ({ outcome: 'later', reason: 'full', afterMs: 20_000 });
  await bench.take('1');
  await bench.pass(TASK_QUIET_MS + 250);
  await bench.pass(19_000);
  assert.equal(bench.requests.length, 1);
  bench.answer = () => ({ outcome: 'refused', reason: 'no' });
  await bench.pass(2000);
  assert.deepEqual([bench.requests.length, bench.dropped], [2, { refused: 1 }]);
  bench.answer = () => ({ outcome: 'taken', rejected: 1 });
  await bench.take('2', { task: 'T2', traceId: 'b'.repeat(32) });
  await bench.pass(TASK_PARENT_WAIT_MS);
  assert.deepEqual([bench.requests.length, bench.dropped], [3, { refused: 2 }]);
});

test('[OX9] so many tasks wait, then the one that changed longest ago is dropped and counted', async () => {
  const bench = new Bench();
  await bench.take('1', { task: 'oldest' });
  bench.forwarder.changed(Array.from({ length: MAX_WAITING_TASKS }, (_, i) => `nobody-${i}`));
  await bench.pass(TASK_QUIET_MS + 500);
  assert.deepEqual([bench.sent, bench.dropped], [[], { full: 1 }]);
});

test('[OX9] at a stop what has ended is sent, and what a receiver does not take in three seconds is counted', async () => {
  const bench = new Bench();
  await bench.take('1');
  await bench.forwarder.stop();
  assert.deepEqual(bench.sent, [['1']]);
  const other = new Bench();
  other.answer = () => ({ outcome: 'later', reason: 'away' });
  await other.take('1');
  await other.take('2', { task: 'T2', traceId: 'b'.repeat(32) });
  const stopped = other.forwarder.stop();
  await other.pass(3500);
  await stopped;
  await other.pass(500);
  assert.deepEqual(other.dropped, { stopped: 2 });
});

test('[OX8] replays are not sent on, and tasks of many steps go in several requests', async () => {
  const bench = new Bench();
  await bench.take('1', {
    attributes: new Map<string, string | { replayOf: string }>([
      ['explain.node.id', 'x'],
      ['explain.node.type', 'OTHER'],
      ['explain.node.task_id', 'T1~replay-1'],
      ['explain.node.details', { replayOf: 'T1' }],
    ]),
  });
  await bench.pass(TASK_QUIET_MS + 500);
  assert.deepEqual(bench.sent, []);
  const spans = Array.from({ length: 1100 }, (_, i) =>
    safe(
      makeSpan({
        spanId: (i + 1).toString(16).padStart(16, '0'),
        attrs: { taskID: 'T2' },
        traceId: 'b'.repeat(32),
      }),
    ),
  );
  await bench.engine.correlator.consume(batchOf(spans));
  bench.engine.flush();
  await bench.pass(TASK_QUIET_MS + 2000);
  assert.deepEqual(
    bench.requests.map(({ length }) => length),
    [512, 512, 76],
  );
});
