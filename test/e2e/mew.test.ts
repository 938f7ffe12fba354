import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import type { ExplanationGraph, ExplanationNode } from '../../src/model/node.ts';
import { toldGraph, type ToldGraph } from '../support/mew-graph.ts';
import { RealService, temporaryFolder } from './real-service.ts';

type Message = { readonly [field: string]: unknown };

async function started(t: TestContext, flags: readonly string[] = []): Promise<RealService> {
  const service = await RealService.start({ dataDir: await temporaryFolder(t), flags });
  t.after(() => service.stop());
  return service;
}

/** Messages as an agent writes them, a second apart. */
function timed(messages: readonly Message[]): readonly Message[] {
  return messages.map((message, second) => ({
    protocol: 'mew/v0.4',
    ts: new Date(Date.UTC(2026, 8, 1) + second * 1000).toISOString(),
    payload: {},
    ...message,
  }));
}

interface Answer {
  readonly accepted: number;
  readonly rejected: number;
  readonly errors: readonly { readonly index: number; readonly message: string }[];
  readonly unknown?: { readonly lines: number };
}

async function post(service: RealService, body: unknown, query = '?space=S'): Promise<Answer> {
  const response = await fetch(`${service.readers}/mew/envelopes${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const answer = (await response.json()) as Answer;
  assert.equal(response.status, 202, JSON.stringify(answer));
  return answer;
}

async function told(service: RealService, query = ''): Promise<ToldGraph> {
  return toldGraph(await service.graph(`collapse=none${query}`));
}

function nodeOf({ nodes }: ExplanationGraph, messageId: string): ExplanationNode {
  const found = nodes.find(({ details }) => details?.['messageId'] === messageId);
  assert.ok(found, messageId);
  return found;
}

/** One question, two agents who reason about it, one of them with another's help and a tool. */
const RUN = timed([
  { id: 'q', kind: 'chat', from: 'user', payload: { message: 'Should we deploy?' } },
  {
    id: 'r1',
    kind: 'reasoning/start',
    from: 'ann',
    correlation_id: ['q'],
    payload: { message: 'Security first' },
  },
  {
    id: 'p1',
    kind: 'reasoning/start',
    from: 'ben',
    correlation_id: ['q'],
    payload: { message: 'Latency first' },
  },
  {
    id: 't1',
    kind: 'reasoning/thought',
    from: 'ann',
    context: 'r1',
    payload: { message: 'Which tests failed?' },
  },
  {
    id: 'c1',
    kind: 'mcp/request',
    from: 'ann',
    to: ['ci'],
    context: 'r1',
    payload: { method: 'tools/call', params: { name: 'test_report', arguments: { suite: 'auth' } } },
  },
  {
    id: 'p2',
    kind: 'reasoning/thought',
    from: 'ben',
    context: 'p1',
    payload: { message: 'No slower than before' },
  },
  {
    id: 'c1a',
    kind: 'mcp/response',
    from: 'ci',
    context: 'r1',
    correlation_id: ['c1'],
    payload: { result: { content: [{ type: 'text', text: '2 of 90 failed' }], isError: true } },
  },
  { id: 'n1', kind: 'reasoning/start', from: 'ann', context: 'r1', payload: { message: 'A closer look' } },
  {
    id: 'n2',
    kind: 'reasoning/thought',
    from: 'ben',
    context: 'r1/n1',
    correlation_id: ['t1'],
    payload: { message: 'Have you looked at the cache?', references: ['p2'] },
  },
  {
    id: 'n3',
    kind: 'reasoning/conclusion',
    from: 'ann',
    context: 'r1/n1',
    payload: { message: 'It is the cache' },
  },
  { id: 'p3', kind: 'reasoning/conclusion', from: 'ben', context: 'p1', payload: { message: 'Fine for me' } },
  {
    id: 'r9',
    kind: 'reasoning/conclusion',
    from: 'ann',
    context: 'r1',
    payload: { message: 'Do not deploy' },
  },
  { id: 'a', kind: 'chat', from: 'ann', correlation_id: ['q'], payload: { message: 'Not yet.' } },
]);

const GOLDEN: ToldGraph = {
  nodes: {
    q: 'USER_QUERY user ENDED OK',
    r1: 'REASONING ann ENDED OK r1',
    p1: 'REASONING ben ENDED OK p1',
    t1: 'REASONING ann ENDED OK r1',
    c1: 'TOOL_CALL ann ENDED ERROR r1',
    p2: 'REASONING ben ENDED OK p1',
    n1: 'REASONING ann ENDED OK r1/n1',
    n2: 'REASONING ben ENDED OK r1/n1',
    n3: 'REASONING ann ENDED OK r1/n1',
    p3: 'REASONING ben ENDED OK p1',
    r9: 'REASONING ann ENDED OK r1',
    a: 'OTHER ann ENDED OK',
  },
  edges: [
    'n1 -> n2 NEXT_STEP parentSpanId',
    'n1 -> n3 NEXT_STEP parentSpanId',
    'p1 -> p2 NEXT_STEP parentSpanId',
    'p1 -> p3 NEXT_STEP parentSpanId',
    'p2 -> n2 NEXT_STEP dependsOn',
    'q -> a NEXT_STEP dependsOn',
    'q -> p1 NEXT_STEP dependsOn',
    'q -> r1 NEXT_STEP dependsOn',
    'r1 -> c1 NEXT_STEP parentSpanId',
    'r1 -> n1 NEXT_STEP parentSpanId',
    'r1 -> r9 NEXT_STEP parentSpanId',
    'r1 -> t1 NEXT_STEP parentSpanId',
    't1 -> n2 NEXT_STEP dependsOn',
  ],
};

test('[MW1] [MW3] [MW4] conformance 9, 10: contexts nest, agents keep their thoughts, and answers lead from what they answer', async (t) => {
  const service = await started(t);
  const answer = await post(service, RUN);
  assert.deepEqual(answer, { accepted: RUN.length, rejected: 0, errors: [] });
  const graph = await service.graph();
  assert.deepEqual(toldGraph(graph), GOLDEN);
  assert.ok(graph.nodes.every(({ taskId }) => taskId === 'S/q'));
  const tool = nodeOf(graph, 'c1');
  assert.deepEqual(
    [tool.name, tool.latencyMs, tool.details?.['errorMessage']],
    ['test_report', 2000, '2 of 90 failed'],
  );
  assert.equal(nodeOf(graph, 'r1').latencyMs, 10_000);
});

test('[MW2] the same messages in any order, in pieces and twice are the same graph, one by one and over a restart', async (t) => {
  const dataDir = await temporaryFolder(t);
  let service = await RealService.start({ dataDir });
  t.after(() => service.stop());
  let cases = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray([...RUN, ...RUN], { minLength: RUN.length * 2 }),
      fc.integer({ min: 1, max: RUN.length * 2 }),
      async (messages, cut) => {
        const taskId = `task ${++cases}`;
        const query = `?space=S&taskId=${encodeURIComponent(taskId)}`;
        await post(service, messages.slice(0, cut), query);
        if (cases === 2) {
          await service.stop();
          service = await RealService.start({ dataDir });
        }
        const lines = messages.slice(cut).map((message) => JSON.stringify(message));
        if (lines.length > 0) await post(service, lines.join('\n'), query);
        assert.deepEqual(await told(service, `&taskIds=${encodeURIComponent(taskId)}`), GOLDEN);
      },
    ),
    { numRuns: 8 },
  );
  await post(service, RUN[0], '?space=alone');
  assert.deepEqual((await told(service, '&taskIds=alone/q')).nodes, { q: GOLDEN.nodes['q'] });
});
