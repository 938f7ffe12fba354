import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SafeRecord } from '../model/pipeline.ts';
import { BoundaryError } from '../base/boundary-error.ts';
import { makeEngine, type TestEngine } from '../../test/support/make-engine.ts';
import { cot, event, id, log, nodeId, span, TRACE } from '../../test/support/records.ts';
import type { TiedNodes, TiedQuery } from '../storage/record-store.ts';
import type { Tie } from '../model/ties.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { Comebacks } from './comebacks.ts';
import { StoreModel } from '../../test/support/store-model.ts';
import { batchOf } from '../../test/support/world.ts';

function makeArchived(store = new StoreModel()): TestEngine & { readonly store: StoreModel } {
  const target = makeEngine({ journal: store, archive: store });
  target.engine.onLeaving((nodes) => store.archive(nodes));
  return { ...target, store };
}

/** What is shown when nothing has left. */
async function graphOf(...records: readonly SafeRecord[]): Promise<object> {
  const { engine } = makeEngine();
  await engine.correlator.consume(batchOf(records));
  return shown({ engine });
}

function shown({ engine }: Pick<TestEngine, 'engine'>): object {
  const { nodes, edges } = engine.reader.getGraph({ collapse: 'none' });
  const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);
  return { nodes: [...nodes].sort(byId), edges: [...edges].sort(byId) };
}

/** Only these leave; the others stay, and something comes that names none of those that left. */
const PARTS: readonly {
  readonly what: string;
  readonly first: readonly SafeRecord[];
  readonly leave: readonly string[];
  readonly late: SafeRecord;
}[] = [
  {
    what: 'a thought, when the root with the task and the agent left',
    first: [
      span(1, {
        attrs: { taskID: 'T', 'gen_ai.agent.name': 'planner', 'gen_ai.operation.name': 'invoke_agent' },
      }),
      span(2, { parent: 1, attrs: { requestId: 'r', 'model.name': 'm' } }),
    ],
    leave: [nodeId(1)],
    late: cot('r'),
  },
  {
    what: 'an event that a second root waited for, when the first left with the query: there is one query',
    first: [
      span(1, { attrs: { 'gen_ai.input.messages': asked('fix the parser') } }),
      span(2, { at: 1, attrs: { 'gen_ai.input.messages': asked('run the tests'), depends_on: ['e1'] } }),
    ],
    leave: [nodeId(1)],
    late: event('ModelSwitched'),
  },
  {
    what: 'an event that a step waited for, when what is above and below the step left',
    first: [
      span(1, { attrs: { taskID: 'T' } }),
      span(2, { parent: 1, attrs: { depends_on: ['event:e1'] } }),
      span(3, { parent: 2 }),
    ],
    leave: [nodeId(1), nodeId(3)],
    late: event('CodeFixApplied'),
  },
];

function asked(content: string): string {
  return JSON.stringify([{ role: 'user', parts: [{ type: 'text', content }] }]);
}

for (const { what, first, leave, late } of PARTS)
  test(`[ST42] what comes for a node that stayed brings back the parts of its trace that left: ${what}`, async () => {
    const target = makeArchived();
    await target.engine.correlator.consume(batchOf(first));
    target.engine.takeOut(leave);
    assert.ok(target.store.left.size >= leave.length);
    await target.engine.correlator.consume(batchOf([late]));
    assert.equal(target.store.left.size, 0);
    assert.deepEqual(shown(target), await graphOf(...first, late));
  });

const OTHER = 'b'.repeat(32);
const RUN = span(1, { attrs: { taskID: 'T', 'agui.kind': 'run' } });

const ANSWER = { 'gen_ai.response.id': 'm', 'gen_ai.request.model': 'gpt-4o' };

/** The first node leaves; what comes late is, or concerns, another root of its task. */
const ROOTS: readonly {
  readonly what: string;
  readonly first: readonly SafeRecord[];
  readonly leaves?: string;
  readonly late: SafeRecord;
}[] = [
  {
    what: 'a root of a session',
    first: [span(1, { attrs: { 'session.id': 's', 'agui.kind': 'run' } })],
    late: span(2, { traceId: OTHER, attrs: { 'session.id': 's' } }),
  },
  {
    what: 'a root whose parent never came',
    first: [RUN],
    late: span(2, { traceId: OTHER, parent: 9, attrs: { taskID: 'T' } }),
  },
  {
    what: 'a root that has the task of its trace',
    first: [RUN, span(2, { traceId: OTHER, attrs: { taskID: 'T' } })],
    late: span(3, { traceId: OTHER, parent: 9 }),
  },
  {
    what: 'the first root by which all are joined',
    first: [span(1, { attrs: { taskID: 'T' } })],
    late: span(2, { traceId: OTHER, at: 1, attrs: { taskID: 'T', 'agui.kind': 'run' } }),
  },
  {
    what: 'the parent, of another task, of what was a root until then',
    first: [RUN, span(2, { traceId: OTHER, parent: 9, at: -1, attrs: { taskID: 'T' } })],
    late: span(9, { traceId: OTHER, at: -2, attrs: { taskID: 'U' } }),
  },
  {
    what: 'the call, of another task, that takes in what was a root until then',
    first: [
      span(1, { traceId: OTHER, attrs: { 'session.id': 's', 'agui.kind': 'run' } }),
      log('gen_ai.client.inference.operation.details', {
        in: 9,
        at: -1,
        attrs: { 'session.id': 's', ...ANSWER },
      }),
    ],
    leaves: nodeId(1, OTHER),
    late: span(2, { at: -2, attrs: { taskID: 'U', 'gen_ai.operation.name': 'chat', ...ANSWER } }),
  },
];

for (const { what, first, leaves = nodeId(1), late } of ROOTS)
  test(`[ST42] the roots of a task that several protocols tell come back for its other roots: ${what}`, async () => {
    const target = makeArchived();
    await target.engine.correlator.consume(batchOf(first));
    target.engine.takeOut([leaves]);
    await target.engine.correlator.consume(batchOf([late]));
    assert.deepEqual(shown(target), await graphOf(...first, late));
  });

test('[ST42] a restart brings back the roots of a task that a root in memory is of, which several protocols tell', async () => {
  const records = [RUN, span(2, { traceId: OTHER, parent: 9, attrs: { taskID: 'T' } })];
  const store = new StoreModel();
  const before = makeArchived(store);
  await before.engine.correlator.consume(batchOf(records));
  before.engine.takeOut([nodeId(1)]);
  before.engine.stop();
  const after = makeArchived(store);
  await after.engine.correlator.replay(store.restore());
  assert.deepEqual(shown(after), await graphOf(...records));
});

/** What left led to what stayed, by what is told no more. */
const RETOLD: readonly {
  readonly what: string;
  readonly first: readonly SafeRecord[];
  readonly again: SafeRecord;
}[] = [
  {
    what: 'a span that linked to it',
    first: [span(1), span(2, { traceId: OTHER, ms: 'running', linksTo: nodeId(1) })],
    again: span(2, { traceId: OTHER }),
  },
  {
    what: 'a span that waited for it',
    first: [span(1), span(2, { traceId: OTHER, ms: 'running', attrs: { depends_on: [nodeId(1)] } })],
    again: span(2, { traceId: OTHER }),
  },
  {
    what: 'a thought that was logged in it',
    first: [
      span(1, { attrs: { 'gen_ai.operation.name': 'execute_tool' } }),
      cot('r', { traceId: TRACE, spanId: id(1) }),
    ],
    again: cot('r', { revision: 2 }),
  },
  {
    what: 'an event that named it',
    first: [span(1), event('ModelSwitched', { traceId: TRACE, spanId: id(1), z: 1 })],
    again: event('ModelSwitched', { a: 1 }),
  },
];

for (const { what, first, again } of RETOLD)
  test(`[ST42] what left leads no more to what is told again without naming it: ${what}`, async () => {
    const target = makeArchived();
    await target.engine.correlator.consume(batchOf(first));
    target.engine.takeOut([nodeId(1)]);
    assert.deepEqual([...target.store.left.keys()], [nodeId(1)]);
    await target.engine.correlator.consume(batchOf([again]));
    assert.deepEqual(
      [...target.store.left.values()].flatMap(({ edges }) => edges),
      [],
    );
    assert.deepEqual(shown(target), await graphOf(...first, again));
  });

test('[ST42] what is told again as it was, or as it was before, brings back nothing', async () => {
  const target = makeArchived();
  const before = span(2, { traceId: OTHER, ms: 'running' });
  const now = span(2, { traceId: OTHER, linksTo: nodeId(1) });
  await target.engine.correlator.consume(batchOf([span(1), before, now]));
  target.engine.takeOut([nodeId(1)]);
  await target.engine.correlator.consume(batchOf([before]));
  assert.deepEqual([...target.store.left.keys()], [nodeId(1)]);
});

test('[ST42] what comes for a node that stayed brings back nothing that it has no part in', async () => {
  const target = makeArchived();
  const other = 'b'.repeat(32);
  await target.engine.correlator.consume(
    batchOf([span(1, { attrs: { taskID: 'T' } }), span(2, { traceId: other, attrs: { requestId: 'r' } })]),
  );
  target.engine.takeOut([nodeId(1)]);
  await target.engine.correlator.consume(batchOf([cot('r'), event('Whatever', { nodeId: id(9) })]));
  assert.deepEqual([...target.store.left.keys()], [nodeId(1)]);
});

/** Tells before it gives anything back. */
class TellingStore extends StoreModel {
  onAsked: () => void = () => {};

  override tied(query: TiedQuery): Promise<TiedNodes> {
    this.onAsked();
    return super.tied(query);
  }
}

test('[ST42] readers never see what is late without what left', async () => {
  const store = new TellingStore();
  const { engine } = makeArchived(store);
  const first = [span(1, { attrs: { taskID: 'T' } }), span(2, { parent: 1, attrs: { requestId: 'r' } })];
  await engine.correlator.consume(batchOf(first));
  engine.takeOut([nodeId(1), 'req:r']);
  let asked = 0;
  store.onAsked = () => {
    asked++;
    assert.deepEqual(engine.reader.getGraph({ collapse: 'none' }).nodes, []);
  };
  const late = cot('r');
  await engine.correlator.consume(batchOf([late]));
  assert.equal(asked, 1);
  assert.deepEqual(shown({ engine }), await graphOf(...first, late));
});

/** What left is given back after some turns of the event loop. */
class SlowStore extends StoreModel {
  override async tied(query: TiedQuery): Promise<TiedNodes> {
    await turns(5);
    return super.tied(query);
  }
}

/** It is asked, and never answers. */
class SilentStore extends StoreModel {
  override tied(): Promise<TiedNodes> {
    return Promise.withResolvers<TiedNodes>().promise;
  }
}

test('[LC5] when the service begins to stop, what waits for what left memory waits no longer, and nothing more does', async () => {
  const target = makeArchived(new SilentStore());
  await target.engine.correlator.consume(
    batchOf([span(1), span(2, { parent: 1, attrs: { requestId: 'r' } })]),
  );
  target.engine.takeOut([nodeId(1), 'req:r']);
  let taken = 0;
  const take = async (record: SafeRecord): Promise<void> => {
    await target.engine.correlator.consume(batchOf([record]));
    taken++;
  };
  void take(cot('r'));
  await turns(50);
  assert.equal(taken, 0);
  target.engine.bringNothingBack();
  void take(span(3, { parent: 1 }));
  await turns(50);
  assert.equal(taken, 2);
  assert.equal(target.store.left.size, 2);
});

test('[ST42] each of two requests that are taken at once is answered when what its nodes are tied to is back', async () => {
  const target = makeArchived(new SlowStore());
  const traces = ['b', 'c'].map((digit) => digit.repeat(32));
  const callsOf = (traceId: string): readonly SafeRecord[] => [
    span(1, { traceId, attrs: { taskID: 'T', 'gen_ai.operation.name': 'invoke_agent' } }),
    span(2, { traceId, parent: 1, attrs: { requestId: `r${traceId}`, 'model.name': 'm' } }),
  ];
  await target.engine.correlator.consume(batchOf(traces.flatMap(callsOf)));
  target.engine.flush();
  target.engine.takeOut(traces.map((traceId) => nodeId(1, traceId)));
  await Promise.all(
    traces.map(async (traceId) => {
      await target.engine.correlator.consume(batchOf([cot(`r${traceId}`)]));
      assert.ok(target.engine.graph.node(nodeId(1, traceId)), 'its root is back');
    }),
  );
});

test('[ST42] requests that wait for what left are asked for together', async () => {
  const sizes: number[] = [];
  class CountingStore extends SlowStore {
    override tied(query: TiedQuery): Promise<TiedNodes> {
      sizes.push(query.ties.length);
      return super.tied(query);
    }
  }
  const target = makeArchived(new CountingStore());
  const traces = Array.from({ length: 12 }, (_, n) => (n + 1).toString(16).padStart(32, '0'));
  await target.engine.correlator.consume(batchOf(traces.map((traceId) => span(1, { traceId }))));
  target.engine.takeOut(traces.map((traceId) => nodeId(1, traceId)));
  await Promise.all(
    traces.map(async (traceId) => {
      await target.engine.correlator.consume(batchOf([span(2, { traceId, parent: 1 })]));
      assert.ok(target.engine.graph.node(nodeId(1, traceId)), 'its parent is back');
    }),
  );
  assert.deepEqual(sizes, [12]);
});

test('[ST42] what nodes of several tasks look for is asked for task by task: for one that is too large no other lacks anything', async () => {
  const asked: (readonly string[])[] = [];
  /** Notes of which tasks what is asked for together has left. */
  class NotingStore extends StoreModel {
    override tied(query: TiedQuery): Promise<TiedNodes> {
      const left = [...this.left.values()];
      for (const ties of query.ties) {
        const of = left.filter((one) => one.ties.some((tie) => ties.includes(tie)));
        asked.push([...new Set(of.map(({ node }) => node.taskId))]);
      }
      return super.tied(query);
    }
  }
  const partsOf = (taskID: string, traceId: string): readonly SafeRecord[] => [
    span(1, { traceId, attrs: { taskID, 'agui.kind': 'run' } }),
    span(2, { traceId, parent: 1, attrs: { requestId: taskID } }),
  ];
  const late: Readonly<Record<string, readonly SafeRecord[]>> = {
    'nodes that stayed': [cot('T'), cot('U')],
    'other roots': ['T', 'U'].map((taskID, n) =>
      span(1, { traceId: `${n}c`.repeat(16), parent: 9, attrs: { taskID } }),
    ),
  };
  for (const [what, records] of Object.entries(late)) {
    const target = makeArchived(new NotingStore());
    await target.engine.correlator.consume(batchOf([...partsOf('T', TRACE), ...partsOf('U', OTHER)]));
    target.engine.takeOut([nodeId(1), nodeId(1, OTHER)]);
    asked.length = 0;
    await target.engine.correlator.consume(batchOf(records));
    assert.equal(target.store.left.size, 0, what);
    assert.deepEqual(asked.flat().toSorted(), ['T', 'U'], what);
    assert.ok(
      asked.every(({ length }) => length <= 1),
      what,
    );
  }
});

/** What is asked for comes back when the test says so. */
class HeldStore extends StoreModel {
  readonly release = Promise.withResolvers<void>();
  private isAsked = false;

  override async tied(query: TiedQuery): Promise<TiedNodes> {
    this.isAsked = true;
    await this.release.promise;
    return super.tied(query);
  }

  async becomesAsked(): Promise<void> {
    await turns(20);
    assert.ok(this.isAsked, 'what left is asked for');
  }
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

test('[ST42] who only seems to be tied to what left does not wait for what comes back for others', async () => {
  class SeemingStore extends HeldStore {
    override mayBeTied(): boolean {
      return true;
    }

    override async isTied(ties: readonly Tie[]): Promise<boolean> {
      return super.mayBeTied(ties);
    }
  }
  const store = new SeemingStore();
  const { engine } = makeArchived(store);
  await engine.correlator.consume(batchOf([span(1)]));
  engine.takeOut([nodeId(1)]);
  const late = engine.correlator.consume(batchOf([span(2, { parent: 1 })]));
  await store.becomesAsked();
  const traceId = 'b'.repeat(32);
  const other = engine.correlator.consume(batchOf([span(1, { traceId })]));
  await turns(20);
  assert.ok(engine.graph.node(nodeId(1, traceId)));
  assert.equal(engine.graph.node(nodeId(2)), undefined, 'the other still waits');
  store.release.resolve();
  await Promise.all([late, other]);
  assert.ok(engine.graph.node(nodeId(1)));
});

test('[ST42] for what comes back for the nodes of others a request waits a quarter of a second at most', async () => {
  const store = new HeldStore();
  const { engine, clock } = makeArchived(store);
  const first = [
    span(1, { attrs: { taskID: 'T', 'gen_ai.operation.name': 'invoke_agent' } }),
    span(2, { parent: 1, attrs: { requestId: 'r', 'model.name': 'm' } }),
  ];
  await engine.correlator.consume(batchOf(first));
  engine.flush();
  engine.takeOut([nodeId(1)]);
  // It names a node that stayed, which looks anew at what is above it.
  let isAnswered = false;
  const thought = engine.correlator.consume(batchOf([cot('r')])).then(() => (isAnswered = true));
  await store.becomesAsked();
  await turns(10);
  assert.equal(isAnswered, false);
  clock.advance(250);
  await turns(10);
  assert.equal(isAnswered, true);
  await thought;
  store.release.resolve();
  await turns(20);
  assert.ok(engine.graph.node(nodeId(1)), 'it comes all the same');
});

test('[ST42] when 500 requests wait for what left, the next one that is tied to it is refused before it is kept, others are not', async () => {
  const store = new HeldStore();
  const { engine } = makeArchived(store);
  await engine.correlator.consume(batchOf([span(1)]));
  engine.takeOut([nodeId(1)]);
  const late = Array.from({ length: 500 }, (_, n) =>
    engine.correlator.consume(batchOf([span(n + 2, { parent: 1 })])),
  );
  await turns(20);
  const tooMany = batchOf([span(502, { parent: 1 })]);
  let refusal: unknown;
  void engine.correlator.consume(tooMany).catch((error: unknown) => (refusal = error));
  await turns(20);
  assert.ok(refusal instanceof BoundaryError && refusal.code === 'RESOURCE_EXHAUSTED');
  assert.equal(store.restore().length, 500);
  const traceId = 'b'.repeat(32);
  await engine.correlator.consume(batchOf([span(1, { traceId })]));
  store.release.resolve();
  await Promise.all(late);
  await engine.correlator.consume(tooMany);
  assert.equal(engine.graph.nodeCount, 503);
});

for (const [code, lines] of [
  ['UNAVAILABLE', 0],
  ['INTERNAL', 1],
] as const)
  test(`[ST40] what cannot come back is taken as it is, and said but where the store closes: ${code}`, async () => {
    let said = 0;
    const comebacks = new Comebacks({
      archive: {
        hasNoTies: false,
        mayBeTied: () => true,
        isTied: () => Promise.resolve(true),
        tied: () => Promise.reject(new BoundaryError(code, 'no')),
      },
      room: () => ({ nodes: 10, bytes: 1000 }),
      timesLeft: () => 0,
      isHeldBack: () => false,
      onBack: () => undefined,
      logger: { ...silentLogger, error: () => said++ },
    });
    await comebacks.bringBack([], () => Promise.resolve());
    assert.equal(said, lines);
  });
