import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Principal } from '../../access/principal.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { ManualClock } from '../../base/clock.ts';
import {
  ANSWER_STATUSES,
  INTERRUPT_REASONS,
  type Interrupt,
  type InterruptState,
  type InterruptTarget,
} from '../../model/interrupt.ts';
import type { ExplanationEdge, ExplanationNode } from '../../model/node.ts';
import type { RecordConsumer } from '../../model/pipeline.ts';
import { createRedactor } from '../../redaction/redactor.ts';
import type { ControlFrame, InterruptFrame } from '../../servers/control-api.ts';
import { FrameQueue } from '../../servers/http/control/frame-queue.ts';
import { detailOf } from '../../subscriptions/task-content.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { makeDoor } from '../../../test/support/make-door.ts';
import { makeEngine } from '../../../test/support/make-engine.ts';
import { batchOf, makeSpan, safe } from '../../../test/support/world.ts';
import type { Engine } from '../engine.ts';
import { ControlPlaces, MAX_STREAMS, MAX_STREAMS_PER_KEY } from './control-places.ts';
import { ControlTarget } from './control-target.ts';
import { interruptRequests, type RequestsHere } from './interrupt-requests.ts';
import { Interrupts } from './interrupts.ts';

const TRACE = 'a'.repeat(32);
const RUNNING = `${TRACE}:${'1'.repeat(16)}`;
const ENDED = `${TRACE}:${'2'.repeat(16)}`;
const START = 1_750_000_000_000;
const redactor = createRedactor({ key: new Uint8Array(32).fill(5), maxCodeSnippetChars: 2000 });

const OPERATOR: Principal = {
  by: 'key',
  id: 'k-operator',
  name: 'ops',
  roles: ['operator'],
  project: 'default',
};
const AGENT: Principal = { ...OPERATOR, id: 'k-agent', name: 'coder', roles: ['sender'] };
const OTHER: Principal = { ...AGENT, id: 'k-other', name: 'critic' };

async function* pagesOf(nodes: readonly ExplanationNode[]): AsyncGenerator<readonly ExplanationNode[]> {
  for (const node of nodes) yield [node];
}

/** An engine behind a door with a step that runs and one that has ended, and all that interrupts need. */
class Bench {
  readonly engine: Engine;
  readonly clock: ManualClock;
  readonly interrupts: Interrupts;
  readonly control: ControlTarget;
  readonly requests: RequestsHere;
  readonly audited: (readonly [who: string, reason: string])[] = [];
  readonly refused: string[] = [];
  /** In front of the door. */
  before: () => Promise<void> = async () => {};
  /** Known at the start, in memory or archived. */
  known: readonly ExplanationNode[] = [];
  /** In front of the store. */
  lookUp: () => Promise<void> = async () => {};

  constructor({ targets = [] }: { readonly targets?: readonly InterruptTarget[] } = {}) {
    const { engine, clock } = makeEngine();
    this.engine = engine;
    this.clock = clock;
    const door = makeDoor(redactor, clock, (records) => engine.correlator.consume(batchOf(records)));
    const consumer: RecordConsumer = {
      consume: async (batch) => {
        await this.before();
        await door.consume(batch);
      },
    };
    this.control = new ControlTarget(new ControlPlaces());
    this.interrupts = new Interrupts({
      consumer,
      clock,
      logger: silentLogger,
      targets: [this.control, ...targets],
      nodeWith: async (id) => {
        await this.lookUp();
        return (await detailOf(engine.reader, id))?.node;
      },
      taskOf: (id) => engine.graph.node(id)?.taskId,
      ownNodes: () => pagesOf(this.known),
      onAsked: ({ id }, { reason }) => void this.audited.push([id, reason]),
      onRefused: (why) => void this.refused.push(why),
      redact: (text) => redactor.redactText(text),
    });
    this.requests = interruptRequests({
      interrupts: this.interrupts,
      reader: {
        getNode: async (id) => {
          await this.lookUp();
          return engine.reader.getNode(id);
        },
      },
      nodeOf: (id) => engine.graph.node(id),
      nodesOf: function* (taskId) {
        for (const id of engine.graph.nodesOfTask(taskId)) {
          const node = engine.graph.node(id);
          if (node) yield node;
        }
      },
      isWaitedFor: (taskId, traceIds) => this.control.waitsForTask(taskId, traceIds),
      assertOpen: () => undefined,
    });
  }

  static async withSteps(options?: { readonly targets?: readonly InterruptTarget[] }): Promise<Bench> {
    const bench = new Bench(options);
    const attributes = new Map([
      ['taskID', 'T1'],
      ['component', 'coder-agent'],
    ]);
    const at = { traceId: TRACE, start: START as never, attributes };
    await bench.engine.correlator.consume(
      batchOf([
        safe(makeSpan({ ...at, spanId: '1'.repeat(16), end: undefined, durationMs: undefined })),
        safe(makeSpan({ ...at, spanId: '2'.repeat(16), end: (START + 5) as never, durationMs: 5 })),
      ]),
    );
    return bench;
  }

  /** An agent that waits. */
  waits(who: Principal, waiting: object, lastId?: string): Stream {
    const frames: ControlFrame[] = [];
    let ends = 0;
    const end = this.control.wait(
      who,
      waiting as never,
      { send: (frame) => void frames.push(frame), end: () => void ends++ },
      lastId,
    );
    return {
      end,
      get ends() {
        return ends;
      },
      get last() {
        return frames.at(-1);
      },
      get told() {
        return frames.filter((frame) => frame.type === 'interrupt');
      },
    };
  }

  async asked(given: object = {}, by = OPERATOR, node = RUNNING): Promise<InterruptState> {
    return this.requests.step(node, { reason: 'user_request', ...given }, by);
  }

  async settled(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await setImmediate();
  }

  /** What of the graph tells of interrupts. */
  async shown(): Promise<{
    readonly nodes: readonly ExplanationNode[];
    readonly edges: readonly ExplanationEdge[];
  }> {
    await this.settled();
    const { nodes, edges } = this.engine.reader.getGraph({ collapse: 'none' });
    return { nodes: nodes.filter(({ id }) => id.startsWith('event:interrupt:')), edges };
  }

  async names(): Promise<readonly string[]> {
    const { nodes } = await this.shown();
    return nodes.map(({ name }) => name).sort();
  }
}

interface Stream {
  readonly end: () => void;
  /** How often it was ended by the service. */
  readonly ends: number;
  readonly last: ControlFrame | undefined;
  readonly told: readonly InterruptFrame[];
}

const byAgent = { agent: 'CoderAgent' };

function only<T>(items: readonly T[]): T {
  assert.equal(items.length, 1);
  return items[0] as T;
}

test('[IR1] an interrupt stands on the graph with who asked and why, after the step; each of the six reasons, and no other', async () => {
  const bench = await Bench.withSteps();
  const { nodeId, id, by, stepId } = await bench.asked({ message: 'mail me at ada@example.com' });
  assert.deepEqual([nodeId, by, stepId], [`event:interrupt:${id}`, 'ops', RUNNING]);
  const { nodes, edges } = await bench.shown();
  const [node] = nodes;
  assert.partialDeepStrictEqual(node, { id: nodeId, taskId: 'T1', name: 'UserInterrupt', state: 'ENDED' });
  assert.partialDeepStrictEqual(node?.details, { askedBy: 'ops', reason: 'user_request' });
  assert.match(String(node?.details?.['message']), /^mail me at \[EMAIL:/);
  assert.deepEqual(
    edges.filter(({ to }) => to === nodeId).map(({ from, relation, evidence }) => [from, relation, evidence]),
    [[RUNNING, 'USER_ACTION', 'event']],
  );
  for (const reason of INTERRUPT_REASONS) await bench.asked({ reason, message: 'because' });
  for (const given of [
    { reason: 'boredom' },
    { reason: undefined },
    { reason: 'other' },
    { message: '' },
    { id: 'a b' },
  ])
    await assert.rejects(bench.asked(given), { code: 'INVALID_ARGUMENT' });
});

test('[IR2] whoever waits for the agent, task or trace of the step is told, and nobody who waits for something else', async () => {
  const bench = await Bench.withSteps();
  const meant = [
    { agent: 'coder-agent' },
    byAgent,
    { taskId: 'T1' },
    { traceId: TRACE },
    { ...byAgent, taskId: 'T1' },
  ];
  const others = [
    { agent: 'CriticAgent' },
    { taskId: 'T2' },
    { ...byAgent, taskId: 'T2' },
    { traceId: 'b'.repeat(32) },
  ];
  const told = meant.map((waiting) => bench.waits(AGENT, waiting));
  const notTold = others.map((waiting) => bench.waits(AGENT, waiting));
  const { told: toldAs } = await bench.asked({ message: 'stop' });
  for (const stream of told)
    assert.partialDeepStrictEqual(only(stream.told), {
      reason: 'user_request',
      message: 'stop',
      by: 'ops',
      nodeId: RUNNING,
    });
  for (const stream of notTold) assert.deepEqual(stream.told, []);
  assert.equal(toldAs.length, meant.length);
  for (const waiting of [{}, { agent: '' }, { agent: 5 }])
    assert.throws(() => bench.waits(AGENT, waiting), { code: 'INVALID_ARGUMENT' });
});

test('[IR3] what an agent answers is shown after the interrupt, in its name; the first answer counts', async () => {
  for (const status of ANSWER_STATUSES) {
    const bench = await Bench.withSteps();
    const stream = bench.waits(AGENT, byAgent);
    const { nodeId, id } = await bench.asked();
    const { id: delivery } = only(stream.told);
    const answer = { id: delivery, status, message: 'key sk-ant-api03-0123456789abcdefghij' };
    assert.deepEqual(bench.control.answer(AGENT, answer), { id: delivery, status });
    // Sent again, since its answer was lost.
    assert.deepEqual(bench.control.answer(AGENT, answer), { id: delivery, status });
    assert.throws(() => bench.control.answer(AGENT, { id: delivery, status, message: 'another' }), {
      code: 'FAILED_PRECONDITION',
    });
    bench.clock.advance(40_000);
    const { nodes, edges } = await bench.shown();
    assert.deepEqual(nodes.map(({ name }) => name).sort(), ['InterruptAnswered', 'UserInterrupt']);
    const shown = nodes.find(({ name }) => name === 'InterruptAnswered');
    assert.partialDeepStrictEqual(shown, { agent: 'CoderAgent', taskId: 'T1' });
    assert.equal(shown?.details?.['answer'], status);
    assert.equal(shown.status, status === 'stopping' || status === 'completing_thought' ? 'OK' : 'WARNING');
    assert.doesNotMatch(JSON.stringify(nodes), /sk-ant-api03/);
    assert.ok(
      edges.some(({ from, to, relation }) => from === nodeId && to === shown.id && relation === 'TRIGGERED'),
    );
    const state = bench.requests.state(id);
    assert.partialDeepStrictEqual(state, { isOver: true, told: [{ way: 'control', status }] });
    assert.doesNotMatch(JSON.stringify(state), /sk-ant-api03/);
  }
});

test('[IR3] only who was told may answer, by the id that it was told, and in the words that there are', async () => {
  const bench = await Bench.withSteps();
  const stream = bench.waits(AGENT, byAgent);
  await bench.asked();
  const { id } = only(stream.told);
  assert.throws(() => bench.control.answer(OTHER, { id, status: 'ignored' }), { code: 'NOT_FOUND' });
  assert.throws(() => bench.control.answer(AGENT, { id: 'x', status: 'ignored' }), { code: 'NOT_FOUND' });
  for (const given of [{ status: 'stopping' }, { id }, { id, status: 'no' }, { id, received: 'yes' }])
    assert.throws(() => bench.control.answer(AGENT, given), { code: 'INVALID_ARGUMENT' });
  assert.deepEqual(await bench.names(), ['UserInterrupt']);
});

test('[IR4] thirty seconds without a word are shown for each who was told, and an answer after them is too late', async () => {
  const bench = await Bench.withSteps();
  const streams = [bench.waits(AGENT, byAgent), bench.waits(OTHER, byAgent)];
  const { id } = await bench.asked();
  bench.control.answer(OTHER, { id: only(streams[1]?.told ?? []).id, status: 'stopping' });
  bench.clock.advance(29_999);
  assert.deepEqual(await bench.names(), ['InterruptAnswered', 'UserInterrupt']);
  assert.equal(bench.requests.state(id).isOver, false);
  bench.clock.advance(1);
  assert.deepEqual(await bench.names(), ['InterruptAnswered', 'InterruptUnanswered', 'UserInterrupt']);
  assert.equal(bench.requests.state(id).isOver, true);
  assert.throws(
    () => bench.control.answer(AGENT, { id: only(streams[0]?.told ?? []).id, status: 'stopping' }),
    {
      code: 'FAILED_PRECONDITION',
    },
  );
  const { nodes } = await bench.shown();
  const silent = nodes.find(({ name }) => name === 'InterruptUnanswered');
  assert.partialDeepStrictEqual(silent, { status: 'WARNING', taskId: 'T1' });
  assert.match(String(silent?.details?.['why']), /no word within 30 s/);
});

test('[IR4] where nobody could be told, that is shown as well', async () => {
  const bench = await Bench.withSteps();
  await bench.asked();
  bench.clock.advance(30_000);
  const { nodes } = await bench.shown();
  assert.match(
    String(nodes.find(({ name }) => name === 'InterruptUnanswered')?.title),
    /nobody could be told/,
  );
});

test('[IR5] a step that has ended, and one that is not there, are refused; so is a task of which nothing runs', async () => {
  const bench = await Bench.withSteps();
  const stream = bench.waits(AGENT, byAgent);
  await assert.rejects(bench.asked({}, OPERATOR, ENDED), {
    code: 'FAILED_PRECONDITION',
    message: /the step has ended/,
  });
  await assert.rejects(bench.asked({}, OPERATOR, 'req:nobody'), { code: 'NOT_FOUND' });
  await assert.rejects(bench.requests.task('T9', { reason: 'timeout' }, OPERATOR), { code: 'NOT_FOUND' });
  assert.deepEqual([stream.told, await bench.names(), bench.audited], [[], [], []]);
  // Of a task, what runs is meant.
  const { stepId } = await bench.requests.task('T1', { reason: 'timeout' }, OPERATOR);
  assert.equal(stepId, RUNNING);
  assert.equal(stream.told.length, 1);
});

test('[IR5] a task of which nothing runs is interrupted where an agent waits for it', async () => {
  const bench = new Bench();
  const ended = makeSpan({ traceId: TRACE, spanId: '2'.repeat(16), attributes: new Map([['taskID', 'T1']]) });
  await bench.engine.correlator.consume(batchOf([safe(ended)]));
  const ask = () => bench.requests.task('T1', { reason: 'timeout' }, OPERATOR);
  bench.waits(AGENT, { taskId: 'T2' });
  await assert.rejects(ask(), { code: 'FAILED_PRECONDITION', message: /nothing of this task runs/ });
  const stream = bench.waits(AGENT, { traceId: TRACE });
  await ask();
  assert.equal(only(stream.told).taskId, 'T1');
});

test('[IR6] what is sent again with its id is the same interrupt, and the same id of somebody else another', async () => {
  const bench = await Bench.withSteps();
  const stream = bench.waits(AGENT, byAgent);
  const [first, again] = await Promise.all([bench.asked({ id: 'one' }), bench.asked({ id: 'one' })]);
  const later = await bench.asked({ id: 'one' });
  assert.deepEqual([again.id, later.id], [first.id, first.id]);
  assert.equal(stream.told.length, 1);
  await bench.asked({ id: 'one' }, { ...OPERATOR, id: 'k-second' });
  assert.equal(stream.told.length, 2);
  assert.deepEqual(bench.audited, [
    ['k-operator', 'user_request'],
    ['k-second', 'user_request'],
  ]);
  assert.equal((await bench.shown()).nodes.length, 2);
});

test('[IR6] what is sent again is answered as it was also when the step has ended and nothing of it is known but the graph', async () => {
  const bench = await Bench.withSteps();
  const first = await bench.asked({ id: 'one' });
  const next = new Bench();
  await next.engine.correlator.replay([...bench.engine.correlator.facts()]);
  await next.engine.correlator.consume(
    batchOf([
      safe(
        makeSpan({
          traceId: TRACE,
          spanId: '1'.repeat(16),
          start: START as never,
          end: (START + 9) as never,
          durationMs: 9,
        }),
      ),
    ]),
  );
  const { told } = next.waits(AGENT, byAgent);
  const again = await next.asked({ id: 'one' });
  const { stepId: _, ...shown } = first;
  assert.deepEqual(again, { ...shown, isOver: true, told: [] });
  assert.deepEqual(told, []);
  await assert.rejects(next.asked({ id: 'two' }), { code: 'FAILED_PRECONDITION' });
});

test('[IR6] two interrupts of one step at once are both shown, and the agent is told of each once', async () => {
  const bench = await Bench.withSteps();
  const stream = bench.waits(AGENT, byAgent);
  await Promise.all([bench.asked(), bench.asked()]);
  assert.equal(new Set(stream.told.map(({ id }) => id)).size, 2);
  assert.equal(stream.told.length, 2);
  for (const { id } of stream.told) bench.control.answer(AGENT, { id, status: 'stopping' });
  assert.deepEqual(await bench.names(), [
    'InterruptAnswered',
    'InterruptAnswered',
    'UserInterrupt',
    'UserInterrupt',
  ]);
});

test('[IR7] who loses its stream is told again when it comes back within the time, until it says that it has it', async () => {
  const bench = await Bench.withSteps();
  const waiting = { ...byAgent, instance: 'p1' };
  const lost = bench.waits(AGENT, waiting);
  lost.end();
  await bench.asked();
  assert.deepEqual(lost.told, []);
  const back = bench.waits(AGENT, waiting);
  const { id } = only(back.told);
  back.end();
  // It came, and the stream was lost before it could say so.
  const again = bench.waits(AGENT, waiting);
  assert.equal(only(again.told).id, id);
  bench.control.answer(AGENT, { id, received: true });
  again.end();
  assert.deepEqual(bench.waits(AGENT, waiting).told, []);
  // Another process that waits for the same is told for itself.
  assert.notEqual(only(bench.waits(AGENT, { ...byAgent, instance: 'p2' }).told).id, id);
  bench.control.answer(AGENT, { id, status: 'stopping' });
  bench.clock.advance(30_000);
  assert.deepEqual(bench.waits(AGENT, { ...byAgent, instance: 'p3' }).told, []);
  assert.deepEqual(await bench.names(), ['InterruptAnswered', 'InterruptUnanswered', 'UserInterrupt']);
});

test('[IR7] the last id that a stream names says that all before it came as well', async () => {
  const bench = await Bench.withSteps();
  const lost = bench.waits(AGENT, byAgent);
  for (let count = 0; count < 3; count++) await bench.asked();
  const [, second, third] = lost.told.map(({ id }) => id);
  lost.end();
  const back = bench.waits(AGENT, byAgent, second);
  assert.deepEqual(
    back.told.map(({ id }) => id),
    [third],
  );
  // Of somebody else's it says nothing.
  assert.equal(bench.waits(OTHER, byAgent, third).told.length, 3);
});

test('[IR8] one asker may ask so often a minute, and others are not concerned', async () => {
  const bench = await Bench.withSteps();
  for (let count = 0; count < 20; count++) await bench.asked();
  await assert.rejects(bench.asked(), { code: 'RESOURCE_EXHAUSTED', retryAfterMs: 3_000 });
  assert.deepEqual(bench.refused, ['rate']);
  await bench.asked({}, { ...OPERATOR, id: 'k-second' });
  bench.clock.advance(3_000);
  await bench.asked();
  await assert.rejects(bench.asked(), { code: 'RESOURCE_EXHAUSTED' });
});

test('[IR8] streams of one key are bounded, and free when they end', () => {
  const places = new ControlPlaces();
  const own = Array.from({ length: MAX_STREAMS_PER_KEY }, () => places.take('k0', () => assert.fail()));
  assert.throws(() => places.take('k0', () => assert.fail()), { code: 'RESOURCE_EXHAUSTED' });
  own[0]?.();
  own[0]?.();
  places.take('k0', () => assert.fail());
  assert.throws(() => places.take('k0', () => assert.fail()), { code: 'RESOURCE_EXHAUSTED' });
});

test('[IR8] where all streams are taken who has most makes room for who has less, by the last, which is told why', async () => {
  const bench = await Bench.withSteps();
  const keys = MAX_STREAMS / MAX_STREAMS_PER_KEY;
  const greedy = Array.from({ length: keys }, (_, key) => ({ ...AGENT, id: `k-greedy-${key}` }));
  const theirs = greedy.map((who) =>
    Array.from({ length: MAX_STREAMS_PER_KEY }, () => bench.waits(who, byAgent)),
  );
  const mine = Array.from({ length: MAX_STREAMS_PER_KEY / 2 }, () => bench.waits(AGENT, byAgent));
  const all = theirs.flat();
  const ended = all.filter(({ ends }) => ends > 0);
  assert.equal(ended.length, mine.length, 'one for each');
  for (const { last } of ended)
    assert.deepEqual(last, { type: 'closed', reason: 'others have less: this one makes room' });
  for (const streams of theirs) assert.equal(streams[0]?.ends, 0, 'the first of each goes on');
  await bench.asked();
  for (const { told } of ended) assert.deepEqual(told, [], 'who made room waits no more');
  for (const { told } of mine) assert.equal(told.length, 1);
});

test('[IR24] of one interrupt each key is told as often as it may have streams, whatever its waiters call themselves', async () => {
  const bench = await Bench.withSteps();
  await bench.asked({ id: 'once' });
  for (let instance = 0; instance < MAX_STREAMS_PER_KEY + 5; instance++) {
    const stream = bench.waits(AGENT, { ...byAgent, instance: String(instance) });
    assert.equal(stream.told.length, instance < MAX_STREAMS_PER_KEY ? 1 : 0);
    stream.end();
  }
  // Who was told before comes back all the same, others are told, and so is of another interrupt who was not.
  assert.equal(bench.waits(AGENT, { ...byAgent, instance: '0' }).told.length, 1);
  assert.equal(bench.waits(OTHER, byAgent).told.length, 1);
  const late = bench.waits(AGENT, { ...byAgent, instance: 'late' });
  await bench.asked({ id: 'another' });
  assert.equal(late.told.length, 1);
  const { told } = await bench.asked({ id: 'once' });
  assert.equal(told.length, MAX_STREAMS_PER_KEY + 1);
});

test('[IR9] a sender interrupts its own agents, and nobody else is told', async () => {
  const bench = await Bench.withSteps();
  const own = bench.waits(AGENT, byAgent);
  const others = bench.waits(OTHER, byAgent);
  await bench.requests.own({ ...byAgent, nodeId: RUNNING, reason: 'resource_limit' }, AGENT);
  assert.partialDeepStrictEqual(only(own.told), { reason: 'resource_limit', by: 'coder' });
  assert.deepEqual(others.told, []);
  const { nodes, edges } = await bench.shown();
  assert.equal(only(nodes).details?.['askedBy'], 'coder');
  assert.ok(edges.some(({ from, relation }) => from === RUNNING && relation === 'USER_ACTION'));
  await assert.rejects(bench.requests.own({ reason: 'error' }, AGENT), { code: 'INVALID_ARGUMENT' });
});

test('[IR9] what a sender calls its agent, task and step is redacted for who asks how it stands', async () => {
  const bench = await Bench.withSteps();
  const name = 'jane.doe@example.com';
  bench.waits(AGENT, { agent: name });
  const given = { agent: name, taskId: `T ${name}`, nodeId: `N ${name}`, reason: 'error' };
  const { id } = await bench.requests.own(given, AGENT);
  const state = bench.requests.state(id);
  assert.deepEqual([state.told.length, typeof state.taskId, typeof state.stepId], [1, 'string', 'string']);
  assert.equal(JSON.stringify(state).includes('jane'), false);
});

test('[IR10] what was asked before a crash, and not answered, is shown as unanswered after the next start', async () => {
  const bench = await Bench.withSteps();
  const stream = bench.waits(AGENT, byAgent);
  await bench.asked({ id: 'silent' });
  await bench.asked({ id: 'answered' });
  bench.control.answer(AGENT, { id: stream.told[1]?.id, status: 'stopping' });
  await bench.settled();
  const next = new Bench();
  await next.engine.correlator.replay([...bench.engine.correlator.facts()]);
  next.known = (await bench.shown()).nodes;
  await next.interrupts.start();
  const { nodes, edges } = await next.shown();
  const unanswered = only(nodes.filter(({ name }) => name === 'InterruptUnanswered'));
  assert.partialDeepStrictEqual(unanswered, { taskId: 'T1', agent: 'CoderAgent' });
  assert.ok(edges.some(({ to, relation }) => to === unanswered.id && relation === 'TRIGGERED'));
  // Sent again, it is not told again.
  const told = next.waits(AGENT, byAgent).told;
  assert.equal((await next.asked({ id: 'silent' })).isOver, true);
  assert.deepEqual(told, []);
});

test('[IR10] what had left memory before a crash, and was not answered, is shown as unanswered as well', async () => {
  const bench = await Bench.withSteps();
  const stream = bench.waits(AGENT, byAgent);
  const silent = await bench.asked({ id: 'silent' });
  await bench.asked({ id: 'answered' });
  bench.control.answer(AGENT, { id: stream.told[1]?.id, status: 'stopping' });
  await bench.settled();
  const next = new Bench();
  next.known = (await bench.shown()).nodes.toReversed();
  await next.interrupts.start();
  const { nodes } = await next.shown();
  const unanswered = only(nodes);
  assert.partialDeepStrictEqual(unanswered, {
    name: 'InterruptUnanswered',
    agent: 'CoderAgent',
    taskId: 'T1',
  });
  assert.equal(unanswered.id, `${silent.nodeId}:0`);
});

test('[IR10] a clean stop ends what is under way as unanswered, and waits until that is recorded', async () => {
  const bench = await Bench.withSteps();
  const stream = bench.waits(AGENT, byAgent);
  await bench.asked();
  await bench.interrupts.stop();
  assert.deepEqual(await bench.names(), ['InterruptUnanswered', 'UserInterrupt']);
  assert.throws(() => bench.control.answer(AGENT, { id: only(stream.told).id, status: 'stopping' }), {
    code: 'FAILED_PRECONDITION',
  });
  await assert.rejects(bench.asked(), { code: 'UNAVAILABLE' });
});

test('[IR11] of a task that is erased nothing is told or recorded any more', async () => {
  const bench = await Bench.withSteps();
  const { id } = await bench.asked();
  const unnamed = await bench.requests.own({ reason: 'timeout', traceId: TRACE }, AGENT);
  await bench.settled();
  bench.interrupts.forget(['T1']);
  for (const one of [id, unnamed.id]) assert.throws(() => bench.requests.state(one), { code: 'NOT_FOUND' });
  assert.deepEqual(bench.waits(AGENT, byAgent).told, []);
  bench.clock.advance(30_000);
  assert.deepEqual(await bench.names(), ['UserInterrupt', 'UserInterrupt']);
  // Nor what waits to be recorded.
  let isFull = true;
  bench.before = async () => {
    if (isFull) throw new BoundaryError('RESOURCE_EXHAUSTED', 'full', { retryAfterMs: 500 });
  };
  const asking = bench.asked();
  await bench.settled();
  bench.interrupts.forget(['T1']);
  isFull = false;
  bench.clock.advance(500);
  await asking;
  assert.deepEqual(await bench.names(), ['UserInterrupt', 'UserInterrupt']);
});

test('[IR12] a service that is full tells the agent at once, and records it when it can', async () => {
  const bench = await Bench.withSteps();
  const stream = bench.waits(AGENT, byAgent);
  let isFull = true;
  bench.before = async () => {
    if (isFull) throw new BoundaryError('RESOURCE_EXHAUSTED', 'full', { retryAfterMs: 500 });
  };
  const asking = bench.asked();
  await bench.settled();
  bench.control.answer(AGENT, { id: only(stream.told).id, status: 'stopping' });
  assert.deepEqual(await bench.names(), []);
  isFull = false;
  bench.clock.advance(500);
  await asking;
  assert.deepEqual(await bench.names(), ['InterruptAnswered', 'UserInterrupt']);
});

test('[IR26] an agent is told before anything is looked up in the store, or put on record', async () => {
  const bench = await Bench.withSteps();
  bench.lookUp = () => Promise.reject(new Error('looked up'));
  const order: string[] = [];
  bench.before = async () => void order.push('recorded');
  // As server-sent events go out.
  const queue = new FrameQueue(() => undefined);
  bench.control.wait(AGENT, byAgent, queue);
  const read = async (): Promise<void> => {
    for await (const frames of queue.frames()) for (const { type } of frames) order.push(type);
  };
  const reading = read();
  await bench.settled();
  await bench.asked();
  queue.end();
  await reading;
  assert.deepEqual(order, ['waiting', 'interrupt', 'recorded']);
});

test('[IR13] every way that reaches somebody is taken, the last one only where no other does', async () => {
  const sent: string[] = [];
  const way = (name: 'ag-ui' | 'webhook', reaches: boolean, isLast?: true): InterruptTarget => ({
    way: name,
    ...(isLast && { isLast }),
    canReach: () => reaches,
    send: (_interrupt: Interrupt, { told }) => {
      sent.push(name);
      told('X')({ status: 'stopping' });
    },
  });
  const alone = await Bench.withSteps({ targets: [way('ag-ui', false), way('webhook', true, true)] });
  assert.partialDeepStrictEqual(await alone.asked(), { told: [{ way: 'webhook', status: 'stopping' }] });
  const both = await Bench.withSteps({ targets: [way('ag-ui', true), way('webhook', true, true)] });
  both.waits(AGENT, byAgent);
  assert.deepEqual(
    (await both.asked()).told.map((told) => told.way),
    ['control', 'ag-ui'],
  );
  assert.deepEqual(sent, ['webhook', 'ag-ui']);
});
