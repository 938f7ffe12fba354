import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Principal } from '../../access/principal.ts';
import type { Guard } from '../../guards/guard.ts';
import type { Interrupted } from '../../model/interrupt.ts';
import type { ExplanationNode } from '../../model/node.ts';
import type { EventRecord } from '../../model/records.ts';
import type { SafeRecord } from '../../model/pipeline.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { makeEngine, type TestEngine } from '../../../test/support/make-engine.ts';
import { cot, event, span, TRACE, type SpanWords } from '../../../test/support/records.ts';
import { batchOf, safe } from '../../../test/support/world.ts';
import { epochMs } from '../../model/time.ts';
import type { AskedWhy } from '../interrupts/given-interrupt.ts';
import { taskNodes } from '../task-nodes.ts';
import { guardsStage, type GuardsStage } from './guards-stage.ts';
import { whomToAsk } from './whom.ts';

const START = 1_750_000_000_000;

const LOOPS: Guard = {
  name: 'loops',
  per: 'agent',
  limits: { sameStep: 3 },
  action: 'interrupt',
  dryRun: false,
  coolDownSeconds: 60,
};

interface Asked {
  readonly why: AskedWhy;
  readonly by: Principal;
  readonly about: Interrupted;
}

/** The guards of a project over an engine, on a clock that is moved by hand. */
class Watched {
  readonly test: TestEngine;
  readonly asked: Asked[] = [];
  readonly audit: string[] = [];
  readonly counted: Record<string, number> = {};
  /** Agents that wait. */
  readonly waiting = new Set<string | undefined>();
  private readonly stage: GuardsStage;

  constructor(guards: readonly Guard[], earlier?: TestEngine) {
    this.test = earlier ?? makeEngine();
    const { engine, clock } = this.test;
    this.stage = guardsStage({
      guards,
      abandonAfterMinutes: 15,
      engine,
      consumer: {
        consume: ({ records }) =>
          engine.correlator.consume(batchOf(records.map((one) => safe(one as EventRecord)))),
      },
      interrupts: {
        ask: async (why, by, find) => {
          this.asked.push({ why, by, about: await find() });
          return undefined as never;
        },
      },
      whom: (firing) =>
        whomToAsk(firing, {
          nodesOf: (taskId) => taskNodes(engine.graph, taskId),
          isHeard: ({ agent }) => this.waiting.has(agent),
        }),
      record: { guardFired: ({ id }, taskId, why) => void this.audit.push(`${id} ${taskId} ${why}`) },
      metrics: {
        guardFired: (guard, action, count) => {
          const key = `${guard} ${action}`;
          this.counted[key] = (this.counted[key] ?? 0) + count;
        },
      },
      clock,
      turns: { isOver: false, rest: () => setImmediate() },
      logger: silentLogger,
    });
    void this.stage.start?.();
  }

  async take(...records: readonly SafeRecord[]): Promise<void> {
    await this.test.engine.correlator.consume(batchOf(records));
    this.test.engine.flush();
    await this.pass(1);
  }

  async pass(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds * 1000; passed += 250) {
      this.test.clock.advance(250);
      for (let turn = 0; turn < 4; turn++) await setImmediate();
    }
    this.test.engine.flush();
  }

  stop(): void | Promise<void> {
    return this.stage.stop?.('over');
  }

  forget(task: string): void {
    this.stage.forget([task]);
  }

  get fired(): readonly ExplanationNode[] {
    return this.test.engine.graph.everything().nodes.filter(({ name }) => name === 'GuardFired');
  }
}

/** A call of a tool by an agent. */
function call(
  digit: number | string,
  args: string,
  words: SpanWords & { readonly agent?: string } = {},
): SafeRecord {
  return span(digit, {
    ...words,
    name: 'execute_tool read',
    attrs: {
      taskID: 'T1',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'read',
      'gen_ai.tool.call.id': `call-${digit}`,
      'gen_ai.tool.call.arguments': args,
      'gen_ai.agent.name': words.agent ?? 'Coder',
      ...words.attrs,
    },
  });
}

const LONG = `{"text": "${'x'.repeat(200)}`;

test('[GU1] a firing stands after the step that went over; the interrupt follows from it, and both are on record', async () => {
  const watched = new Watched([LOOPS]);
  await watched.take(call(1, '{"file":"a"}'), call(2, '{"file":"a"}', { at: 5 }));
  assert.equal(watched.fired.length, 0);
  await watched.take(call(3, '{"file":"a"}', { at: 9, ms: 'running' }));
  const [fired] = watched.fired;
  assert.partialDeepStrictEqual(fired, {
    agent: 'Guard',
    status: 'WARNING',
    taskId: 'T1',
    details: {
      limit: 'sameStep',
      figure: 3,
      bound: 3,
      action: 'interrupt',
      outcome: 'interrupted',
      guardedAgent: 'Coder',
    },
  });
  const { graph } = watched.test.engine;
  assert.deepEqual(
    graph
      .inEdges(fired?.id ?? '')
      .map(({ from, relation }) => [graph.node(from)?.details?.['toolCallId'], relation]),
    [['call-3', 'TRIGGERED']],
  );
  const [asked] = watched.asked;
  assert.partialDeepStrictEqual(asked, {
    why: { reason: 'resource_limit', message: '3 steps that do the same, the limit is 3', after: fired?.id },
    by: { by: 'guard', id: 'guard:loops' },
    about: { taskId: 'T1', agent: 'Coder' },
  });
  assert.deepEqual(watched.audit, ['guard:loops T1 interrupt: 3 steps that do the same, the limit is 3']);
  assert.deepEqual(watched.counted, { 'loops interrupt': 1 });
});

test('[GU6] what fired before the root of the trace named the session is of that session, and does not fire there again', async () => {
  const watched = new Watched([LOOPS]);
  const again = (digit: number): SafeRecord => {
    const attrs = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'read',
      'gen_ai.tool.call.arguments': '{"file":"a"}',
    };
    return span(digit, { parent: 9, at: digit, name: 'execute_tool read', attrs });
  };
  await watched.take(again(1), again(2), again(3));
  assert.deepEqual(
    watched.fired.map(({ taskId }) => taskId),
    [TRACE],
  );
  await watched.take(span(9, { ms: 20, attrs: { 'session.id': 's' } }));
  assert.deepEqual(
    watched.fired.map(({ taskId }) => taskId),
    ['s'],
  );
});

test('[GU4] what is the same: type, agent, name and all of what was given or said; not what only looks so', async () => {
  const alike = async (...records: readonly SafeRecord[]): Promise<boolean> => {
    const watched = new Watched([{ ...LOOPS, per: 'task' }]);
    await watched.take(...records);
    return watched.fired.length > 0;
  };
  const three = (of: (nth: number) => SafeRecord): readonly SafeRecord[] => [1, 2, 3].map(of);
  assert.equal(await alike(...three((n) => call(n, '{"file":"a"}'))), true);
  assert.equal(await alike(...three((n) => call(n, `{"file":"${n}"}`))), false, 'other arguments');
  assert.equal(await alike(...three((n) => call(n, `${LONG}${n}"}`))), false, 'arguments that begin alike');
  assert.equal(await alike(...three((n) => call(n, `${LONG}"}`))), true, 'long arguments');
  assert.equal(await alike(...three((n) => call(n, '{}', { agent: `Agent${n}` }))), false, 'other agents');
  const failed = (n: number): SafeRecord =>
    call(n, '{"file":"a"}', { status: 'ERROR', attrs: { 'error.message': `at line ${n}` } });
  assert.equal(await alike(...three(failed)), true, 'other errors');
  const chat = (n: number, said?: string): SafeRecord =>
    span(n, {
      name: 'chat gpt-4o',
      attrs: {
        taskID: 'T1',
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'gpt-4o',
        ...(said !== undefined && {
          'gen_ai.output.messages': JSON.stringify([
            { role: 'assistant', parts: [{ type: 'text', content: said }] },
          ]),
        }),
      },
    });
  assert.equal(await alike(...three((n) => chat(n, 'I will try again.'))), true, 'answers');
  assert.equal(await alike(...three((n) => chat(n, `Try ${n} begins.`))), false, 'other answers');
  assert.equal(await alike(...three((n) => chat(n))), false, 'nothing but a name is known');
  const plan = (n: number, text?: string): SafeRecord =>
    event(
      'PlanUpdated',
      { taskId: 'T1', ...(text !== undefined && { summary: text }) },
      { eventId: `p${n}` },
    );
  assert.equal(await alike(...three((n) => plan(n, 'read it again'))), true, 'events');
  assert.equal(await alike(...three((n) => plan(n))), false, 'events without words');
  const thought = (n: number): SafeRecord => cot(`r${n}`, { taskId: 'T1', text: 'Once more.' });
  assert.equal(await alike(...three(thought)), true, 'thoughts');
});

test('[GU5] retold steps, replays and its own events count nothing', async () => {
  const watched = new Watched([{ ...LOOPS, limits: { stepsPerMinute: 3 }, coolDownSeconds: 1 }]);
  const retold = (n: number): SafeRecord =>
    span(n, {
      attrs: {
        'explain.node.id': `far:${n}`,
        'explain.node.type': 'TOOL_CALL',
        'explain.node.agent': 'Coder',
        'explain.node.task_id': 'T1',
        'explain.node.state': 'RUNNING',
        'explain.node.status': 'OK',
      },
    });
  await watched.take(retold(1), retold(2), retold(3));
  assert.equal(watched.test.engine.graph.nodeCount, 3);
  assert.equal(watched.fired.length, 0);
  await watched.take(call(4, '{"n":4}'), call(5, '{"n":5}'));
  await watched.take(call(6, '{"n":6}', { ms: 'running' }));
  assert.deepEqual(
    watched.fired.map(({ details }) => details?.['figure']),
    [3],
  );
  await watched.pass(5);
  assert.ok(watched.fired.length > 1);
  assert.ok(watched.fired.every(({ details }) => details?.['figure'] === 3));
});

test('[GU6] within its cool-down a guard fires once for the same, also after a restart; then again', async () => {
  const watched = new Watched([LOOPS]);
  const running = { ms: 'running' as const };
  await watched.take(call(1, '{"a":1}'), call(2, '{"a":1}'), call(3, '{"a":1}', running));
  await watched.take(call(4, '{"a":1}', running));
  assert.equal(watched.fired.length, 1);
  await watched.take(call(5, '{"b":1}', { agent: 'Critic' }), call(6, '{"b":1}', { agent: 'Critic' }));
  await watched.take(call(7, '{"b":1}', { agent: 'Critic' }));
  assert.equal(watched.fired.length, 2, 'another agent is something else');
  await watched.stop();

  const again = new Watched([LOOPS], watched.test);
  await again.take(call(8, '{"a":1}', running));
  assert.equal(again.fired.length, 2);
  await again.pass(62);
  assert.equal(again.fired.length, 3, 'it is over, and it still runs');
});

test('[GU7] history, and what was over before the start, is left alone; what runs then is watched', async () => {
  const history = new Watched([LOOPS]);
  const ago = { at: -16 * 60_000 };
  await history.take(
    ...[1, 2, 3, 4].map((n) => call(n, '{}', { ...ago, ...(n === 4 && { ms: 'running' as const }) })),
  );
  assert.equal(history.fired.length, 0);

  for (const state of ['over', 'running'] as const) {
    const before = makeEngine();
    const records = [1, 2, 3].map((n) =>
      call(n, '{"a":1}', state === 'running' && n === 3 ? { ms: 'running' } : {}),
    );
    await before.engine.correlator.consume(batchOf(records));
    before.engine.flush();
    const watched = new Watched([LOOPS], before);
    await watched.pass(2);
    assert.equal(watched.fired.length, state === 'over' ? 0 : 1, state);
  }
});

test('[GU8] in a dry run nobody is asked, and it is said that it was one', async () => {
  const watched = new Watched([{ ...LOOPS, dryRun: true }]);
  await watched.take(call(1, '{"a":1}'), call(2, '{"a":1}'), call(3, '{"a":1}', { ms: 'running' }));
  assert.partialDeepStrictEqual(watched.fired[0], {
    details: { outcome: 'dry run', dryRun: true, action: 'interrupt' },
  });
  assert.deepEqual([watched.asked.length, watched.counted], [0, { 'loops dry_run': 1 }]);
});

test('[GU9] asked is who runs the step that went over; else another that is heard; else who waits; else nobody', async () => {
  const perTask = { ...LOOPS, per: 'task' as const };
  const outer = call('a', '{"outer":1}', { ms: 'running', agent: 'Boss' });
  const two = [call(1, '{"a":1}'), call(2, '{"a":1}')];

  const first = new Watched([perTask]);
  await first.take(outer, ...two, call(3, '{"a":1}', { at: 9, ms: 'running' }));
  assert.equal(first.asked[0]?.about.agent, 'Coder');

  const heard = new Watched([perTask]);
  heard.waiting.add('Boss');
  await heard.take(outer, ...two, call(3, '{"a":1}', { at: 9, ms: 'running' }));
  assert.equal(heard.asked[0]?.about.agent, 'Boss', 'the only one who listens');

  const waits = new Watched([LOOPS]);
  waits.waiting.add('Coder');
  await waits.take(...two, call(3, '{"a":1}', { at: 9 }));
  assert.partialDeepStrictEqual(waits.asked[0]?.about, {
    taskId: 'T1',
    agent: 'Coder',
    traceIds: ['a'.repeat(32)],
  });

  const nobody = new Watched([LOOPS]);
  await nobody.take(...two, call(3, '{"a":1}', { at: 9 }));
  assert.equal(nobody.asked.length, 0);
  assert.partialDeepStrictEqual(nobody.fired[0], { details: { outcome: 'nothing to interrupt' } });
});

test('[GU10] a guard interrupts ten times a minute, what is more fires later; two guards of one step both fire', async () => {
  const watched = new Watched([LOOPS, { ...LOOPS, name: 'others', action: 'warn' }]);
  const loops = Array.from({ length: 12 }, (_, task) =>
    [1, 2, 3].map((n) =>
      call(n, '{"a":1}', {
        traceId: task.toString(16).padStart(32, 'f'),
        ms: 'running',
        attrs: { taskID: `T${task}` },
      }),
    ),
  );
  await watched.take(...loops.flat());
  assert.deepEqual(watched.counted, { 'loops interrupt': 10, 'others warn': 12 });
  await watched.pass(14);
  assert.deepEqual(watched.counted, { 'loops interrupt': 12, 'others warn': 12 });
});

test('[GU11] limits of time need nothing that comes', async () => {
  const watched = new Watched([
    { ...LOOPS, limits: { runningSeconds: 30, nothingNewSeconds: 10 }, tasks: ['T*'], per: 'task' },
  ]);
  await watched.take(call(1, '{"a":1}', { ms: 'running' }));
  await watched.pass(8);
  assert.equal(watched.fired.length, 0);
  await watched.pass(3);
  assert.deepEqual(
    watched.fired.map(({ details }) => details?.['limit']),
    ['nothingNewSeconds'],
  );
  await watched.pass(20);
  assert.deepEqual(
    watched.asked.map(({ why }) => why.reason),
    ['timeout', 'timeout'],
  );
});

test('[GU11] without guards nothing is built, and a task that none names is not looked at', async () => {
  const { engine, clock } = makeEngine();
  let listeners = 0;
  const stage = guardsStage({
    guards: [],
    engine: { graph: engine.graph, onChanged: () => listeners++ },
    clock,
  } as never);
  await stage.start?.();
  assert.deepEqual([Object.keys(stage), listeners], [['forget'], 0]);

  const watched = new Watched([{ ...LOOPS, tasks: ['other-*'] }]);
  await watched.take(call(1, '{"a":1}'), call(2, '{"a":1}'), call(3, '{"a":1}'));
  assert.deepEqual([watched.fired.length, watched.counted], [0, { 'loops interrupt': 0 }]);
});

test('[GU12] of an erased task nothing is remembered', async () => {
  const watched = new Watched([LOOPS]);
  const loop = [1, 2, 3].map((n) => call(n, '{"a":1}', { ms: 'running' }));
  await watched.take(...loop);
  assert.equal(watched.counted['loops interrupt'], 1);
  watched.test.engine.correlator.erase([...watched.test.engine.graph.nodesOfTask('T1')]);
  watched.forget('T1');
  await watched.pass(1);
  await watched.take(...loop);
  assert.equal(watched.counted['loops interrupt'], 2);
});

test('[GU6] what only calls itself a firing keeps no guard from firing', async () => {
  const watched = new Watched([LOOPS]);
  const said = { taskId: 'T1', guard: 'loops', limit: 'sameStep', guardedAgent: 'Coder' };
  await watched.take(event('GuardFired', said, { eventId: 'guard:mine', time: epochMs(START) }));
  await watched.take(call(1, '{"a":1}'), call(2, '{"a":1}'), call(3, '{"a":1}'));
  assert.equal(watched.counted['loops interrupt'], 1);
});

test('[GU6] a firing that is told as a node of another service keeps no guard from firing', async () => {
  const watched = new Watched([LOOPS]);
  const eventId = `guard:${'a'.repeat(32)}`;
  const attrs = {
    'explain.node.id': `event:${eventId}`,
    'explain.node.type': 'REFLEXION_ACTION',
    'explain.node.agent': 'Guard',
    'explain.node.task_id': 'T1',
    'explain.node.details': {
      eventId,
      eventType: 'GuardFired',
      guard: 'loops',
      limit: 'sameStep',
      guardedAgent: 'Coder',
    },
  };
  await watched.take(span(9, { name: 'GuardFired', attrs }));
  await watched.take(call(1, '{"a":1}'), call(2, '{"a":1}'), call(3, '{"a":1}'));
  assert.equal(watched.counted['loops interrupt'], 1);
});

test('[GU6] a firing of when the clock was ahead counts as one of now', async () => {
  const watched = new Watched([LOOPS]);
  const said = { taskId: 'T1', guard: 'loops', limit: 'sameStep', guardedAgent: 'Coder' };
  const time = epochMs(watched.test.clock.now() + 365 * 86_400_000);
  await watched.take(event('GuardFired', said, { eventId: `guard:${'a'.repeat(32)}`, time }));
  await watched.take(call(1, '{"a":1}'), call(2, '{"a":1}'), call(3, '{"a":1}'));
  assert.equal(watched.counted['loops interrupt'], 0);
  await watched.pass(61);
  await watched.take(call(4, '{"a":1}'));
  assert.equal(watched.counted['loops interrupt'], 1);
});

test('[GU11] ten thousand steps in a second are followed, and told of once', async () => {
  const watched = new Watched([{ ...LOOPS, limits: { stepsPerMinute: 5000, tokens: 1 } }]);
  const flood = Array.from({ length: 10_000 }, (_, n) =>
    event('Said', { taskId: 'T1' }, { eventId: `m${n}`, component: 'Coder', time: epochMs(START + n / 10) }),
  );
  for (let at = 0; at < flood.length; at += 1000) {
    await watched.test.engine.correlator.consume(batchOf(flood.slice(at, at + 1000)));
    watched.test.engine.flush();
    watched.test.clock.advance(100);
  }
  await watched.pass(2);
  assert.deepEqual(
    watched.fired.map(({ details }) => [details?.['limit'], Number(details?.['figure']) >= 5000]),
    [['stepsPerMinute', true]],
  );
});
