import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { PROGRAM } from '../access/principal.ts';
import { setTimeout } from 'node:timers/promises';
import { makeEngine } from '../../test/support/make-engine.ts';
import { cot, nodeId, span } from '../../test/support/records.ts';
import { batchOf } from '../../test/support/world.ts';
import { ManualClock } from '../base/clock.ts';
import { Pace } from '../base/pace.ts';
import { SharedLock } from '../base/shared-lock.ts';
import type { Facts } from '../model/facts.ts';
import { requestNodeId } from '../model/ids.ts';
import type { SafeRecord } from '../model/pipeline.ts';
import { openSqliteStore, type SqliteStore } from '../storage/sqlite/sqlite-store.ts';
import { silentLogger } from '../telemetry/logger.ts';
import type { Engine } from './engine.ts';
import { eraseRequests } from './erase-requests.ts';
import { Eraser, type Erased, type EraseTarget } from './eraser.ts';
import { Intake } from './intake.ts';

const OTHER_TRACE = 'b'.repeat(32);

/** A real store and an engine on it. Whatever an erasure waits for, something happens first. */
class Bench {
  readonly engine: Engine;
  readonly store: SqliteStore;
  private readonly lock = new SharedLock();
  readonly eraser: Eraser;
  happens: (step: string) => unknown = () => undefined;
  readonly steps: string[] = [];
  /** Request ids of thoughts that the door has forgotten. */
  forgotten: readonly string[] = [];

  constructor(store: SqliteStore) {
    this.store = store;
    const watched = this.watched(store);
    this.engine = makeEngine({ journal: store, archive: watched }).engine;
    this.engine.onLeaving((nodes) => {
      for (const left of nodes) void store.archive(left.node.taskId, [left]);
    });
    this.eraser = new Eraser({
      engine: this.engine,
      pace: this.pace(),
      store: watched,
      alone: (work) => this.lock.alone(work),
      removeFiles: async () => {},
      withoutReplays: (_tasks, work) => work(),
      eraseOriginals: () => false,
      forgetOverrides: async () => {},
      forgetThoughts: async (isMeant) => {
        await this.step('forgetThoughts');
        this.forgotten = ['r1', 'r2'].filter(isMeant);
      },
      userIn: (userId) => () => new Set([userId]),
      saveSnapshot: () => this.step('saveSnapshot'),
    });
  }

  static async open(t: TestContext): Promise<Bench> {
    const dataDir = await mkdtemp(join(tmpdir(), 'eraser-'));
    const store = await openSqliteStore({
      dataDir,
      durability: 'log',
      maxBytes: 1e9,
      persistRetentionDays: 30,
      logger: silentLogger,
    });
    t.after(async () => {
      await store.close();
      await rm(dataDir, { recursive: true });
    });
    return new Bench(store);
  }

  take(...records: readonly SafeRecord[]): Promise<void> {
    return this.lock.shared(() => this.engine.correlator.consume(batchOf(records)));
  }

  /** All nodes of a task leave memory. */
  leave(taskId: string): void {
    this.engine.takeOut([...this.engine.graph.nodesOfTask(taskId)]);
  }

  erase(target: EraseTarget = { taskId: 'T' }): Promise<Erased> {
    return this.eraser.erase(target);
  }

  /** What a restart would restore, and what left memory. */
  async kept(): Promise<{ readonly records: readonly string[]; readonly left: readonly string[] }> {
    const records: string[] = [];
    for await (const facts of this.store.restore()) records.push(...facts.map(nameOf));
    const left: string[] = [];
    for (const taskId of await this.store.archivedTasks())
      for await (const page of this.store.archivedTask(taskId)) left.push(...page.map(({ node }) => node.id));
    return { records: records.sort(), left: left.sort() };
  }

  get inMemory(): readonly string[] {
    const { graph } = this.engine;
    return [...graph.taskIds()].flatMap((taskId) => [...graph.nodesOfTask(taskId)]).sort();
  }

  private async step(name: string): Promise<void> {
    this.steps.push(name);
    await this.happens(name);
  }

  /** The store, which tells of what it is asked. */
  private watched(store: SqliteStore): SqliteStore {
    const step = (name: string): Promise<void> => this.step(name);
    return new Proxy(store, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== 'function') return value;
        const call = value.bind(target) as (...args: unknown[]) => unknown;
        switch (key) {
          case 'archivedTask':
            return async function* (taskId: string) {
              await step('before archivedTask');
              yield* target.archivedTask(taskId);
              await step('after archivedTask');
            };
          case 'archivedTasks':
          case 'erase':
          case 'sweep':
            return async (...args: unknown[]) => {
              await step(`before ${key}`);
              const answer = await call(...args);
              await step(`after ${key}`);
              return answer;
            };
          default:
            return call;
        }
      },
    });
  }

  /** Work rests whenever it may. */
  private pace(): Pace {
    const step = (): Promise<void> => this.step('rest');
    return new (class extends Pace {
      override get isOver(): boolean {
        return true;
      }

      override rest(): Promise<void> {
        return step();
      }
    })(new ManualClock());
  }
}

function nameOf(facts: Facts): string {
  if (facts.kind === 'cot') return requestNodeId(facts.requestId);
  return facts.kind === 'span' ? `${facts.traceId}:${facts.spanId}` : facts.kind;
}

/** What waits until the task is erased is not waited for. */
async function orAWhile(work: Promise<unknown>): Promise<void> {
  await Promise.race([work, setTimeout(50)]);
}

/** Each in a trace of its own. */
function spansOfTask(count: number): SafeRecord[] {
  return Array.from({ length: count }, (_, at) =>
    span(1, { traceId: (at + 1).toString(16).padStart(32, '0'), attrs: { taskID: 'T' } }),
  );
}

const THINGS: readonly SafeRecord[] = [
  span(1, { attrs: { taskID: 'T' } }),
  span(2, { parent: 1 }),
  cot('r1', { taskId: 'T', traceId: 'a'.repeat(32) }),
];
const BYSTANDER = span(1, { traceId: OTHER_TRACE, attrs: { taskID: 'U' } });
const NOTHING_LEFT = { records: [nodeId(1, OTHER_TRACE)], left: [] };

/** The names of the steps of an erasure of these records, in order. */
async function stepsOf(bench: Bench): Promise<readonly string[]> {
  await bench.take(...THINGS, BYSTANDER);
  await bench.erase();
  return [...new Set(bench.steps)];
}

test('[ST32] an erasure takes all of a task and says how much, at whatever step of it the task leaves memory', async (t) => {
  const bench = await Bench.open(t);
  const steps = await stepsOf(bench);
  assert.ok(steps.length >= 6, steps.join());
  for (const at of steps) {
    await bench.take(...THINGS);
    const nodes = bench.engine.graph.nodesOfTask('T').size;
    assert.ok(nodes >= 3);
    bench.happens = (step) => step === at && bench.leave('T');
    const erased = await bench.erase();
    assert.deepEqual(erased.tasks, ['T'], at);
    assert.equal(erased.nodesInMemory + erased.nodesArchived, nodes, at);
    assert.deepEqual(await bench.kept(), NOTHING_LEFT, at);
    assert.deepEqual(bench.inMemory, [nodeId(1, OTHER_TRACE)], at);
    assert.deepEqual(bench.forgotten, ['r1'], at);
  }
});

test('[ST32] a large task that leaves memory piece by piece while it is erased is erased, each node counted once', async (t) => {
  const bench = await Bench.open(t);
  await bench.take(...spansOfTask(350));
  bench.happens = (step) => {
    const [first] = bench.engine.graph.nodesOfTask('T');
    if (first !== undefined && step === 'rest') bench.engine.takeOut([first]);
  };
  const erased = await bench.erase();
  assert.equal(erased.nodesInMemory + erased.nodesArchived, 350);
  assert.ok(erased.nodesArchived > 0);
  assert.deepEqual(await bench.kept(), { records: [], left: [] });
});

test('[ST32] what comes for a task while it is erased is in memory and in the store, or in neither', async (t) => {
  const bench = await Bench.open(t);
  for (const at of await stepsOf(bench)) {
    bench.happens = () => undefined;
    await bench.erase();
    await bench.take(...THINGS);
    bench.leave('T');
    await bench.take(cot('r2', { taskId: 'T', text: 'erased' }));
    const coming: Promise<void>[] = [];
    bench.happens = async (step) => {
      if (step !== at) return;
      const records = [
        cot('r2', { taskId: 'T', text: 'erased or not', revision: 2 }),
        span(3, { parent: 1 }),
      ];
      coming.push(...records.map((record) => bench.take(record)));
      await orAWhile(Promise.all(coming));
    };
    await bench.erase();
    await Promise.all(coming);
    assert.equal(coming.length >= 2, true, at);
    const facts = [...bench.engine.correlator.facts()].map((one) => JSON.stringify(one)).sort();
    const kept: string[] = [];
    for await (const some of bench.store.restore()) kept.push(...some.map((one) => JSON.stringify(one)));
    assert.deepEqual(kept.sort(), facts, at);
    assert.deepEqual((await bench.kept()).left, [], at);
    assert.ok(!facts.some((one) => one.includes('"erased"')), at);
  }
});

test('[ST32] a thought of the task that is said again without its task, while the task is erased, goes with it', async (t) => {
  const bench = await Bench.open(t);
  const thought = cot('r1', { text: 'erased' });
  await bench.take(
    span(1, { attrs: { taskID: 'T', requestId: 'r1', 'model.name': 'm' } }),
    thought,
    BYSTANDER,
  );
  bench.leave('T');
  // Its end, which was held back.
  bench.happens = (step) =>
    step === 'forgetThoughts' && bench.take(cot('r1', { text: 'erased', revision: 2 }));
  const erased = await bench.erase();
  assert.ok(erased.nodesInMemory > 0);
  assert.deepEqual(await bench.kept(), NOTHING_LEFT);
  assert.deepEqual(bench.inMemory, [nodeId(1, OTHER_TRACE)]);
});

test('[ST32] the tasks of a user are found, whatever comes back and leaves while they are looked for', async (t) => {
  for (const at of [
    'before archivedTasks',
    'after archivedTasks',
    'before archivedTask',
    'after archivedTask',
  ]) {
    const bench = await Bench.open(t);
    await bench.take(span(1, { attrs: { taskID: 'T', 'user.id': 'ann' } }), span(2, { parent: 1 }));
    bench.leave('T');
    await bench.take(BYSTANDER);
    bench.leave('U');
    let late: Promise<void> | undefined;
    bench.happens = async (step) => {
      if (step !== at || late) return;
      late = bench.take(span(3, { parent: 2 }));
      await orAWhile(late);
    };
    assert.deepEqual((await bench.erase({ userId: 'ann' })).tasks, ['T'], at);
    await late;
    assert.deepEqual((await bench.kept()).left, [nodeId(1, OTHER_TRACE)], at);
    assert.ok(!bench.inMemory.includes(nodeId(1)), at);
  }
});

test('[ST32] an erasure that the disk refused can be asked for again', async (t) => {
  const bench = await Bench.open(t);
  await bench.take(...THINGS, BYSTANDER);
  const nodes = bench.engine.graph.nodesOfTask('T').size;
  bench.happens = (step) => {
    if (step === 'before erase') throw new Error('disk');
  };
  await assert.rejects(bench.erase(), /disk/);
  bench.happens = () => undefined;
  const erased = await bench.erase();
  assert.deepEqual([erased.tasks, erased.nodesInMemory], [['T'], nodes]);
  assert.deepEqual(await bench.kept(), NOTHING_LEFT);
});

test('[ST32] nothing is erased of a graph that is not restored yet, or while the service shuts down', async (t) => {
  const bench = await Bench.open(t);
  const intake = new Intake({ consume: () => Promise.resolve() }, new ManualClock(), () => {});
  const requests = eraseRequests({
    eraser: bench.eraser,
    assertOpen: () => intake.assertOpen(),
    accesses: undefined,
    redact: (text) => text,
    fingerprint: (token) => token,
  });
  const ask = (): Promise<unknown> => requests.handle({ taskId: 'T', principal: PROGRAM });
  await assert.rejects(ask(), { code: 'UNAVAILABLE', message: /restoring its graph/ });
  intake.start();
  assert.deepEqual(((await ask()) as Erased).tasks, []);
  await intake.stop();
  await assert.rejects(ask(), { code: 'UNAVAILABLE', message: /shutting down/ });
});
