import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../src/base/clock.ts';
import type { AttributeValue } from '../src/model/attributes.ts';
import type { CotText } from '../src/model/facts.ts';
import type { SafeRecord } from '../src/model/pipeline.ts';
import type { SpanRecord } from '../src/model/records.ts';
import { edgeId } from '../src/model/ids.ts';
import type { ExplanationEdge, ExplanationNode } from '../src/model/node.ts';
import { epochMs } from '../src/model/time.ts';
import { CausalGraph } from '../src/graph/causal-graph.ts';
import { TaskFolds } from '../src/pruning/task-folds.ts';
import { FOLD_LIMITS, makeEngine } from './support/make-engine.ts';
import { cot } from './support/records.ts';
import { batchOf, makeSpan, safe } from './support/world.ts';
import { cpuTimer } from './support/cpu-time.ts';

/**
 * What a record of a shape may cost, in costs of a plain span in the same process, since a busy machine makes both dearer.
 * Shapes cost one to six; while their cost grew with the square of their size they cost over fifty.
 */
const MAX_PLAIN_SPANS = 12;
/** What an edge adds where a record has dozens: a reader of 31 runs costs eight to ten. */
const MAX_PLAIN_SPANS_AN_EDGE = 0.5;
/** What grows with the square of its size is too dear each time. */
const ATTEMPTS = 3;
const READERS = 'readers of a tool call that as many ran as may';
const EDGES_A_RECORD: { readonly [shape: string]: number } = { [READERS]: 31 };
const START = 1_750_000_000_000;
const TRACE = 'a'.repeat(32);

function spanId(i: number): string {
  return (i + 1).toString(16).padStart(16, '0');
}

type Fields = Partial<SpanRecord> & { attrs?: { [key: string]: AttributeValue } };

function spans(count: number, fieldsOf: (i: number) => Fields): SafeRecord[] {
  return Array.from({ length: count }, (_, i) =>
    safe(makeSpan({ traceId: TRACE, spanId: spanId(i), ...fieldsOf(i) })),
  );
}

function thoughts(count: number, fieldsOf: (i: number) => Partial<CotText>): SafeRecord[] {
  const [first, last] = [epochMs(START + 1), epochMs(START + 2)];
  return Array.from({ length: count }, (_, i) =>
    cot(`r${i}`, { text: `thought ${i}`, first, last, ...fieldsOf(i) }),
  );
}

const CALL = { 'gen_ai.operation.name': 'chat' };
const TOOL = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'x' };
const RUN = { attrs: { ...TOOL, 'gen_ai.tool.call.id': 'c' } };
const ASKED = JSON.stringify([
  { role: 'assistant', parts: [{ type: 'tool_call', id: 'c', name: 'x', arguments: {} }] },
]);
const ANSWER = JSON.stringify([
  { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c', response: 'ok' }] },
]);
const READ = { attrs: { ...CALL, 'gen_ai.input.messages': ANSWER } };

function below(i: number): Fields {
  return i === 0 ? {} : { parentSpanId: spanId(i - 1) };
}

function scopeOf(i: number): SpanRecord['scope'] {
  return { name: `scope ${i}`, version: '', attributes: new Map() };
}

/** One request each. */
const SHAPES: { readonly [name: string]: () => SafeRecord[] } = {
  'LLM calls that name one requestId': () => spans(10_000, () => ({ attrs: { ...CALL, requestId: 'r' } })),
  'calls below the calls of one requestId': () =>
    spans(4_000, (i) =>
      i % 2 === 0 ? { attrs: { ...CALL, requestId: 'r' } } : { parentSpanId: spanId(i - 1), attrs: CALL },
    ),
  // With half as many a cost that grows with the square may stay below the bound.
  'runs of one tool call': () => spans(8_000, () => RUN),
  'steps that ask for, run and read one tool call': () =>
    spans(8_000, (i) => [{ attrs: { ...CALL, 'gen_ai.output.messages': ASKED } }, RUN, READ][i % 3] ?? {}),
  [READERS]: () => spans(3000, (i) => (i < 32 ? RUN : READ)),
  'calls below calls by another instrumentation': () =>
    spans(3500, (i) => ({ ...below(i), attrs: CALL, scope: scopeOf(i % 2) })),
  'runs of a tool below runs of it': () => spans(3500, (i) => ({ ...below(i), attrs: TOOL })),
  'spans with session ids, the best last': () =>
    spans(4_000, (i) => ({
      start: epochMs(START - i),
      end: epochMs(START),
      attrs: { 'session.id': `s${i}` },
    })),
  'thoughts that point at one span': () => [
    ...spans(1, () => ({})),
    ...thoughts(3000, () => ({ traceId: TRACE, spanId: spanId(0) })),
  ],
  'thoughts within the time of many calls': () => [
    ...spans(2000, () => ({ attrs: { ...CALL, 'gen_ai.agent.name': 'ModelAdapter' } })),
    ...thoughts(2000, () => ({})),
  ],
};

for (const [shape, recordsOf] of Object.entries(SHAPES)) {
  test(`[CO36] ${shape} cost about as much as other records`, () =>
    takeInTime(recordsOf(), [], EDGES_A_RECORD[shape]));
}

/** Spans with links from others: `links` says from which to which. */
function linked(
  count: number,
  parentOf: (i: number) => number | undefined,
  links: readonly (readonly [from: number, to: number])[],
): SafeRecord[] {
  const into = new Map<number, SpanRecord['links'][number][]>();
  for (const [from, to] of links) {
    const link = { traceId: TRACE, spanId: spanId(from), attributes: new Map() };
    into.set(to, [...(into.get(to) ?? []), link]);
  }
  return spans(count, (i) => {
    const parent = parentOf(i);
    return { ...(parent !== undefined && { parentSpanId: spanId(parent) }), links: into.get(i) ?? [] };
  });
}

/** Each end somewhere else, and the same in every run. */
function scattered(
  count: number,
  fromOf: (n: number) => number,
  toOf: (n: number) => number,
): [number, number][] {
  return Array.from({ length: count }, (_, n) => [fromOf(n * 7919), toOf(n * 6007)]);
}

const PATH = 3000;
const ring = (i: number): number => (i + 1) % PATH;
const path = (i: number): number | undefined => (i === 0 ? undefined : i - 1);
const twoPaths = (i: number): number | undefined => (i === 0 || i === PATH ? undefined : i - 1);
const inFirst = (n: number): number => n % PATH;
const inSecond = (n: number): number => PATH + (n % PATH);

/** One request each, links across trees that are as deep as there are spans. */
const LINKED: { readonly [name: string]: () => SafeRecord[] } = {
  'links within a ring of parents': () => linked(PATH, ring, scattered(4000, inFirst, inFirst)),
  'links between two paths, both ways': () =>
    linked(2 * PATH, twoPaths, [
      ...scattered(2000, inFirst, inSecond),
      ...scattered(2000, inSecond, inFirst),
    ]),
  'links from one path to another': () => linked(2 * PATH, twoPaths, scattered(4000, inFirst, inSecond)),
  'links within a path': () => linked(2 * PATH, path, scattered(4000, inFirst, inSecond)),
  'links from a path to its end': () =>
    linked(
      2 * PATH,
      path,
      scattered(4000, inFirst, () => 2 * PATH - 1),
    ),
};

/** Nodes of other tasks, which is what a service has in memory. */
const OTHERS = Array.from({ length: 10_000 }, (_, i) => {
  const [traceId, id] = [(i >> 6).toString(16).padStart(32, 'c'), (i + 1).toString(16).padStart(16, 'c')];
  return safe(makeSpan({ traceId, spanId: id }));
});

for (const [shape, recordsOf] of Object.entries(LINKED)) {
  test(`[GR8] ${shape} cost about as much as other links, with a reader and others in memory`, () =>
    takeInTime(recordsOf(), OTHERS));
}

test('[GR8] a chain that grows link by link is not folded anew from its beginning for each', async () => {
  const links = 8_000;
  const mostUs = links * MAX_PLAIN_SPANS * (await plainSpan());
  const graph = new CausalGraph();
  const folds = new TaskFolds(graph, FOLD_LIMITS, systemClock, () => graph.takeChanges().log);
  const seconds = cpuTimer();
  for (let i = 0; i < links; i++) {
    graph.putNode(quietStep(spanId(i)));
    if (i > 0) graph.putInEdges(spanId(i), [parentEdge(spanId(i - 1), spanId(i))]);
    folds.settle();
    if (i % 1000 === 0) assertWithin(seconds() * 1e6, mostUs, `${i} links`);
  }
  assert.equal(folds.foldOf('t').groups.size, 1);
  assertWithin(seconds() * 1e6, mostUs, 'all links');
});

test('[GR8] a chain that grows by some links at a time is not looked at anew from its beginning', () => {
  const [links, most] = [2_000, 20];
  const graph = new CausalGraph();
  const folds = new TaskFolds(graph, FOLD_LIMITS, systemClock, () => graph.takeChanges().log);
  let looks = 0;
  for (let i = 0; i < links; i++) {
    graph.putNode(quietStep(spanId(i)));
    if (i > 0) graph.putInEdges(spanId(i), [parentEdge(spanId(i - 1), spanId(i))]);
    if (i % 10 === 9) folds.settle(() => ++looks > most * links);
    assert.ok(looks <= most * (i + 1), `${looks} looks at steps for ${i + 1} links`);
  }
  assert.equal(folds.foldOf('t').groups.size, 1);
});

function quietStep(id: string): ExplanationNode {
  const timestamp = '2026-01-01T00:00:00.000Z';
  const step = {
    id,
    timestamp,
    agent: 'A',
    type: 'OTHER',
    name: 'step',
    title: 'step',
    taskId: 't',
  } as const;
  return { ...step, state: 'ENDED', status: 'OK', latencyMs: 1 };
}

function parentEdge(from: string, to: string): ExplanationEdge {
  return { id: edgeId(from, 'TRIGGERED', to), from, to, relation: 'TRIGGERED', evidence: 'parentSpanId' };
}

let plainSpanUs: number | undefined;

/** @returns microseconds of processor time that a plain span costs */
async function plainSpan(): Promise<number> {
  const cost = async (): Promise<number> =>
    (await costOf(
      spans(4_000, () => ({})),
      [],
      Infinity,
    )) / 4_000;
  if (plainSpanUs === undefined) {
    // The first time costs more: nothing is compiled yet.
    await cost();
    plainSpanUs = await cost();
  }
  return plainSpanUs;
}

function assertWithin(us: number, mostUs: number, what: string): void {
  assert.ok(us < mostUs, `${what} take over ${mostUs / 1e6} s of processor time`);
}

async function takeInTime(
  records: readonly SafeRecord[],
  others: readonly SafeRecord[],
  edgesARecord = 0,
): Promise<void> {
  const most = MAX_PLAIN_SPANS + MAX_PLAIN_SPANS_AN_EDGE * edgesARecord;
  for (let attempt = 1; ; attempt++) {
    try {
      await costOf(records, others, records.length * most * (await plainSpan()));
      return;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      // A machine that has become busier makes records dearer than the plain span of a quieter moment.
      plainSpanUs = undefined;
    }
  }
}

/**
 * @param others are in memory before, and take what they take
 * @param mostUs fails as soon as it takes more
 * @returns microseconds of processor time
 */
async function costOf(
  records: readonly SafeRecord[],
  others: readonly SafeRecord[],
  mostUs: number,
): Promise<number> {
  let seconds: (() => number) | undefined;
  const inTime = (): void => {
    if (seconds) assertWithin(seconds() * 1e6, mostUs, `${records.length} records`);
  };
  // Work looks at the clock often, so that what takes far too long ends soon.
  const monotonic = (): number => {
    inTime();
    return performance.now();
  };
  const { engine } = makeEngine({ clock: { ...systemClock, monotonic } });
  await engine.correlator.consume(batchOf(others));
  const { begun } = engine.reader.subscribe({}, { write: () => {}, writable: true, close: () => {} });
  await begun;
  try {
    seconds = cpuTimer();
    await engine.correlator.consume(batchOf(records));
    engine.flush();
    inTime();
    return seconds() * 1e6;
  } finally {
    // What the engine looks at afterwards is not the records' time, and nobody's to fail by.
    seconds = undefined;
    engine.stop();
  }
}

/** How many nodes and edges there are for the same records in one batch, and from the last on in batches of a size. */
async function sizesOf(records: readonly SafeRecord[], size = 1): Promise<string[]> {
  const sizes: string[] = [];
  const last = records.toReversed();
  const batches = Array.from({ length: Math.ceil(last.length / size) }, (_, i) =>
    last.slice(i * size, (i + 1) * size),
  );
  for (const order of [[records], batches]) {
    const { engine } = makeEngine({ inferEdges: true });
    for (const batch of order) await engine.correlator.consume(batchOf(batch));
    sizes.push(`${engine.graph.nodeCount} nodes, ${engine.graph.edgeCount} edges`);
    engine.stop();
  }
  return sizes;
}

test('[CO20] a tool-call id that more than 32 steps of a trace ran leads nowhere, in any order', async () => {
  const records = (runs: number): SafeRecord[] => spans(runs + 1, (i) => (i === 0 ? READ : RUN));
  assert.deepEqual(await sizesOf(records(32)), Array(2).fill('33 nodes, 32 edges'));
  assert.deepEqual(await sizesOf(records(33)), Array(2).fill('34 nodes, 0 edges'));
});

test('[CO22] an id that more than 64 records share joins none of them, in any order', async () => {
  const records = (count: number): SafeRecord[] =>
    spans(count, () => ({ attrs: { ...CALL, 'gen_ai.response.id': 'm' } }));
  assert.deepEqual(await sizesOf(records(64)), Array(2).fill('1 nodes, 0 edges'));
  assert.deepEqual(await sizesOf(records(65)), Array(2).fill('65 nodes, 0 edges'));
});

test('[CO24] more than 256 records in a row that are each one call with the next are no call, in any order', async () => {
  const records = (count: number): SafeRecord[] => spans(count, (i) => ({ ...below(i), attrs: TOOL }));
  assert.deepEqual(await sizesOf(records(256)), Array(2).fill('1 nodes, 0 edges'));
  assert.deepEqual(await sizesOf(records(257)), Array(2).fill('257 nodes, 256 edges'));
});

test('[CO24] more than 64 runs of a tool below a run of it are runs of their own, in any order', async () => {
  const records = (count: number): SafeRecord[] =>
    spans(count + 1, (i) => ({ ...(i > 0 && { parentSpanId: spanId(0) }), attrs: TOOL }));
  assert.deepEqual(await sizesOf(records(64)), Array(2).fill('1 nodes, 0 edges'));
  assert.deepEqual(await sizesOf(records(65)), Array(2).fill('66 nodes, 65 edges'));
});

test('[CO32] who asked for a call in words that 40 tools ran leads to all of them, in any order', async () => {
  const words = JSON.stringify({ path: 'src/parser/read-every-token.ts' });
  const run = { attrs: { ...TOOL, 'gen_ai.tool.call.arguments': words } };
  const call = { type: 'tool_call', name: 'x', arguments: JSON.parse(words) as unknown };
  const asked = JSON.stringify([{ role: 'assistant', parts: [call] }]);
  const asks = { start: epochMs(START - 50), attrs: { ...CALL, 'gen_ai.output.messages': asked } };
  assert.deepEqual(
    await sizesOf(spans(41, (i) => (i === 0 ? asks : run))),
    Array(2).fill('41 nodes, 40 edges'),
  );
});

test('[CO33] of more than 32 calls with the same last message none follows from a failed one, in any order', async () => {
  const asked = JSON.stringify([
    { role: 'user', parts: [{ type: 'text', content: 'the parser drops the last token' }] },
  ]);
  const records = (count: number): SafeRecord[] =>
    spans(count, (i) => ({
      start: epochMs(START + 20 * i),
      end: epochMs(START + 20 * i + 10),
      status: 'ERROR',
      attrs: { ...CALL, 'gen_ai.input.messages': asked },
    }));
  assert.deepEqual(await sizesOf(records(32)), Array(2).fill('32 nodes, 31 edges'));
  assert.deepEqual(await sizesOf(records(33)), Array(2).fill('33 nodes, 0 edges'));
});

test('[CO34] an agent with more than 64 runs in a trace is handed over to by no call, in any order', async () => {
  const run = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'coder' };
  const hands = { start: epochMs(START - 50), attrs: { ...TOOL, 'gen_ai.tool.name': 'transfer_to_coder' } };
  const records = (runs: number): SafeRecord[] =>
    spans(runs + 1, (i) => (i === runs ? hands : { start: epochMs(START + i), attrs: run }));
  assert.deepEqual(await sizesOf(records(64)), Array(2).fill('65 nodes, 1 edges'));
  assert.deepEqual(await sizesOf(records(65)), Array(2).fill('66 nodes, 0 edges'));
});

test('[CO35] of more than 512 steps below one none follows another by time alone, in any order', async () => {
  const records = (count: number): SafeRecord[] =>
    spans(count, (i) => ({
      parentSpanId: spanId(count),
      start: epochMs(START + 20 * i),
      end: epochMs(START + 20 * i + 10),
    }));
  assert.deepEqual(await sizesOf(records(512), 512), Array(2).fill('512 nodes, 511 edges'));
  assert.deepEqual(await sizesOf(records(513), 512), Array(2).fill('513 nodes, 0 edges'));
});

test('[CO13] the name of an agent goes down 64 steps, also where one of them comes to name it too', async () => {
  const named = { attrs: { 'gen_ai.agent.name': 'coder' } };
  const { engine } = makeEngine();
  await engine.correlator.consume(batchOf(spans(70, (i) => ({ ...below(i), ...(i === 0 && named) }))));
  const agentOf = (i: number): string | undefined => engine.graph.node(`${TRACE}:${spanId(i)}`)?.agent;
  assert.deepEqual([agentOf(64), agentOf(65)], ['coder', 'svc']);
  const [, second] = spans(2, (i) => ({ ...below(i), ...named, end: epochMs(START + 50) }));
  if (second) await engine.correlator.consume(batchOf([second]));
  assert.deepEqual([agentOf(65), agentOf(66)], ['coder', 'svc']);
  engine.stop();
});
