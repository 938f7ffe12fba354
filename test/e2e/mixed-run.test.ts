import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { applyUpdate } from '../../src/model/apply-update.ts';
import type {
  ExplanationEdge,
  ExplanationGraph,
  ExplanationNode,
  GraphUpdate,
} from '../../src/model/node.ts';
import type { ReplayStarted } from '../../src/model/replay.ts';
import { until } from '../support/until.ts';
import { RealService } from './real-service.ts';

const TASK = 'mixed';
const AG_UI_RUN = new URL('../fixtures/ag-ui/good.sse', import.meta.url);
const FLOW = new URL('../../examples/thoughtflow/session.json', import.meta.url);

async function post(url: string, body: string, type = 'application/json'): Promise<Response> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body });
  assert.ok(response.ok, `${url} ${response.status}`);
  return response;
}

/** An agent that calls a model, which thinks and asks for a tool, and another agent that has a test fail. */
function otlpRun(): string {
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const message = (role: string, part: object): string => JSON.stringify([{ role, parts: [part] }]);
  const span = (digit: string, parent: string, name: string, ...attributes: object[]) => ({
    traceId: 'cd'.repeat(16),
    spanId: digit.repeat(16),
    ...(parent !== '' && { parentSpanId: parent.repeat(16) }),
    name,
    startTimeUnixNano: `175000000${digit}000000000`,
    endTimeUnixNano: `1750000009000000000`,
    attributes,
  });
  const spans = [
    span('1', '', 'invoke_agent coder', text('taskId', TASK), text('gen_ai.agent.name', 'coder')),
    span(
      '2',
      '1',
      'chat gpt-5',
      text('gen_ai.operation.name', 'chat'),
      text('gen_ai.request.model', 'gpt-5'),
      text('gen_ai.input.messages', message('user', { type: 'text', content: 'mend the parser, please' })),
      text(
        'gen_ai.output.messages',
        JSON.stringify([
          {
            role: 'assistant',
            parts: [
              {
                type: 'reasoning',
                content: 'First I look at the failing test.\n\nThen I change the parser.',
              },
              { type: 'tool_call', id: 'call-9', name: 'run_tests', arguments: { all: true } },
            ],
          },
        ]),
      ),
    ),
    span(
      '3',
      '1',
      'execute_tool run_tests',
      text('gen_ai.operation.name', 'execute_tool'),
      text('gen_ai.tool.name', 'run_tests'),
      text('gen_ai.tool.call.id', 'call-9'),
    ),
    span('4', '3', 'unit tests', text('component', 'critic-agent'), text('test.suite', 'parser')),
  ];
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
}

async function fill(service: RealService): Promise<ExplanationGraph> {
  await post(`${service.otlpHttp}/v1/traces`, otlpRun());
  const query = `?taskId=${TASK}&agent=Planner`;
  await post(
    `${service.readers}/ag-ui/events${query}`,
    await readFile(AG_UI_RUN, 'utf8'),
    'text/event-stream',
  );
  await post(`${service.readers}/thoughtflow?taskId=${TASK}`, await readFile(FLOW, 'utf8'));
  await service.flush();
  return service.graph(`collapse=none&taskIds=${TASK}`);
}

/** What can be reached from the first node, whichever way edges point. */
function reached({ nodes, edges }: ExplanationGraph): ReadonlySet<string> {
  const [first] = nodes;
  const found = new Set(first ? [first.id] : []);
  for (const id of found)
    for (const { from, to } of edges) {
      if (from === id) found.add(to);
      if (to === id) found.add(from);
    }
  return found;
}

const kindOf = (node: ExplanationNode | undefined): unknown => node?.details?.['flowKind'];
const idsIn = (items: readonly { readonly id: string }[]): ReadonlySet<string> =>
  new Set(items.map(({ id }) => id));

interface Flow {
  readonly session_id: string;
  readonly conversations: readonly FlowItem[];
}

interface FlowItem {
  readonly conversation_id?: string;
  readonly step_id?: string;
  readonly depends_on?: string | readonly string[];
  readonly source?: { readonly nodeId: string };
  readonly steps?: readonly FlowItem[];
}

/** Edges that ThoughtFlow says by what holds what. */
function containment({ nodes, edges }: ExplanationGraph): readonly ExplanationEdge[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return edges.filter(
    ({ from, to, evidence }) =>
      evidence === 'parentSpanId' &&
      kindOf(byId.get(from)) !== undefined &&
      kindOf(byId.get(to)) !== undefined,
  );
}

test('[AG9] [TF11] [OX1] an OTLP agent, an AG-UI agent and a ThoughtFlow session of one task are one graph, whole in every format', async (t) => {
  const service = await RealService.of(t);
  const graph = await fill(service);
  const { nodes, edges } = graph;
  const text = async (path: string): Promise<string> => {
    const response = await fetch(service.readers + path);
    assert.equal(response.status, 200, path);
    return response.text();
  };
  const export_ = (format: string): Promise<string> =>
    text(`/api/graph?format=${format}&collapse=none&taskIds=${TASK}`);

  await t.test('one connected graph of all three', () => {
    assert.deepEqual(reached(graph), idsIn(nodes));
    assert.ok(nodes.every(({ taskId }) => taskId === TASK));
    const agents = new Set(nodes.map(({ agent }) => agent));
    for (const agent of ['coder', 'CriticAgent', 'Planner']) assert.ok(agents.has(agent), agent);
    assert.equal(nodes.filter((node) => kindOf(node) === 'step').length, 9);
    const types = new Set(nodes.map(({ type }) => type));
    for (const type of ['LLM_CALL', 'TOOL_CALL', 'REASONING', 'TEST_RUN', 'USER_QUERY'] as const)
      assert.ok(types.has(type), type);
    assert.ok(nodes.length > 25 && edges.length >= nodes.length - 1);
  });

  await t.test('ThoughtFlow', async () => {
    const flow = JSON.parse(await text(`/thoughtflow/${TASK}.json`)) as Flow;
    const items = flow.conversations.flatMap(({ steps = [], ...head }) => [head, ...steps]);
    const sent = new Set(items.map((item) => item.step_id ?? item.conversation_id));
    const shown = nodes.filter((node) => {
      const { flowId } = node.details ?? {};
      if (kindOf(node) === 'session') return flow.session_id === flowId;
      return kindOf(node) === undefined ? sent.has(node.id) : sent.has(String(flowId));
    });
    assert.deepEqual(idsIn(shown), idsIn(nodes));
    const told = items.flatMap(({ depends_on: from = [] }) => [from].flat());
    const ofGraph = told.filter((id) => !/^snp_(?:policy|tools)_\d{5,}/.test(id));
    assert.equal(ofGraph.length, edges.length - containment(graph).length);
  });

  await t.test('D2', async () => {
    const d2 = (await export_('d2')).split('\n');
    assert.equal(d2.filter((line) => /^ {2}\w+: ".*tooltip: /.test(line)).length, nodes.length);
    assert.equal(d2.filter((line) => / -> /.test(line)).length, edges.length);
    const flow = (await text(`/thoughtflow/${TASK}.d2`)).split('\n');
    const heads = nodes.filter((node) => ['session', 'conversation'].includes(String(kindOf(node))));
    assert.equal(flow.filter((line) => /^ {2}s\d+: /.test(line)).length, nodes.length - heads.length);
    assert.equal(flow.filter((line) => / -> /.test(line)).length, edges.length - containment(graph).length);
  });

  await t.test('Mermaid', async () => {
    const mermaid = (await export_('mermaid')).split('\n');
    assert.equal(mermaid.filter((line) => /^ +\w+\["/.test(line)).length, nodes.length);
    assert.equal(
      mermaid.filter((line) => /^ +\w+ -.*-?> ?(?:\|[^|]*\| )?\w+$/.test(line)).length,
      edges.length,
    );
  });

  await t.test('AG-UI', async () => {
    const input = { threadId: TASK, runId: 'reader-1', messages: [], tools: [], context: [], state: {} };
    const answer = await post(`${service.readers}/ag-ui/run`, JSON.stringify(input));
    const events = (await answer.text())
      .split('\n')
      .filter((line) => line.startsWith('data:'))
      .map((line) => JSON.parse(line.slice(5)) as { readonly [key: string]: unknown });
    let told: ExplanationGraph = { nodes: [], edges: [], lastUpdated: '' };
    for (const event of events)
      if (event['name'] === 'explain.graph_update') told = applyUpdate(told, event['value'] as GraphUpdate);
    assert.deepEqual(idsIn(told.nodes), idsIn(nodes));
    assert.deepEqual(idsIn(told.edges), idsIn(edges));
    assert.match(String(events.at(-1)?.['type']), /^RUN_(?:FINISHED|ERROR)$/);
  });

  await t.test('OTLP, and a second service', async () => {
    const otlp = await export_('otlp');
    const { resourceSpans } = JSON.parse(otlp) as {
      readonly resourceSpans: readonly {
        readonly scopeSpans: readonly {
          readonly spans: readonly { parentSpanId?: string; links?: object[] }[];
        }[];
      }[];
    };
    const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
    assert.equal(spans.length, nodes.length);
    const led = spans.map(
      ({ parentSpanId, links = [] }) => links.length + (parentSpanId === undefined ? 0 : 1),
    );
    assert.equal(
      led.reduce((sum, count) => sum + count, 0),
      edges.length,
    );
    const second = await RealService.of(t);
    await post(`${second.otlpHttp}/v1/traces`, otlp);
    await second.flush();
    const there = await second.graph(`collapse=none&taskIds=${TASK}`);
    assert.deepEqual(
      new Map(there.nodes.map((node) => [node.id, node])),
      new Map(nodes.map((node) => [node.id, node])),
    );
    assert.deepEqual(
      new Map(there.edges.map((edge) => [edge.id, edge])),
      new Map(edges.map((edge) => [edge.id, edge])),
    );
    const flow = async (of: RealService): Promise<unknown> => of.json(`/thoughtflow/${TASK}.json`);
    assert.deepEqual(await flow(second), await flow(service), 'and as ThoughtFlow it is the same');
  });

  await t.test('replayed', async () => {
    const answer = await post(`${service.readers}/api/replay`, JSON.stringify({ taskId: TASK }));
    const { taskId } = (await answer.json()) as ReplayStarted;
    const again = (): Promise<ExplanationGraph> =>
      service.graph(`collapse=none&taskIds=${encodeURIComponent(taskId)}`);
    await until('all is there', async () => (await again()).edges.length === edges.length);
    const replayed = await again();
    assert.deepEqual(
      new Set(replayed.nodes.map(({ details }) => details?.['replayOfNode'])),
      new Set(nodes.map(({ id }) => id)),
    );
    assert.deepEqual(reached(replayed), idsIn(replayed.nodes));
  });
});

test('[MW5] [AG9] an OTLP agent, an AG-UI agent and two agents of MEW on one task are one connected graph, in any order', async (t) => {
  const message = (id: string, from: string, kind: string, rest: object): object => ({
    protocol: 'mew/v0.4',
    id,
    ts: `2025-06-15T15:06:4${id.slice(-1)}.000Z`,
    from,
    kind,
    ...rest,
  });
  const reasoning = [
    message('m1', 'ann', 'reasoning/start', { payload: { message: 'Is the parser to blame?' } }),
    message('m2', 'ann', 'reasoning/thought', {
      context: 'm1',
      payload: { message: 'It reads one too far' },
    }),
    message('m3', 'ben', 'reasoning/start', { context: 'm1', payload: { message: 'I look at the lexer' } }),
    message('m4', 'ben', 'reasoning/conclusion', { context: 'm1/m3', payload: { message: 'Not the lexer' } }),
    message('m5', 'ann', 'reasoning/conclusion', {
      context: 'm1',
      correlation_id: ['m4'],
      payload: { message: 'The parser it is' },
    }),
  ];
  const ways: readonly ((service: RealService) => Promise<unknown>)[] = [
    (service) => post(`${service.otlpHttp}/v1/traces`, otlpRun()),
    async (service) =>
      post(
        `${service.readers}/ag-ui/events?taskId=${TASK}&agent=Planner`,
        await readFile(AG_UI_RUN, 'utf8'),
        'text/event-stream',
      ),
    (service) =>
      post(`${service.readers}/mew/envelopes?taskId=${TASK}&space=yard`, JSON.stringify(reasoning)),
  ];
  const graphs: ExplanationGraph[] = [];
  for (const order of [ways, [...ways].reverse()]) {
    const service = await RealService.of(t);
    for (const send of order) await send(service);
    await service.flush();
    const graph = await service.graph(`collapse=none&taskIds=${TASK}`);
    assert.deepEqual(reached(graph), idsIn(graph.nodes));
    const by = (agent: string): number => graph.nodes.filter((node) => node.agent === agent).length;
    assert.deepEqual(['ann', 'ben'].map(by), [3, 2]);
    for (const agent of ['coder', 'CriticAgent', 'Planner']) assert.ok(by(agent) > 0, agent);
    assert.ok(graph.nodes.every(({ taskId }) => taskId === TASK));
    const all = await service.graph('collapse=none');
    assert.equal(all.nodes.length, graph.nodes.length, 'nothing of it is of another task');
    graphs.push(graph);
  }
  const [first, second] = graphs.map(
    ({ edges }) => new Set(edges.map(({ from, to, relation }) => `${from} ${relation} ${to}`)),
  );
  assert.deepEqual(first, second);
});
