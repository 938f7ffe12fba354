import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ExplanationGraph, ExplanationNode } from '../../src/model/node.ts';
import { toldGraph, type ToldGraph } from '../support/mew-graph.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { RealService, temporaryFolder } from './real-service.ts';

type Message = { readonly [field: string]: unknown };

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
  const service = await RealService.of(t);
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
    { ...propertyRuns(), numRuns: 8 },
  );
  await post(service, RUN[0], '?space=alone');
  assert.deepEqual((await told(service, '&taskIds=alone/q')).nodes, { q: GOLDEN.nodes['q'] });
});

test('[MW6] conformance 11: a cancel by another is a USER_ACTION, its context a WARNING that ends once, and the conclusion follows from it', async (t) => {
  const service = await RealService.of(t);
  await post(
    service,
    timed([
      { id: 'r', kind: 'reasoning/start', from: 'ann', payload: { input: 'Count to a million' } },
      { id: 'w', kind: 'reasoning/thought', from: 'ann', context: 'r', payload: { message: 'One' } },
      {
        id: 'x',
        kind: 'reasoning/cancel',
        from: 'boss',
        to: ['ann'],
        context: 'r',
        payload: { reason: 'timeout' },
      },
      {
        id: 'e',
        kind: 'reasoning/conclusion',
        from: 'ann',
        context: 'r',
        payload: { cancelled: true, reason: 'timeout' },
      },
      { id: 's', kind: 'reasoning/start', from: 'ben', payload: {} },
      { id: 'y', kind: 'reasoning/cancel', from: 'boss', context: 's', payload: {} },
    ]),
  );
  const graph = await service.graph();
  const { nodes, edges } = toldGraph(graph);
  assert.deepEqual(nodes, {
    r: 'REASONING ann ENDED WARNING r',
    w: 'REASONING ann ENDED OK r',
    x: 'REFLEXION_ACTION boss ENDED OK r',
    e: 'REASONING ann ENDED WARNING r',
    // Nobody answered: it may still run.
    s: 'REASONING ben RUNNING WARNING s',
    y: 'REFLEXION_ACTION boss ENDED OK s',
  });
  assert.deepEqual(
    edges.filter((edge) => !edge.includes('parentSpanId')),
    ['r -> x USER_ACTION link', 's -> y USER_ACTION link', 'x -> e TRIGGERED link'],
  );
  const { latencyMs, details, promptSummary } = nodeOf(graph, 'r');
  assert.deepEqual(
    [latencyMs, details?.['outcome'], details?.['reason'], promptSummary],
    [3000, 'cancelled', 'timeout', 'Count to a million'],
  );
});

test('[MW6] conformance 12: an interrupt of ADR r5x and its acknowledgement are of the task of what they stop', async (t) => {
  const service = await RealService.of(t);
  await post(
    service,
    timed([
      {
        id: 'r',
        kind: 'reasoning/start',
        from: 'ann',
        correlation_id: ['q'],
        payload: { message: 'Looking' },
      },
      {
        id: 'i',
        kind: 'reasoning/interrupt',
        from: 'boss',
        to: ['ann'],
        correlation_id: ['r'],
        payload: { reason: 'redirect', message: 'Look at security instead' },
      },
      {
        id: 'k',
        kind: 'reasoning/interrupt-ack',
        from: 'ann',
        correlation_id: ['i'],
        payload: { status: 'completing_thought' },
      },
    ]),
  );
  const graph = await service.graph();
  const { nodes, edges } = toldGraph(graph);
  assert.deepEqual(nodes, {
    r: 'REASONING ann RUNNING OK r',
    i: 'REFLEXION_ACTION boss ENDED OK',
    k: 'REFLEXION_ACTION ann ENDED OK',
  });
  assert.ok(edges.includes('r -> i USER_ACTION link'), edges.join());
  assert.ok(edges.includes('i -> k NEXT_STEP dependsOn'), edges.join());
  assert.deepEqual([...new Set(graph.nodes.map(({ taskId }) => taskId))], ['S/q']);
  assert.equal(nodeOf(graph, 'i').promptSummary, 'redirect: Look at security instead');
  assert.equal(nodeOf(graph, 'k').details?.['outcome'], 'completing_thought');
});

test('[MW7] conformance 15: dots and camelCase of ADR t8k are read, and its rich kinds with severity, evidence, factors and confidence', async (t) => {
  const service = await RealService.of(t);
  const context = 'reason-123';
  const answer = await post(service, [
    { id: 'q', kind: 'chat', from: 'user', payload: { message: 'Is it safe?' } },
    {
      context,
      kind: 'reasoning.start',
      from: 'agent',
      payload: { goal: 'Evaluate safety', triggered_by: 'user-request', approach: 'security-first' },
    },
    {
      id: 'k',
      context,
      kind: 'reasoning.question',
      from: 'agent',
      payload: { questions: ['Which parts?', 'Who tested?'] },
    },
    {
      id: 'c',
      context,
      kind: 'mcp.request',
      from: 'agent',
      payload: { method: 'tools/call', params: { name: 'git_diff', arguments: { files: 'auth/*' } } },
    },
    {
      id: 'o',
      context,
      kind: 'reasoning.observation',
      from: 'agent',
      payload: { content: '2 failures', severity: 'critical', details: 'Tokens do not expire' },
    },
    {
      id: 'h',
      context,
      kind: 'reasoning.hypothesis',
      from: 'agent',
      payload: { hypothesis: 'A regression', confidence: 0.85, evidence: ['test_failures', 'changes'] },
    },
    {
      id: 'e',
      context,
      kind: 'reasoning.conclusion',
      from: 'agent',
      payload: {
        decision: 'do_not_deploy',
        confidence: 0.92,
        key_factors: ['Failed tests'],
        recommendation: 'Fix it',
      },
    },
    { id: 'a', kind: 'chat', from: 'agent', correlationId: context, payload: { message: 'No.' } },
  ]);
  assert.deepEqual(answer, { accepted: 8, rejected: 0, errors: [] });
  const graph = await service.graph();
  const nodes = Object.fromEntries(graph.nodes.map((node) => [String(node.details?.['messageId']), node]));
  const begun = graph.nodes.find(({ promptSummary }) => promptSummary?.startsWith('Evaluate safety'));
  assert.deepEqual(
    [begun?.state, begun?.type, begun?.details?.['contextPath']],
    ['ENDED', 'REASONING', context],
  );
  assert.equal(graph.nodes.length, 8);
  const details = (id: string, ...keys: readonly string[]): unknown[] =>
    keys.map((key) => nodes[id]?.details?.[key]);
  assert.deepEqual(details('k', 'reasoningKind'), ['question']);
  assert.deepEqual(details('o', 'reasoningKind', 'severity'), ['observation', 'critical']);
  assert.deepEqual(details('h', 'confidence', 'evidence'), [0.85, ['test_failures', 'changes']]);
  assert.deepEqual(details('e', 'decision', 'confidence', 'keyFactors'), [
    'do_not_deploy',
    0.92,
    ['Failed tests'],
  ]);
  assert.equal(nodes['c']?.state, 'RUNNING');
  const within = (await told(service)).edges.filter((edge) => edge.includes('parentSpanId'));
  assert.equal(within.length, 5, within.join());
  assert.ok(graph.edges.some(({ from, to }) => from === begun?.id && to === nodes['a']?.id));
});

test('[MW3] ADR t8k, options 3 and 6: messages of no reasoning kind are grouped by their context', async (t) => {
  const service = await RealService.of(t);
  await post(
    service,
    timed([
      { id: 'm1', context: 'w', kind: 'chat', from: 'ann', payload: { message: 'Starting' } },
      { id: 'm2', context: 'w/perms', kind: 'mcp/request', from: 'ann', payload: { method: 'tools/list' } },
      { id: 'm3', context: 'w/perms/result', kind: 'chat', from: 'ann', payload: { message: 'Elevated' } },
    ]),
  );
  const { nodes, edges } = await told(service);
  assert.deepEqual(nodes, {
    w: 'OTHER unknown RUNNING OK',
    perms: 'OTHER unknown RUNNING OK',
    result: 'OTHER unknown RUNNING OK',
    m1: 'REASONING ann ENDED OK w',
    m2: 'TOOL_CALL ann RUNNING OK w/perms',
    m3: 'REASONING ann ENDED OK w/perms/result',
  });
  assert.deepEqual(edges, [
    'perms -> m2 NEXT_STEP parentSpanId',
    'perms -> result NEXT_STEP parentSpanId',
    'result -> m3 NEXT_STEP parentSpanId',
    'w -> m1 NEXT_STEP parentSpanId',
    'w -> perms NEXT_STEP parentSpanId',
  ]);
});

test('[MW4] references in a circle cost one edge, a thread goes over spaces, and equal ids of two spaces are two', async (t) => {
  const service = await RealService.of(t);
  const [one, two] = [
    timed([
      { id: 'r', kind: 'reasoning/start', from: 'ann', correlation_id: ['r', 'elsewhere'] },
      { id: 'a', kind: 'reasoning/thought', from: 'ann', context: 'r', correlation_id: ['b'] },
      { id: 'b', kind: 'reasoning/thought', from: 'ben', context: 'r', correlation_id: ['a'] },
    ]),
    timed([
      { id: 'elsewhere', kind: 'chat', from: 'user', payload: { message: 'Ask the others' } },
      { id: 'r', kind: 'reasoning/start', from: 'cid' },
    ]),
  ];
  await post(service, one, '?space=one');
  await post(service, two, '?space=two');
  const { nodes, edges } = await service.graph();
  assert.equal(nodes.length, 5);
  const agents = new Map(nodes.map(({ id, agent }) => [id, agent]));
  const between = edges
    .filter(({ evidence }) => evidence === 'dependsOn')
    .map(({ from, to }) => [agents.get(from), agents.get(to)].sort().join(' '));
  // One of the two that close a circle is left out.
  assert.deepEqual(between.sort(), ['ann ben', 'ann user']);
});

test("[MW8] conformance 14, 16: of a gateway's log what was received counts, its sender goes before the one named, and the token of who joins gets nowhere", async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await RealService.start({ dataDir });
  t.after(() => service.stop());
  const token = 'tok-3f9c2b7d41';
  const time = '2026-09-01T00:00:00.000Z';
  const line = (event: string, envelope: object, participant = 'ann'): object => ({
    timestamp: time,
    event,
    envelope,
    participant,
    space_id: 'yard',
    direction: 'inbound',
    transport: 'websocket',
  });
  const thought = {
    id: 't',
    ts: time,
    kind: 'reasoning/start',
    from: 'supervisor',
    payload: { message: 'Mine' },
  };
  const lines = [
    line('received', { type: 'join', space: 'yard', participantId: 'ann', token }),
    { type: 'join', space: 'yard', token },
    line('received', thought),
    line('delivered', thought, 'ben'),
    line('rejected', { id: 'u', kind: 'reasoning/thought', context: 't', from: 'ann' }),
    line('received', { kind: 5, token }),
  ];
  const answer = await post(service, lines.map((each) => JSON.stringify(each)).join('\n'));
  assert.deepEqual(answer, {
    accepted: 5,
    rejected: 1,
    errors: [{ index: 5, message: 'kind: must be a string' }],
  });
  const graph = await service.graph();
  assert.deepEqual(toldGraph(graph).nodes, { t: 'REASONING ann RUNNING OK t' });
  assert.equal(nodeOf(graph, 't').details?.['claimedFrom'], 'supervisor');
  assert.equal(nodeOf(graph, 't').taskId, 'yard/t');
  assert.ok(!(JSON.stringify(graph) + service.log + JSON.stringify(answer)).includes(token));
});

test('[MW9] conformance 17: reasoning of who leaves is over, that of others goes on, and a conclusion that comes after all counts', async (t) => {
  const service = await RealService.of(t);
  const [first, second, third, leave, end] = timed([
    { id: 'r', kind: 'reasoning/start', from: 'ann' },
    { id: 'n', kind: 'reasoning/start', from: 'ann', context: 'r' },
    { id: 's', kind: 'reasoning/start', from: 'ben' },
    {
      id: 'p',
      kind: 'system/presence',
      from: 'system:gateway',
      payload: { event: 'leave', participant: { id: 'ann' } },
    },
    { id: 'e', kind: 'reasoning/conclusion', from: 'ann', context: 'r', payload: {} },
  ]);
  await post(service, [first, second, third]);
  await post(service, leave);
  const left = await service.graph();
  assert.deepEqual(toldGraph(left).nodes, {
    r: 'REASONING ann ENDED WARNING r',
    n: 'REASONING ann ENDED WARNING r/n',
    s: 'REASONING ben RUNNING OK s',
  });
  assert.equal(nodeOf(left, 'r').details?.['outcome'], 'left');
  await post(service, end);
  const ended = await service.graph();
  assert.equal(toldGraph(ended).nodes['r'], 'REASONING ann ENDED OK r');
  assert.equal(nodeOf(ended, 'r').latencyMs, 4000);
});

test('[MW10] conformance 20: what is thought stands under any of the names that agents give it', async (t) => {
  const service = await RealService.of(t);
  await post(
    service,
    timed([
      { id: 'r', kind: 'reasoning/start', from: 'ann', payload: { input: 'What is 2+2?' } },
      {
        id: 'a',
        kind: 'reasoning/thought',
        from: 'ann',
        context: 'r',
        payload: {
          reasoning: 'I should compute',
          action: 'calculator',
          actionInput: { sum: [2, 2] },
          observation: '4',
          usage: { prompt_tokens: 12, completion_tokens: 5 },
        },
      },
      {
        id: 'b',
        kind: 'reasoning/thought',
        from: 'ann',
        context: 'r',
        payload: { message: 'Write to hanna.kowalski@example.org' },
      },
      { id: 'c', kind: 'reasoning/conclusion', from: 'ann', context: 'r', payload: {} },
    ]),
  );
  const graph = await service.graph();
  const textsOf = async (id: string): Promise<unknown> =>
    ((await service.json(`/api/nodes/${encodeURIComponent(nodeOf(graph, id).id)}`)) as { texts?: unknown })
      .texts;
  assert.deepEqual(await textsOf('r'), { prompt: 'What is 2+2?' });
  assert.deepEqual(await textsOf('a'), {
    reasoning: 'I should compute\nAction: calculator {"sum":[2,2]}\nObservation: 4',
  });
  const { tokensIn, tokensOut } = nodeOf(graph, 'a');
  assert.deepEqual([tokensIn, tokensOut], [12, 5]);
  assert.match(JSON.stringify(await textsOf('b')), /Write to \[/);
  assert.equal(await textsOf('c'), undefined);
});

test('[MW1] what is wrong with one message is named and costs no other', async (t) => {
  const service = await RealService.of(t);
  const answer = await post(service, [
    'text',
    { id: 'a', from: 'ann' },
    { kind: 'reasoning/thought', context: Array(40).fill('a').join('/') },
    { kind: 'reasoning/thought', context: 'x'.repeat(1001) },
    { kind: 'chat', id: 7 },
    { kind: 'weather/report', id: 'w' },
    { kind: 'system/heartbeat' },
    {
      id: 'ok',
      kind: 'chat',
      context: { operation: 'push', topic: 'old' },
      correlation_id: [5, null],
      payload: 'x',
    },
  ]);
  assert.deepEqual(answer, {
    accepted: 2,
    rejected: 5,
    errors: [
      { index: 0, message: 'not a JSON object' },
      { index: 1, message: 'kind: required, a string that is not empty' },
      { index: 2, message: 'context: has more than 32 parts' },
      { index: 3, message: 'context: longer than 1000 characters' },
      { index: 4, message: 'id: must be a string' },
    ],
    unknown: { lines: 1, first: [5] },
  });
  assert.deepEqual((await told(service)).nodes, { ok: 'USER_QUERY MEW ENDED OK' });
  const broken = await fetch(`${service.readers}/mew/envelopes`, { method: 'POST', body: 'nothing' });
  assert.equal(broken.status, 415);
});

test('[AG12] [MW7] of an agent whose thoughts are hidden nothing is read of what it observed, weighed and decided', async (t) => {
  const service = await RealService.of(t, ['--visibility', '{"ann": "hidden"}']);
  const told = (kind: string, payload: object): Message => ({ kind, from: 'ann', context: 'r', payload });
  await post(
    service,
    timed([
      { id: 'r', kind: 'reasoning/start', from: 'ann', payload: { message: 'quetzal one' } },
      told('reasoning/hypothesis', { hypothesis: 'quetzal two', evidence: ['quetzal three'] }),
      told('reasoning/conclusion', { decision: 'quetzal four', key_factors: ['quetzal five'] }),
      { id: 's', kind: 'reasoning/start', from: 'ben', payload: { message: 'quetzal of ben' } },
    ]),
  );
  const graph = await service.graph();
  const all = [
    graph,
    ...(await Promise.all(graph.nodes.map(({ id }) => service.json(`/api/nodes/${encodeURIComponent(id)}`)))),
  ];
  const words = new Set(JSON.stringify(all).match(/quetzal \w+/g));
  assert.deepEqual([...words], ['quetzal of']);
});
