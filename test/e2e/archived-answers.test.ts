import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { connect } from '../../src/client/node.ts';
import type { Client } from '../../src/client/client.ts';
import type { TaskSummary } from '../../src/model/summary.ts';
import type { CompareAnswer } from '../../src/model/compare.ts';
import type { PatternsAnswer } from '../../src/model/patterns.ts';
import type { SpikesAnswer, WhyAnswer } from '../../src/model/why.ts';
import { postOtlp } from './otlp-senders.ts';
import { RealService, temporaryFolder } from './real-service.ts';

const TRACE = 'ab'.repeat(16);
const START_NS = 1_750_000_000_000_000_000n;

interface Step {
  readonly n: number;
  readonly parent?: number;
  readonly name: string;
  readonly ms?: number;
  readonly failed?: boolean;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** A run of calls, one of which took very long, and then a tool that fails. */
const STEPS: readonly Step[] = [
  { n: 1, name: 'run', ms: 900 },
  ...[2, 3, 4, 5, 6, 7].map((n) => ({
    n,
    parent: 1,
    name: 'chat',
    ms: n === 4 ? 500 : 5,
    attributes: { 'model.name': 'm', prompt: `question ${n}` },
  })),
  { n: 8, parent: 7, name: 'write_file', failed: true, attributes: { 'tool.name': 'write_file' } },
];

/** Another one, which went well. */
const OTHER: readonly Step[] = [
  { n: 21, name: 'run', ms: 900, attributes: { taskID: 'T2' } },
  { n: 22, parent: 21, name: 'chat', attributes: { taskID: 'T2', 'model.name': 'm', prompt: 'question 2' } },
];

function idOf(n: number): string {
  return `${TRACE}:${n.toString(16).padStart(16, '0')}`;
}

async function started(t: TestContext): Promise<RealService> {
  const dataDir = await temporaryFolder(t);
  const service = await RealService.start({ dataDir });
  t.after(() => service.stop());
  return service;
}

async function send(service: RealService, steps: readonly Step[]): Promise<void> {
  const spans = steps.map(({ n, parent, name, ms = 5, failed = false, attributes = {} }) => {
    const start = START_NS + BigInt(n) * 10_000_000n;
    return {
      traceId: TRACE,
      spanId: n.toString(16).padStart(16, '0'),
      ...(parent !== undefined && { parentSpanId: parent.toString(16).padStart(16, '0') }),
      name,
      startTimeUnixNano: String(start),
      endTimeUnixNano: String(start + BigInt(ms) * 1_000_000n),
      ...(failed && { status: { code: 2, message: 'disk full' } }),
      attributes: Object.entries({ taskID: 'T1', ...attributes }).map(([key, stringValue]) => ({
        key,
        value: { stringValue },
      })),
    };
  });
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  assert.equal((await postOtlp(service, '/v1/traces', body)).status, 200);
}

interface Answers {
  readonly why: WhyAnswer;
  readonly spikes: SpikesAnswer;
  readonly compare: CompareAnswer;
  readonly patterns: PatternsAnswer;
  readonly summary: TaskSummary;
}

async function answersOf(reader: Client): Promise<Answers> {
  const why = await reader.why(idOf(8));
  const graph = { ...why.graph, nodes: why.graph.nodes.toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
  return {
    why: { ...why, graph: { ...graph, lastUpdated: '' } },
    spikes: await reader.spikes('T1'),
    compare: await reader.compare('T1', 'T2'),
    patterns: await reader.patterns(),
    summary: await reader.summary('T1'),
  };
}

test('[SU26] why, spikes, compare, patterns and summary answer for what left memory as they did before, by every way in', async (t) => {
  const service = await started(t);
  const readers = [service.readers, service.readers.replace('http:', 'grpc:')].map((url) => connect({ url }));
  t.after(() => Promise.all(readers.map((reader) => reader.close())));
  await send(service, [...STEPS, ...OTHER]);
  const before = await Promise.all(readers.map(answersOf));
  assert.ok(before[0]?.why.candidates.length);
  assert.match(before[0]?.summary.sentences.map(({ text }) => text).join(' ') ?? '', /failed: disk full/);
  assert.deepEqual(
    before[0]?.spikes.spikes.map(({ nodeId }) => nodeId),
    [idOf(4)],
  );
  const { compare, patterns } = before[0] ?? {};
  assert.deepEqual(compare?.counts, { same: 2, differing: 0, onlyA: 6, onlyB: 0, textsCompared: 2 });
  assert.deepEqual(compare?.steps[1]?.differs, []);
  assert.deepEqual(patterns?.tasks, { failed: 1, passed: 1 });
  assert.equal((await readers[0]?.prune(0))?.prunedNodes ?? 0, STEPS.length + OTHER.length);
  assert.deepEqual(await Promise.all(readers.map(answersOf)), before);
  for (const reader of readers) {
    await assert.rejects(reader.why('nobody'), { code: 'NOT_FOUND', message: /^nodeId/ });
    await assert.rejects(reader.summary('nobody'), { code: 'NOT_FOUND', message: /^taskId/ });
    await assert.rejects(reader.spikes('nobody'), { code: 'NOT_FOUND', message: /^taskId/ });
  }
});
