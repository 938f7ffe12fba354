import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeEngine } from '../../test/support/make-engine.ts';
import { hurriedPace } from '../../test/support/hurried-pace.ts';
import { propertyRuns } from '../../test/support/property-runs.ts';
import { batchOf, makeSpan, safe, worldArbitrary } from '../../test/support/world.ts';
import { wholeInTurns } from '../base/in-turns.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { AttributeValue } from '../model/attributes.ts';
import type { SafeRecord } from '../model/pipeline.ts';
import { epochMs } from '../model/time.ts';
import type { WhyAnswer } from '../model/why.ts';
import {
  call,
  CALL,
  explainAtOnce,
  idOf,
  spanOf,
  type Told,
  tool,
  why,
  workflow,
} from './asked.test-support.ts';
import { idOf as plannedId, PlannedTasks, type Planned } from './compared.test-support.ts';
import { stepsBefore, type TextsOf } from './run.ts';
import { explainWhy } from './why.ts';

const numbers = (ids: readonly string[] = []): number[] => ids.map((id) => parseInt(id.slice(-16), 16));

test('[AN2] what failed first inside a failed step is named with its message; what failed is the outcome', async () => {
  const answer = await why(1, [
    { n: 1, at: 0, ms: 100, failed: 'the run failed' },
    { n: 2, parent: 1, at: 10, ms: 80 },
    { n: 3, parent: 2, at: 20, failed: 'disk full' },
    { n: 4, parent: 1, at: 50 },
  ]);
  assert.deepEqual(answer.named, ['failedAction 3']);
  assert.deepEqual(answer.outcome.failedNodes, [idOf(1)]);
  const reason = answer.reason(3, 'failedAction');
  assert.match(reason?.statement ?? '', /first of 2 steps .*disk full/);
  assert.deepEqual(numbers(reason?.evidence.path), [3, 2, 1]);
  assert.equal(reason?.evidence.edgeIds.length, 2);
  assert.equal(answer.graph.nodes.length, 3, 'the step that went well is not on the way');
});

test('[AN2] an earlier failure that led here is named', async () => {
  const answer = await why(3, [
    { n: 1, at: 0, failed: 'timeout' },
    { n: 2, at: 20, links: [1] },
    { n: 3, at: 40, links: [2], failed: 'no answer' },
  ]);
  assert.deepEqual(answer.named, ['failedAction 1']);
});

/** Before a sub-agent's tool fails twice, a call fails and is made again; no text or id ties the two failures. */
const BOOKING: readonly Told[] = [
  { n: 1, at: 0, ms: 500, failed: 'no flight booked', attrs: { component: 'travel-agent' } },
  { n: 2, parent: 1, at: 10, failed: 'rate limit', name: 'chat', attrs: call('travel', '') },
  {
    n: 3,
    parent: 1,
    at: 30,
    name: 'chat',
    attrs: call('travel', 'I book it.', [{ id: 'c1', tool: 'book_flight' }]),
  },
  { n: 4, parent: 1, at: 50, ms: 200, failed: 'booking failed', attrs: { component: 'booking-agent' } },
  { n: 5, parent: 4, at: 60, failed: 'timed out', attrs: tool('c1', 'book_flight', '') },
  { n: 6, parent: 4, at: 80, failed: 'price 214 is above 200', attrs: tool('c2', 'book_flight', '') },
  { n: 7, parent: 1, at: 300, name: 'chat', attrs: call('travel', 'Sorry, that could not be booked.') },
];

test('[AN2] the last failure that did not go well later is named first, though nothing but its place leads to the outcome', async () => {
  const answer = await why('task', BOOKING);
  assert.deepEqual(numbers(answer.candidates.map(({ nodeId }) => nodeId)).slice(0, 3), [6, 3, 5]);
  assert.match(
    answer.reason(6, 'failedAction')?.statement ?? '',
    /^The last failure .*: price 214 is above 200$/,
  );
  assert.equal(answer.reason(6, 'failedAction')?.recovered, false);
  assert.match(answer.reason(5, 'failedAction')?.statement ?? '', /^The first failure .*: timed out$/);
});

test('[AN2] what was done well with other arguments is another step, and the failure stays', async () => {
  const read = (n: number, at: number, path: string, failed?: string): Told => ({
    n,
    parent: 1,
    at,
    ...(failed !== undefined && { failed }),
    attrs: tool(`c${n}`, 'read_file', failed ?? 'text', JSON.stringify({ path })),
  });
  const steps = (path: string): Told[] => [
    { n: 1, at: 0, ms: 500, failed: 'no report', attrs: workflow('Report on b.txt', 'None.') },
    read(2, 10, 'a.txt', 'no such file a.txt'),
    read(3, 30, 'b.txt', 'no such file b.txt'),
    read(4, 50, path),
  ];
  const other = await why('task', steps('a.txt'));
  assert.equal(other.candidates[0]?.nodeId, idOf(3));
  assert.equal(other.reason(3, 'failedAction')?.recovered, false);
  assert.equal(other.reason(2, 'failedAction')?.recovered, true);
  const same = await why('task', steps('b.txt'));
  assert.equal(same.candidates[0]?.nodeId, idOf(2));
  assert.equal(same.reason(3, 'failedAction')?.recovered, true);
});

test('[AN8] what failed and went well later is named after what failed and did not, however much speaks for it', async () => {
  const between: readonly Told[] = [
    { n: 8, parent: 1, at: 35, attrs: call('travel', 'Windows come first, then aisles.') },
    { n: 9, parent: 1, at: 65, attrs: call('travel', 'I look.', [{ id: 'c3', tool: 'look_at_seat' }]) },
    { n: 10, parent: 1, at: 72, failed: 'no such seat', attrs: tool('c3', 'look_at_seat', '') },
  ];
  const answer = await why('task', [...BOOKING.filter(({ n }) => n < 7), ...between]);
  assert.equal(answer.reason(9, 'failedAction')?.recovered, false);
  const recovered = answer.candidates.map(({ reasons }) => reasons.some((reason) => reason.recovered));
  const open = answer.candidates.findLastIndex(({ reasons }) =>
    reasons.some((one) => one.recovered === false),
  );
  assert.ok(recovered.indexOf(true) > open, 'after all of them');
  const allWell = await why(
    'task',
    BOOKING.filter(({ n }) => n < 4 || n === 7),
  );
  assert.equal(allWell.reason(2, 'failedAction')?.recovered, true, 'it is still named');
});

test('[AN3] the LLM call from which the fewest edges lead to the failure', async () => {
  const answer = await why(4, [
    { n: 1, at: 0, attrs: CALL },
    { n: 2, at: 20, links: [1], attrs: CALL },
    { n: 3, at: 40, links: [2] },
    { n: 4, at: 60, links: [3], failed: '2 tests failed' },
  ]);
  assert.equal(answer.candidates[0]?.nodeId, idOf(2));
  assert.match(answer.reason(2, 'nearestCall')?.statement ?? '', /2 edges away/);
  assert.equal(answer.reason(1, 'nearestCall'), undefined);
});

test('[AN3] a later failure has its own call beside the one of the first', async () => {
  const answer = await why(4, [
    { n: 1, at: 0, attrs: CALL },
    { n: 2, at: 20, links: [1], failed: 'rule broken' },
    { n: 3, at: 40, links: [2], attrs: CALL },
    { n: 4, at: 60, links: [3], failed: 'rule broken' },
  ]);
  const near = answer.named.filter((name) => name.startsWith('nearestCall'));
  assert.deepEqual(near.toSorted(), ['nearestCall 1', 'nearestCall 3']);
});

test('[AN5] the last change of model on the way to the failure; a dated name of one model is no change', async () => {
  const of = (model: string, component = 'coder-agent') => ({ 'model.name': model, component });
  const steps = (link: number): Told[] => [
    { n: 1, at: 0, attrs: of('small') },
    { n: 2, at: 20, attrs: of('large') },
    { n: 3, at: 40, links: [2], attrs: of('large-2025-01-01') },
    { n: 4, at: 50, attrs: of('other', 'critic-agent') },
    { n: 9, at: 60, links: [link], failed: 'wrong' },
    { n: 10, at: 80, attrs: of('late') },
  ];
  const onTheWay = await why(9, steps(3));
  assert.match(onTheWay.reason(2, 'modelChange')?.statement ?? '', /CoderAgent called large, and small/);
  const elsewhere = await why(9, steps(4));
  assert.deepEqual(
    elsewhere.named.filter((name) => name.startsWith('modelChange')),
    [],
  );
});

test('[AN6] repeated attempts: the first on the way that failed', async () => {
  const attempt = { name: 'run tests', failed: 'failed', attrs: { component: 'critic-agent' } };
  const answer = await why(3, [
    { n: 1, at: 0, ...attempt },
    { n: 2, at: 20, links: [1], ...attempt },
    { n: 3, at: 40, links: [2], ...attempt },
    { n: 4, at: 10, ...attempt, attrs: { component: 'coder-agent' } },
  ]);
  assert.match(answer.reason(1, 'repeatedAttempt')?.statement ?? '', /attempt 1 of 3, of which 3 failed$/);
  assert.deepEqual(answer.outcome.failedNodes, [idOf(3)]);
});

test('[AN6] a call of the same tool, or model, that was given something else is no earlier attempt', async () => {
  const prompt = (content: string) => ({
    'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content }] }]),
  });
  const attempts = async (
    given: readonly { readonly [key: string]: AttributeValue }[],
  ): Promise<string | undefined> => {
    const steps = given.map((attrs, i): Told => {
      const before = i === 0 ? {} : { links: [i] };
      return { n: i + 1, at: i * 20, name: 'a call', failed: 'failed', ...before, attrs };
    });
    return (await why(given.length, steps)).reason(1, 'repeatedAttempt')?.statement;
  };
  const search = (id: string, words: string) => tool(id, 'search', '', JSON.stringify({ words }));
  assert.equal(await attempts([search('1', 'Paris'), search('2', 'Oslo')]), undefined);
  assert.match(
    (await attempts([search('1', 'Oslo'), search('2', 'Paris'), search('3', 'Oslo')])) ?? '',
    /attempt 1 of 2, of which 2 failed$/,
  );
  const ask = (words: string) => ({ ...call('coder', 'I am sorry'), ...prompt(words) });
  assert.equal(await attempts([ask('Where is Paris?'), ask('Where is Oslo?')]), undefined);
  assert.match((await attempts([ask('Where is Oslo?'), ask('Where is Oslo?')])) ?? '', /attempt 1 of 2/);
});

test('[AN7] what contains steps takes as long as they do and is no outlier among them', async () => {
  const { engine } = makeEngine();
  const START = 1_750_000_000_000;
  const spans = Array.from({ length: 7 }, (_, i) =>
    makeSpan({
      spanId: String(i + 1).repeat(16),
      parentSpanId: i === 0 ? undefined : '1'.repeat(16),
      start: epochMs(START + i),
      end: epochMs(START + i + (i === 0 ? 5000 : 10)),
    }),
  );
  await engine.correlator.consume(batchOf(spans.map((span) => safe(span) as SafeRecord)));
  assert.deepEqual((await engine.reader.spikes(undefined)).spikes, []);
});

test('[AN7] a call that thinks is a step like others: its thoughts are part of it', async () => {
  const { engine } = makeEngine();
  const thinking = (n: number) => ({
    'gen_ai.operation.name': 'chat',
    'gen_ai.output.messages': JSON.stringify([
      { role: 'assistant', parts: [{ type: 'reasoning', content: `First I look at parser ${n}.` }] },
    ]),
  });
  const calls = [1, 2, 3, 4, 5, 6].map((n) =>
    spanOf({ n, at: n * 10, ms: n === 6 ? 5_000 : n, attrs: thinking(n) }),
  );
  await engine.correlator.consume(batchOf(calls));
  const { spikes } = await engine.reader.spikes(undefined);
  assert.deepEqual(
    spikes.map(({ nodeId, measure }) => [nodeId, measure]),
    [[idOf(6), 'latencyMs']],
  );
  assert.deepEqual(spikes[0]?.ui, {
    label: '5.0 s: 1400 times the usual',
    color: 'magenta',
    tooltip: 'latencyMs 5.0 s, median 4 ms',
  });
});

test('[AN8] a step that went well has a way back and no candidates', async () => {
  const answer = await why(2, [
    { n: 1, at: 0, failed: 'oops' },
    { n: 2, at: 20, links: [1] },
  ]);
  assert.deepEqual([answer.named, answer.outcome.failedNodes, answer.unexplained], [[], [], undefined]);
  assert.equal(answer.graph.edges.length, 1);
});

test('[AN8] of a task the failed step nearest the root is asked about, the latest of several, an error before a warning', async () => {
  const inside = { parent: 1, failed: 'no' };
  const answer = await why('task', [
    { n: 1, at: 0, ms: 100 },
    { n: 2, at: 10, ...inside },
    { n: 3, at: 20, ...inside },
    { n: 4, at: 30, parent: 3, failed: 'deeper' },
    { n: 5, at: 40, parent: 1, attrs: { 'issues.count': 2, component: 'critic-agent' } },
  ]);
  assert.equal(answer.nodeId, idOf(3));
});

test('[AN9] the way back is bounded: the closest part stays, and it says that it was cut', async () => {
  const chain = Array.from({ length: 700 }, (_, i) => ({ n: i + 1, at: i, links: i === 0 ? [] : [i] }));
  const answer = await why(700, chain);
  assert.equal(answer.truncated, true);
  assert.equal(answer.graph.nodes.length, 500);
  assert.equal(answer.graph.nodes[0]?.id.slice(-4), (700).toString(16).padStart(4, '0'));
});

test('[AN18] a failed container in which nothing failed counts what is inside', async () => {
  const answer = await why(1, [
    { n: 1, at: 0, ms: 100, failed: 'not accepted' },
    { n: 2, parent: 1, at: 10, ms: 50, name: 'invoke_agent' },
    { n: 3, parent: 2, at: 20, attrs: call('Clerk', 'I say something of some length.') },
  ]);
  assert.deepEqual(
    answer.candidates.map(({ nodeId }) => nodeId),
    [idOf(3)],
  );
  assert.deepEqual(numbers(answer.candidates[0]?.reasons[0]?.evidence.path), [3, 2, 1]);
  assert.equal(answer.graph.nodes.length, 3);
});

test('[AN18] what depends on the run of an agent goes back to the last call in it, and not to its shell', async () => {
  const answer = await why(9, [
    { n: 1, at: 0, ms: 200 },
    { n: 2, parent: 1, at: 10, ms: 50, name: 'invoke_agent' },
    { n: 3, parent: 2, at: 12, attrs: call('Clerk', 'The first thing that I say here.') },
    { n: 4, parent: 2, at: 30, attrs: call('Clerk', 'The last thing that I say here.') },
    { n: 5, parent: 1, at: 62, attrs: call('Other', 'Nobody depends on what I say.') },
    { n: 9, parent: 1, at: 80, links: [2], failed: 'wrong', attrs: { 'test.name': 'a', 'tests.failed': 1 } },
  ]);
  const reason = answer.reason(4, 'nearestCall');
  assert.deepEqual(numbers(reason?.evidence.path), [4, 2, 9]);
  assert.equal(answer.reason(3, 'nearestCall'), undefined);
});

test('[AN1] any order of arrival gives the same answer; every path in it is made of edges', () =>
  fc.assert(
    fc.asyncProperty(worldArbitrary, fc.integer(), async (records, seed) => {
      const one = makeEngine().engine;
      const other = makeEngine().engine;
      await one.correlator.consume(batchOf(records));
      for (const record of shuffled(records, seed)) await other.correlator.consume(batchOf([record]));
      for (const node of one.graph.everything().nodes) {
        const answer = explainAtOnce(one.graph, node);
        const again = other.graph.node(node.id);
        assert.ok(again);
        assert.deepEqual(explainAtOnce(other.graph, again), answer);
        assertSound(answer);
      }
    }),
    propertyRuns(),
  ));

/** Asked in turns as long as so many looks at the clock. @param onLook told before each look */
async function whyInTurns(
  graph: GraphReader,
  asked: ExplanationNode,
  textsOf: TextsOf,
  looks: readonly number[],
  betweenTurns: () => void,
  onLook = (): void => {},
): Promise<WhyAnswer> {
  const pace = hurriedPace(looks, betweenTurns);
  const isOver = (): boolean => {
    onLook();
    return pace.isOver;
  };
  const before = await wholeInTurns(stepsBefore(graph, asked, isOver), pace);
  return wholeInTurns(explainWhy(graph, before, textsOf, '', isOver), pace);
}

const words = (n: number, count: number): string =>
  Array.from({ length: count }, (_, i) => `Word${(n * 31 + i) % 977} ${n * i}`).join(' ');

const acts = (count: number, textWords: number): Planned[] =>
  Array.from({ length: count }, (_, i) => ({
    n: 10 + i,
    type: i % 2 === 0 ? 'LLM_CALL' : 'TOOL_CALL',
    texts: { completion: words(i, textWords), toolResult: words(i, textWords) },
  }));

const nested = (depth: number): Planned => {
  let inner: Planned = { n: depth, status: 'ERROR' };
  for (let n = depth - 1; n > 0; n--) inner = { n, status: 'ERROR', inside: [inner] };
  return inner;
};

/** Of the graph, between two looks at the clock: a few for each of the steps that are looked at in one moment. */
const MAX_READS = 500;

for (const [what, steps, asked, least] of [
  ['many steps', [{ n: 1, status: 'ERROR', latencyMs: 60_000, inside: acts(6_000, 1) }], 1, 350],
  [
    'few steps with long texts',
    [{ n: 1, status: 'ERROR', latencyMs: 60_000, inside: acts(9, 3_000) }],
    1,
    150,
  ],
  ['a deep task', [nested(4_000)], 4_000, 320],
] as const) {
  test(`[EL1] why of ${what} is asked in turns of the event loop, with the same answer`, async () => {
    const planned = new PlannedTasks().add('T', steps);
    const { graph } = planned;
    const node = graph.node(plannedId('T', asked));
    assert.ok(node);
    let turns = 0;
    let reads = 0;
    let most = 0;
    const counted = new Proxy(graph, {
      get: (from, name) => {
        reads++;
        const value: unknown = Reflect.get(from, name, from);
        return typeof value === 'function' ? (value.bind(from) as unknown) : value;
      },
    });
    const onLook = (): void => {
      most = Math.max(most, reads);
      reads = 0;
    };
    const answer = await whyInTurns(counted, node, planned.textsOf, [5, 20], () => turns++, onLook);
    assert.ok(turns > least, `${turns} turns`);
    assert.ok(most <= MAX_READS, `${most} reads of the graph between two looks at the clock`);
    assert.deepEqual(answer, await whyInTurns(graph, node, planned.textsOf, [1e9], () => {}));
    assertSound(answer);
  });
}

test('[AN1] whatever changes or leaves while why rests, a step is named once and paths are made of edges', async () => {
  const planned = new PlannedTasks().add('T', [
    { n: 1, status: 'ERROR', latencyMs: 60_000, inside: [...acts(300, 3), { n: 2, status: 'ERROR' }] },
  ]);
  const { graph } = planned;
  const node = graph.node(plannedId('T', 1));
  assert.ok(node);
  let turns = 0;
  const answer = await whyInTurns(graph, node, planned.textsOf, [3], () => {
    // Each step becomes another object, and the last of them leaves.
    for (let n = 10; n < 310; n++) {
      const held = graph.node(plannedId('T', n));
      if (held) graph.putNode({ ...held, title: `${held.title}.` });
    }
    const leaving = plannedId('T', 310 - turns++);
    if (graph.node(leaving)) graph.dropNode(leaving);
  });
  assert.ok(turns > 20);
  const named = answer.candidates.map(({ nodeId }) => nodeId);
  assert.equal(new Set(named).size, named.length);
  assert.ok(named.length > 1);
  const shown = answer.graph.nodes.map(({ id }) => id);
  assert.equal(new Set(shown).size, shown.length);
  assertSound(answer);
});

function assertSound(answer: WhyAnswer): void {
  const edges = new Map(answer.graph.edges.map((edge) => [edge.id, edge]));
  const nodes = new Set(answer.graph.nodes.map(({ id }) => id));
  assert.ok(answer.candidates.length <= 5);
  for (const { nodeId, reasons } of answer.candidates) {
    assert.ok(nodes.has(nodeId));
    assert.ok(!answer.outcome.failedNodes.includes(nodeId));
    assert.ok(reasons.length > 0);
    for (const { evidence } of reasons) {
      for (const id of evidence.path) assert.ok(nodes.has(id));
      if (evidence.path.length === 0) continue;
      assert.equal(evidence.path[0], nodeId);
      assert.equal(evidence.path.at(-1), answer.nodeId);
      evidence.edgeIds.forEach((id, i) => {
        const edge = edges.get(id);
        const ends = [edge?.from, edge?.to].sort();
        assert.deepEqual(ends, [evidence.path[i], evidence.path[i + 1]].sort());
      });
    }
  }
}

function shuffled<T>(items: readonly T[], seed: number): T[] {
  const keyed = items.map((item, i) => ({ item, key: Math.imul(i + 1, seed | 1) ^ (seed >>> (i % 16)) }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
