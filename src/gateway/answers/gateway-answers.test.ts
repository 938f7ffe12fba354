import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../base/clock.ts';
import { Pace } from '../../base/pace.ts';
import { ClientError } from '../../client/client-error.ts';
import type { SafeRecord } from '../../model/pipeline.ts';
import type { Engine } from '../../service/engine.ts';
import { assertDag } from '../../../test/support/assert-dag.ts';
import { awayCell, cellOf } from '../../../test/support/cell-of.ts';
import { makeEngine } from '../../../test/support/make-engine.ts';
import { nodeId, span, type SpanWords } from '../../../test/support/records.ts';
import { batchOf } from '../../../test/support/world.ts';
import { AWAY_TIMEOUT_MS, CELL_TIMEOUT_MS } from './ask-cells.ts';
import type { AskedCell } from './asked-cell.ts';
import { GatewayAnswers } from './gateway-answers.ts';
import { WANTED_OF_GATEWAY } from '../cells/refuses-gateway.ts';

const TRACES = ['a', 'b', 'c'].map((letter) => letter.repeat(32));
const [A = '', B = '', C = ''] = TRACES;

async function engineWith(...records: readonly SafeRecord[]): Promise<Engine> {
  const { engine } = makeEngine();
  await engine.correlator.consume(batchOf(records));
  return engine;
}

function gatewayTo(cells: readonly AskedCell[], clock = new ManualClock()): GatewayAnswers {
  return new GatewayAnswers({ cells: () => cells, clock, pace: new Pace(clock) });
}

function step(n: number, traceId: string, taskID: string, words: SpanWords = {}): SafeRecord {
  return span(n, {
    traceId,
    ...(n > 1 && { parent: 1 }),
    at: 10 * n,
    ...words,
    attrs: { taskID, 'model.name': 'm', ...words.attrs },
  });
}

/** A run of one trace, the last step of which failed; one step took long. */
function run(traceId: string, taskID: string): readonly SafeRecord[] {
  return [1, 2, 3, 4, 5, 6, 7].map((n) =>
    step(n, traceId, taskID, { ms: n === 4 ? 900 : 5, status: n === 7 ? 'ERROR' : 'OK' }),
  );
}

/** Task S is in both cells; T in the first alone, U in the second alone. */
async function twoCells(): Promise<{
  readonly cells: readonly AskedCell[];
  readonly one: Engine;
  readonly engines: readonly [Engine, Engine];
}> {
  const first = [...run(A, 'T'), step(1, C, 'S'), step(2, C, 'S', { status: 'ERROR' })];
  const second = [...run(B, 'U'), ...[1, 2, 3].map((n) => step(n, 'd'.repeat(32), 'S', { at: 500 }))];
  const engines = [await engineWith(...first), await engineWith(...second)] as const;
  return {
    cells: [cellOf('c2', engines[1]), cellOf('c1', engines[0])],
    one: await engineWith(...first, ...second),
    engines,
  };
}

test('[GA2] a graph is that of one process where tasks have one trace, and says which tasks are in several cells', async () => {
  const { cells, one } = await twoCells();
  const { notices, ...graph } = await gatewayTo(cells).getGraph({ collapse: 'none' });
  assertDag(graph);
  const whole = one.reader.getGraph({ collapse: 'none' });
  assert.deepEqual({ ...graph, lastUpdated: '' }, { ...whole, lastUpdated: '' });
  assert.deepEqual(notices, [
    'In several cells, and shown as the union of their parts, between which no edges lead: task S (c1, c2).',
  ]);
  const alone = await gatewayTo(cells).getGraph({ filters: { taskIds: ['T'] } });
  assert.equal(alone.notices, undefined);
  const bare = await gatewayTo(cells).getGraph({ collapse: 'none' }, undefined, 'structure');
  assert.ok(bare.nodes.every(({ name, title }) => name !== 'step' && title !== 'step'));
});

test('[GA4] a node is as the first cell has it; it is not known only where no cell knows it', async () => {
  const twice = [
    await engineWith(step(1, A, 'T', { name: 'first' })),
    await engineWith(step(1, A, 'T', { name: 'second' })),
  ];
  const cells = twice.map((engine, i) => cellOf(`c${i}`, engine));
  const id = nodeId(1, A);
  assert.equal((await gatewayTo(cells.toReversed()).getNode(id)).node.name, 'first');
  const away = await gatewayTo([awayCell('b'), ...cells]).getNode(id);
  assert.deepEqual([away.node.name, away.notices?.length], ['first', 1]);
  await assert.rejects(gatewayTo(cells).getNode('none'), { code: 'NOT_FOUND', message: /^nodeId: no node/ });
  await assert.rejects(gatewayTo([...cells, awayCell('c9')]).getNode('none'), {
    code: 'UNAVAILABLE',
    message:
      'nodeId: no node with this id is known; but it may be in a cell that does not answer: c9 (nothing answers)',
  });
  for (const ask of [
    (of: GatewayAnswers) => of.summary('none'),
    (of: GatewayAnswers) => of.spikes('none'),
    (of: GatewayAnswers) => of.why({ taskId: 'none' }),
    (of: GatewayAnswers) => of.compare({ a: 'T', b: 'none' }),
  ]) {
    await assert.rejects(ask(gatewayTo(cells)), { code: 'NOT_FOUND' });
    await assert.rejects(ask(gatewayTo([...cells, awayCell('c9')])), {
      code: 'UNAVAILABLE',
      message: /may be in.*c9/,
    });
  }
});

test(
  '[GA3] a cell that does not answer in time is left out and named; what it refuses is told as it is',
  { timeout: 20_000 },
  async () => {
    const { cells } = await twoCells();
    const clock = new ManualClock();
    const [second, first] = cells;
    assert.ok(first && second);
    const silent = {
      name: 'c2',
      answers: { ...second.answers, getGraph: () => new Promise<never>(() => {}) },
    };
    const asked = gatewayTo([first, silent], clock).getGraph({});
    await new Promise(setImmediate);
    clock.advance(CELL_TIMEOUT_MS);
    const { nodes, notices } = await asked;
    assert.ok(nodes.length > 0);
    assert.deepEqual(notices, [
      'What only these cells have is missing, as they do not answer: c2 (no answer within 10 s).',
    ]);
    const known = gatewayTo([first, { ...silent, isAway: true }], clock).getGraph({});
    await new Promise(setImmediate);
    clock.advance(AWAY_TIMEOUT_MS);
    assert.match((await known).notices?.join() ?? '', /c2 \(no answer within 2 s\)/);
    const refusing = awayCell('c2', new ClientError('PERMISSION_DENIED', 'it needs the right "see"'));
    await assert.rejects(gatewayTo([first, refusing]).getGraph({}), {
      code: 'PERMISSION_DENIED',
      message: 'it needs the right "see"',
    });
    await assert.rejects(gatewayTo([awayCell('c1'), awayCell('c2')]).getGraph({}), {
      code: 'UNAVAILABLE',
      message: /c1.*c2/,
    });
    await assert.rejects(gatewayTo([]).getGraph({}), { code: 'UNAVAILABLE', message: /gateway\.cells/ });
    await assert.rejects(
      gatewayTo([first]).getGraph({}, () => false),
      { code: 'UNAVAILABLE' },
    );
    assert.throws(() => gatewayTo([first]).getGraph({ collapse: 'x' }), { code: 'INVALID_ARGUMENT' });
  },
);

test('[GA15] a cell that refuses the gateway itself is left out, and who asked is told what the gateway lacks', async () => {
  const { cells } = await twoCells();
  const [, first] = cells;
  assert.ok(first);
  const lacks = `it refuses the gateway: ${WANTED_OF_GATEWAY}`;
  const refusals: readonly (readonly [
    code: 'UNAUTHENTICATED' | 'PERMISSION_DENIED',
    message: string,
    said: string,
  ])[] = [
    ['UNAUTHENTICATED', 'send a token or key', lacks],
    ['PERMISSION_DENIED', 'x-explain-on-behalf-of is for gateways: leave it out', lacks],
    [
      'PERMISSION_DENIED',
      'x-explain-on-behalf-of names another project',
      'it refuses the gateway: x-explain-on-behalf-of names another project',
    ],
  ];
  for (const [code, message, said] of refusals) {
    const stranger = awayCell('c2', new ClientError(code, message));
    const { nodes, notices } = await gatewayTo([first, stranger]).getGraph({});
    assert.ok(nodes.length > 0);
    assert.deepEqual(notices, [
      `What only these cells have is missing, as they do not answer: c2 (${said}).`,
    ]);
    await assert.rejects(gatewayTo([stranger]).getGraph({}), {
      code: 'UNAVAILABLE',
      message: `no cell answers: c2 (${said})`,
    });
  }
});

test('[GA7] why, spikes, summary and compare of tasks in one cell are what that cell answers', async () => {
  const { cells, engines } = await twoCells();
  const gateway = gatewayTo(cells);
  const { reader } = engines[0];
  assert.deepEqual(await gateway.why({ taskId: 'T' }), await reader.why({ taskId: 'T' }));
  assert.deepEqual(await gateway.why({ nodeId: nodeId(7, A) }), await reader.why({ nodeId: nodeId(7, A) }));
  assert.deepEqual(await gateway.spikes('T'), await reader.spikes('T'));
  assert.deepEqual(await gateway.summary('T'), await reader.summary('T'));
});

test('[GA7] of tasks in several cells they are what one process answers, and say so', async () => {
  const { cells, one } = await twoCells();
  const gateway = gatewayTo(cells);
  const compared = await gateway.compare({ a: 'T', b: 'U' });
  assert.deepEqual(compared, await one.reader.compare({ a: 'T', b: 'U' }));
  const { notices, ...why } = await gateway.why({ taskId: 'S' });
  const whole = await one.reader.why({ taskId: 'S' });
  assert.deepEqual(
    { ...why, graph: { ...why.graph, lastUpdated: '' } },
    { ...whole, graph: { ...whole.graph, lastUpdated: '' } },
  );
  assert.match(notices?.[0] ?? '', /In several cells.* S \(c1, c2\)/);
  const { notices: ofSummary, ...summary } = await gateway.summary('S');
  assert.deepEqual([summary, ofSummary], [await one.reader.summary('S'), notices]);
  const { notices: ofSpikes, ...spikes } = await gateway.spikes('S');
  assert.deepEqual([spikes, ofSpikes], [await one.reader.spikes('S'), notices]);
});

test('[GA7] who may not read texts is given none by what is worked out of several cells', async () => {
  const { engines } = await twoCells();
  const secret = { attrs: { 'gen_ai.prompt': 'SECRET' }, name: 'SECRET' };
  await engines[0].correlator.consume(batchOf([step(3, C, 'S', secret)]));
  const gateway = gatewayTo([cellOf('c1', engines[0]), cellOf('c2', engines[1])]);
  for (const answer of [
    await gateway.why({ taskId: 'S' }, 'structure'),
    await gateway.summary('S', 'structure'),
    await gateway.compare({ a: 'S', b: 'T' }, 'structure'),
  ])
    assert.doesNotMatch(JSON.stringify({ ...answer, totals: undefined }), /SECRET/);
});

test('[GA8] spikes of all cells are sorted as in one; parts of a task are looked at by themselves, which is said', async () => {
  const { cells, one, engines } = await twoCells();
  const { notices, ...spikes } = await gatewayTo(cells).spikes(undefined);
  assert.deepEqual(spikes, await one.reader.spikes(undefined));
  assert.equal(spikes.spikes.length, 2);
  assert.equal(notices, undefined);
  await engines[0].correlator.consume(batchOf(run('e'.repeat(32), 'S')));
  assert.match(
    (await gatewayTo(cells).spikes(undefined)).notices?.[0] ?? '',
    /each part was looked at.*: S\.$/,
  );
});

test('[GA10] patterns and the effect of an adaptation are those of one process, whatever cells tasks are in', async () => {
  const { cells, one, engines } = await twoCells();
  // Enough that nodes are fetched more than once.
  for (let n = 0; n < 300; n++) {
    const traceId = (n + 1).toString(16).padStart(32, '0');
    const adaptations = n % 3 ? { 'gen_ai.prompt.adaptations': 'short@1' } : {};
    const records = [1, 2].map((i) =>
      step(i, traceId, `many ${n % 250}`, { status: n % 4 && i === 2 ? 'ERROR' : 'OK', attrs: adaptations }),
    );
    for (const engine of [one, engines[n < 250 ? n % 2 : 0]])
      await engine?.correlator.consume(batchOf(records));
  }
  const gateway = gatewayTo(cells);
  for (const filters of [{}, { nodeTypes: ['LLM_CALL'] }, { taskIds: ['S', 'T'] }])
    assert.deepEqual(await gateway.patterns(filters), await one.reader.patterns(filters));
  assert.deepEqual(await gateway.patterns({}, 'structure'), await one.reader.patterns({}, 'structure'));
  assert.ok((await gateway.patterns({})).tasks.failed > 100);
  const timeline = { id: 'short', versions: [{ version: 1, from: 0, enabled: true, scope: {} }] };
  const effect = await gateway.adaptationEffect(timeline);
  assert.deepEqual(effect, await one.reader.adaptationEffect(timeline));
  assert.equal(effect.tasks.compared + effect.tasks.passedOver + effect.tasks.mixed, 253);
  const away = await gatewayTo([...cells, awayCell('c9')]).patterns({});
  assert.match(away.notices?.[0] ?? '', /c9/);
});

test('[GA10] where a cell stops answering in between there is no answer', async () => {
  const { cells } = await twoCells();
  const [second, first] = cells;
  assert.ok(first && second);
  const going = { name: 'c2', answers: { ...second.answers, getGraph: awayCell('c2').answers.getGraph } };
  await assert.rejects(gatewayTo([first, going]).patterns({}), {
    code: 'UNAVAILABLE',
    message: 'a cell stopped answering meanwhile, ask again: c2 (nothing answers)',
  });
});

test('[GA9] pruning is done by every cell, and summed up', async () => {
  const { cells, engines } = await twoCells();
  const pruned = await gatewayTo([...cells, awayCell('c9')]).prune(0);
  assert.deepEqual([pruned.prunedNodes, pruned.notices?.length], [19, 1]);
  for (const { reader } of engines) assert.equal(reader.getGraph({}).nodes.length, 0);
  await assert.rejects(gatewayTo(cells).prune(-1), { code: 'INVALID_ARGUMENT', message: /olderThanMinutes/ });
});
