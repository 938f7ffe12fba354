import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
import fc from 'fast-check';
import { BoundaryError } from '../base/boundary-error.ts';
import type { ManualClock } from '../base/clock.ts';
import type { ExplanationGraph, ExplanationNode } from '../model/node.ts';
import type { RecordBatch, RecordConsumer, SafeRecord } from '../model/pipeline.ts';
import { epochMs } from '../model/time.ts';
import { createRedactor } from '../redaction/redactor.ts';
import type { ReaderApi } from '../subscriptions/reader-api.ts';
import { taskContent } from '../subscriptions/task-content.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { makeDoor } from '../../test/support/make-door.ts';
import { makeEngine } from '../../test/support/make-engine.ts';
import { propertyRuns } from '../../test/support/property-runs.ts';
import { until } from '../../test/support/until.ts';
import { batchOf, makeSpan, safe, worldArbitrary } from '../../test/support/world.ts';
import type { Engine } from './engine.ts';
import { MAX_REPLAYS, Replays } from './replays.ts';

const TRACE = 'a'.repeat(32);
const START = 1_750_000_000_000;
const redactor = createRedactor({ key: new Uint8Array(32).fill(5), maxCodeSnippetChars: 2000 });

/** An engine behind a door, and replays that send to it. */
class Bench {
  readonly engine: Engine;
  readonly clock: ManualClock;
  readonly replays: Replays;
  /** In front of the door. */
  before: (batch: RecordBatch) => Promise<void> = async () => {};

  constructor() {
    const { engine, clock } = makeEngine();
    this.engine = engine;
    this.clock = clock;
    let taking = Promise.resolve();
    const door = makeDoor(redactor, clock, (records) => {
      taking = taking.then(() => engine.correlator.consume(batchOf(records)));
    });
    const consumer: RecordConsumer = {
      consume: async (batch) => {
        await this.before(batch);
        await door.consume(batch);
        await taking;
      },
    };
    this.replays = new Replays({ reader: this.reader, consumer, clock, logger: silentLogger });
  }

  get reader(): ReaderApi {
    return this.engine.reader;
  }

  async take(records: readonly SafeRecord[]): Promise<void> {
    await this.engine.correlator.consume(batchOf(records));
  }

  async graph(taskId: string): Promise<ExplanationGraph> {
    return this.reader.getGraph({ collapse: 'none', filters: { taskIds: [taskId] } });
  }

  async nodes(taskId: string): Promise<readonly ExplanationNode[]> {
    return (await this.graph(taskId)).nodes;
  }

  /** Time passes, and what falls due is done. */
  async pass(ms: number, stepMs = 50): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      this.clock.advance(Math.min(stepMs, ms - passed));
      for (let turn = 0; turn < 8; turn++) await setImmediate();
    }
  }
}

const THOUGHT =
  'First I look at the failing test of the parser.\n\nThen I change the parser so that it keeps it.';

/** A run of ten seconds: an agent that calls a model, which thinks and asks for a tool. */
function run(task = 'T1', traceId = TRACE): SafeRecord[] {
  const at = (offset: number, durationMs: number) => ({
    start: (START + offset) as never,
    end: (START + offset + durationMs) as never,
    durationMs,
    traceId,
  });
  const said = JSON.stringify([
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', content: THOUGHT },
        { type: 'text', content: 'done' },
      ],
    },
  ]);
  return [
    makeSpan({
      ...at(0, 10_000),
      spanId: '1'.repeat(16),
      name: 'agent',
      attrs: { taskID: task, component: 'coder-agent' },
    }),
    makeSpan({
      ...at(1000, 4000),
      spanId: '2'.repeat(16),
      parentSpanId: '1'.repeat(16),
      name: 'chat',
      attrs: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'gpt-5',
        'gen_ai.usage.output_tokens': 7,
        'gen_ai.output.messages': said,
      },
    }),
    makeSpan({
      ...at(6000, 2000),
      spanId: '3'.repeat(16),
      parentSpanId: '1'.repeat(16),
      name: 'execute_tool',
      status: 'ERROR',
      attrs: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'search' },
    }),
  ].map((span) => safe(span) as SafeRecord);
}

/** What a task shows, whatever its ids and times: those that it was played from name the nodes. */
function likeness({ nodes, edges }: ExplanationGraph): object {
  const idOf = new Map(nodes.map(({ id, details }) => [id, (details?.['replayOfNode'] ?? id) as string]));
  const plain = nodes.map(({ id, timestamp: _at, taskId: _task, state, details = {}, ...said }) => {
    const { traceId: _t, spanId: _s, replayOf: _o, replayOfNode: _n, partOf, ...more } = details;
    const {
      spanIds: _i,
      traceIds: _j,
      parentSpanId: _p,
      causeSpanId: _c,
      namedSpanId: _named,
      requestId: _r,
      dependsOn: _d,
      ...rest
    } = more;
    // Of a step that never ended a replay says so.
    const ended = state === 'RUNNING' ? 'ABANDONED' : state;
    const owner = partOf === undefined ? undefined : idOf.get(partOf as string);
    return [idOf.get(id), { ...said, state: ended, owner, details: rest }] as const;
  });
  const between = edges.map(
    ({ from, to, relation, evidence }) => `${idOf.get(from)} ${relation} ${evidence} ${idOf.get(to)}`,
  );
  return { nodes: new Map(plain), edges: new Set(between) };
}

const states = (nodes: readonly ExplanationNode[]): object =>
  Object.fromEntries(nodes.filter(({ type }) => type !== 'REASONING').map((node) => [node.name, node.state]));

test('[RP2] steps begin and end when they did, and what comes of them is not told before', async () => {
  const bench = new Bench();
  await bench.take(run());
  const { taskId, durationMs } = await bench.replays.start({ taskId: 'T1', speed: 1 });
  assert.equal(durationMs, 10_000);
  await bench.pass(500);
  assert.deepEqual(states(await bench.nodes(taskId)), { agent: 'RUNNING' });
  await bench.pass(4000);
  assert.deepEqual(states(await bench.nodes(taskId)), { agent: 'RUNNING', chat: 'RUNNING' });
  await bench.pass(2000);
  const inTool = await bench.nodes(taskId);
  assert.deepEqual(states(inTool), { agent: 'RUNNING', chat: 'ENDED', execute_tool: 'RUNNING' });
  const tool = inTool.find(({ name }) => name === 'execute_tool');
  assert.deepEqual([tool?.status, tool?.latencyMs], ['OK', undefined]);
  await bench.pass(2000);
  const after = (await bench.nodes(taskId)).find(({ name }) => name === 'execute_tool');
  assert.deepEqual([after?.status, after?.latencyMs, after?.state], ['ERROR', 2000, 'ENDED']);
  await bench.pass(2000);
  assert.deepEqual(likeness(await bench.graph(taskId)), likeness(await bench.graph('T1')));
  await bench.replays.ended();
});

test('[RP2] ten times as fast it takes a tenth of the time, and the steps keep their lengths', async () => {
  const bench = new Bench();
  await bench.take(run());
  const { taskId } = await bench.replays.start({ taskId: 'T1', speed: 10 });
  await bench.pass(550, 10);
  assert.deepEqual(states(await bench.nodes(taskId)), { agent: 'RUNNING', chat: 'ENDED' });
  await bench.pass(500, 10);
  const nodes = await bench.nodes(taskId);
  assert.deepEqual(states(nodes), { agent: 'ENDED', chat: 'ENDED', execute_tool: 'ENDED' });
  const starts = nodes.map(({ name, timestamp }) => [name, Date.parse(timestamp)] as const);
  const begin = new Map(starts).get('agent') ?? 0;
  assert.equal((new Map(starts).get('execute_tool') ?? 0) - begin, 6000);
  assert.ok(begin + 10_000 <= bench.clock.now(), 'nothing ends later than now');
});

test('[RP3] a thought comes by pieces, and is in the end the one that was recorded', async () => {
  const bench = new Bench();
  await bench.take(run());
  const { taskId } = await bench.replays.start({ taskId: 'T1', speed: 1 });
  const seen = new Set<string>();
  for (let at = 0; at < 5200; at += 100) {
    await bench.pass(100);
    for (const { id, type } of await bench.nodes(taskId))
      if (type === 'LLM_CALL') seen.add((await bench.reader.getNode(id)).texts?.reasoning ?? '');
  }
  const texts = [...seen].filter((text) => text !== '');
  assert.ok(texts.length >= 4, `${texts.length} states`);
  for (const text of texts) assert.ok(THOUGHT.startsWith(text), text);
  assert.equal(texts.at(-1), THOUGHT);
  const thoughts = (await bench.nodes(taskId)).filter(({ type }) => type === 'REASONING');
  assert.deepEqual(
    thoughts.map(({ title }) => title),
    (await bench.nodes('T1')).filter(({ type }) => type === 'REASONING').map(({ title }) => title),
  );
});

test('[RP1] a replay of any task is that task, but for ids and times, and leaves it as it was', async () => {
  await fc.assert(
    fc.asyncProperty(worldArbitrary, fc.constantFrom(0, 1, 10), async (world, speed) => {
      const bench = new Bench();
      await bench.take(world);
      const { tasks } = await bench.reader.listTasks({ limit: 1000 });
      const [first] = tasks.map(({ taskId }) => taskId).toSorted();
      if (first === undefined) return;
      const before = await bench.graph(first);
      const { taskId, durationMs, steps } = await bench.replays.start({ taskId: first, speed });
      assert.equal(steps, before.nodes.length);
      await bench.pass(durationMs + 200);
      await bench.replays.ended();
      assert.deepEqual(likeness(await bench.graph(taskId)), likeness(before));
      assert.deepEqual((await bench.graph(first)).nodes, before.nodes);
      const ids = new Set(before.nodes.map(({ id }) => id));
      for (const { id, details } of await bench.nodes(taskId)) {
        assert.ok(!ids.has(id));
        assert.equal(details?.['replayOf'], first);
      }
    }),
    propertyRuns(),
  );
});

test('[RP1] a call of the same agent that runs meanwhile is nobody else\u2019s', async () => {
  const bench = new Bench();
  await bench.take(run());
  const live = makeSpan({
    traceId: 'f'.repeat(32),
    spanId: '9'.repeat(16),
    start: epochMs(bench.clock.now()),
    end: epochMs(bench.clock.now() + 20_000),
    attrs: { component: 'coder-agent', 'model.name': 'gpt-5' },
  });
  await bench.take([safe(live)]);
  const before = await bench.graph(live.traceId);
  const { taskId } = await bench.replays.start({ taskId: 'T1', speed: 1 });
  await bench.pass(10_500);
  assert.deepEqual((await bench.graph(live.traceId)).nodes, before.nodes);
  assert.deepEqual(likeness(await bench.graph(taskId)), likeness(await bench.graph('T1')));
});

test('[RP1] texts are those of the recorded steps', async () => {
  const bench = new Bench();
  await bench.take(run());
  const { taskId } = await bench.replays.start({ taskId: 'T1' });
  await bench.replays.ended();
  const textsOf = async (task: string): Promise<unknown[]> => {
    const texts: unknown[] = [];
    for await (const detail of (await taskContent(bench.reader, task)).details()) texts.push(detail.texts);
    return texts;
  };
  assert.deepEqual(await textsOf(taskId), await textsOf('T1'));
});

test('[RP4] a task that is not known, and a speed that cannot be, are refused', async () => {
  const bench = new Bench();
  await bench.take(run());
  const refused = async (request: object, message: RegExp): Promise<void> =>
    assert.rejects(bench.replays.start({ ...request }), message);
  await refused({ taskId: 'nobody' }, /taskId: no task with this id is known/);
  await refused({}, /taskId/);
  for (const speed of [-1, 10_001, NaN, Infinity, '1', null])
    await refused({ taskId: 'T1', speed }, /speed: a number from 0 to 10000/);
  await refused(
    { taskId: 'T1', speed: 0.0001 },
    /speed: this would take longer than a day; take 0\.\d+ or more/,
  );
});

test('[RP4] two replays of a task run side by side, and no more than eight of all', async () => {
  const bench = new Bench();
  await bench.take(run());
  const start = () => bench.replays.start({ taskId: 'T1', speed: 1 });
  const [a, b] = await Promise.all([start(), start()]);
  assert.deepEqual([a.taskId, b.taskId].toSorted(), ['T1~replay-1', 'T1~replay-2']);
  await bench.pass(3000);
  for (const { taskId } of [a, b])
    assert.deepEqual(states(await bench.nodes(taskId)), { agent: 'RUNNING', chat: 'RUNNING' });
  for (let more = 2; more < MAX_REPLAYS; more++) await start();
  await assert.rejects(
    start,
    (error) => error instanceof BoundaryError && error.code === 'RESOURCE_EXHAUSTED',
  );
  await bench.pass(12_000, 200);
  await bench.replays.ended();
  assert.deepEqual(likeness(await bench.graph(a.taskId)), likeness(await bench.graph('T1')));
  assert.equal((await start()).taskId, 'T1~replay-9');
});

test('[RP5] a service that stops ends its replays: what had begun is abandoned, and nothing more comes', async () => {
  const bench = new Bench();
  await bench.take(run());
  const { taskId } = await bench.replays.start({ taskId: 'T1', speed: 1 });
  await bench.pass(3000);
  await bench.replays.stop();
  const nodes = await bench.nodes(taskId);
  assert.deepEqual(states(nodes), { agent: 'ABANDONED', chat: 'ABANDONED' });
  await bench.pass(10_000, 500);
  assert.deepEqual(states(await bench.nodes(taskId)), states(nodes));
  await assert.rejects(bench.replays.start({ taskId: 'T1' }), /shutting down/);
});

test('[RP5] a service that is full is tried again, and one that refuses for good is not', async () => {
  const bench = new Bench();
  await bench.take(run());
  let refusals = 0;
  bench.before = async () => {
    if (refusals++ < 3) throw new BoundaryError('RESOURCE_EXHAUSTED', 'full', { retryAfterMs: 100 });
  };
  const { taskId } = await bench.replays.start({ taskId: 'T1' });
  await bench.pass(1000);
  await bench.replays.ended();
  assert.deepEqual(likeness(await bench.graph(taskId)), likeness(await bench.graph('T1')));
  bench.before = () => Promise.reject(new BoundaryError('UNAVAILABLE', 'draining'));
  const other = await bench.replays.start({ taskId: 'T1' });
  await bench.replays.ended();
  assert.deepEqual(await bench.nodes(other.taskId), []);
});

for (const erased of ['T1', 'T1~replay-1'])
  test(`[RP6] ${erased} is erased meanwhile: the replay is over before, and none begins during it`, async () => {
    const bench = new Bench();
    await bench.take(run());
    await bench.replays.start({ taskId: 'T1', speed: 1 });
    await bench.pass(3000);
    let sent = 0;
    bench.before = async () => void sent++;
    let seen: number | undefined;
    await bench.replays.without([erased], async () => {
      seen = sent;
      await bench.pass(10_000, 500);
      const again = bench.replays.start({ taskId: erased === 'T1' ? 'T1' : 'T1~replay-1' });
      await assert.rejects(again, /taskId: no task with this id is known/);
    });
    assert.equal(sent, seen);
    await until('it is over', () => bench.replays.ended().then(() => true));
    assert.equal((await bench.nodes('T1~replay-1')).length > 0, true, 'erasing is left to who asked');
  });
