import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ExplanationEdge } from '../../src/model/node.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { randomFlow } from '../support/random-flow.ts';
import type { PromptProvenance } from '../../src/model/prompt-provenance.ts';
import { postOtlp } from './otlp-senders.ts';
import { RealService } from './real-service.ts';

const EXAMPLE = new URL('../../examples/thoughtflow/session.json', import.meta.url);

interface Answer {
  readonly accepted: number;
  readonly noEdge?: { readonly dangling: number; readonly self: number; readonly cyclic: number };
}

async function post(service: RealService, body: unknown, query = ''): Promise<Answer> {
  const response = await fetch(`${service.readers}/thoughtflow${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const answer = (await response.json()) as Answer;
  assert.equal(response.status, 202, JSON.stringify(answer));
  return answer;
}

function text(service: RealService, path: string): Promise<string> {
  return fetch(service.readers + path).then((response) => response.text());
}

/** Those that say more than that a step is in its conversation. */
function flowEdges(edges: readonly ExplanationEdge[]): readonly ExplanationEdge[] {
  return edges.filter(({ evidence }) => evidence === 'dependsOn' || evidence === 'inferred');
}

test('[TF6] conformance 22: a session is a task, its conversations are below it, and its steps lead to one another', async (t) => {
  const service = await RealService.of(t);
  const example = await readFile(EXAMPLE, 'utf8');
  await post(service, example);
  const { nodes, edges } = await service.graph();
  const steps = nodes.filter(({ details }) => details?.['flowKind'] === 'step');
  assert.equal(nodes.length, 1 + 1 + 9);
  assert.equal(steps.length, 9);
  assert.equal(flowEdges(edges).length, 8);
  assert.ok(nodes.every(({ taskId, state }) => taskId === 'sess_harbour_tour' && state === 'ENDED'));
  const types = Object.fromEntries(steps.map(({ name, type }) => [name, type]));
  assert.deepEqual(
    [types['user_message'], types['assistant_call'], types['tool_call'], types['tool_output']],
    ['USER_QUERY', 'LLM_CALL', 'TOOL_CALL', 'OTHER'],
  );
  const before = JSON.stringify(await service.graph());
  await post(service, example);
  assert.equal(JSON.stringify(await service.graph()), before, 'the same file twice is the same graph');
});

test('[TF7] conformance 28: any task is read as JSON and as D2, whole and by conversation', async (t) => {
  const service = await RealService.of(t);
  const example = await readFile(EXAMPLE, 'utf8');
  await post(service, example);
  for (const name of ['sess_harbour_tour', 'sess_harbour_tour.conv_tides']) {
    const json = await fetch(`${service.readers}/thoughtflow/${name}.json`);
    assert.equal(json.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.deepEqual(await json.json(), JSON.parse(example));
    const d2 = await fetch(`${service.readers}/thoughtflow/${name}.d2`);
    assert.equal(d2.headers.get('content-type'), 'text/plain; charset=utf-8');
    const lines = (await d2.text()).split('\n');
    assert.equal(lines.filter((line) => /^ {2}s\d+: /.test(line)).length, 9);
    assert.equal(lines.filter((line) => / -> /.test(line)).length, 8);
  }
  for (const name of [
    'none.json',
    'sess_harbour_tour.none.json',
    'sess_harbour_tour',
    'sess_harbour_tour.txt',
  ])
    assert.equal((await fetch(`${service.readers}/thoughtflow/${name}`)).status, 404, name);
});

test('[TF8] conformance 27: a file that goes in comes out equal, and the same graph comes of it', async (t) => {
  const service = await RealService.of(t);
  let cases = 0;
  await fc.assert(
    fc.asyncProperty(randomFlow, async (flow) => {
      const [first, second] = [`a${++cases}`, `b${cases}`];
      const { noEdge } = await post(service, flow, `?taskId=${first}`);
      const out = JSON.parse(await text(service, `/thoughtflow/${first}.json`)) as object;
      assert.deepEqual(out, flow);
      await post(service, out, `?taskId=${second}`);
      assert.equal(
        await text(service, `/thoughtflow/${second}.json`),
        await text(service, `/thoughtflow/${first}.json`),
      );

      const graphs = await Promise.all(
        [first, second].map((task) => service.graph(`collapse=none&taskIds=${task}`)),
      );
      const lists = [flow['conversations'] ?? flow['runs']].flat() as { steps: { depends_on?: unknown }[] }[];
      const steps = lists.flatMap((conversation) => conversation.steps);
      const said = steps.flatMap(({ depends_on = [] }) => [...new Set([depends_on].flat())]);
      const chained = lists
        .filter((conversation) =>
          conversation.steps.every(({ depends_on = [] }) => [depends_on].flat().length === 0),
        )
        .reduce((sum, conversation) => sum + Math.max(0, conversation.steps.length - 1), 0);
      const lost = Object.values(noEdge ?? {}).reduce((sum, count) => sum + count, 0);
      for (const { nodes, edges } of graphs) {
        const ofFlow = nodes.filter(({ details }) => details?.['flowKind'] !== undefined);
        assert.equal(ofFlow.length, 1 + lists.length + steps.length);
        assert.equal(flowEdges(edges).length, said.length - lost + chained);
      }
    }),
    propertyRuns(),
  );
});

test('[TF9] texts are redacted at the door, and what is hidden is hidden in what comes out', async (t) => {
  const service = await RealService.of(t);
  const secret = 'hanna.kowalski@example.org';
  const flow = {
    session_id: 's',
    conversations: [
      {
        conversation_id: 'c',
        steps: [
          { step_id: 'a', label: 'user_message', payload_started: { text: `write to ${secret}` } },
          {
            step_id: 'b',
            label: 'assistant_call',
            depends_on: 'a',
            payload_started: {
              prompt_provenance: {
                parts: [{ type: 'user_instruction', value: `write to ${secret}` }],
                final_prompt: `Be kind.\nwrite to ${secret}`,
              },
            },
          },
        ],
      },
    ],
  };
  await post(service, flow);
  const out = await text(service, '/thoughtflow/s.json');
  for (const seen of [out, await text(service, '/thoughtflow/s.d2'), JSON.stringify(await service.graph())]) {
    assert.ok(!seen.includes(secret));
    assert.match(seen, /\[EMAIL:\w+\]/);
  }
});

/** A run of an agent that another convention tells of. */
const SPANS = [
  {
    n: 1,
    name: 'invoke_agent guide',
    ms: 900,
    attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'Guide', taskID: 'T' },
  },
  {
    n: 2,
    parent: 1,
    name: 'chat',
    ms: 200,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-5-mini',
      'gen_ai.system_instructions': '[{"type":"text","content":"You help visitors of a harbour."}]',
      'gen_ai.tool.definitions': '[{"name":"get_tides"}]',
      'gen_ai.input.messages':
        '[{"role":"user","parts":[{"type":"text","content":"When is high tide today?"}]}]',
      'gen_ai.output.messages':
        '[{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"get_tides","arguments":{"harbour":"old"}}]}]',
    },
  },
  {
    n: 3,
    parent: 1,
    name: 'execute_tool get_tides',
    ms: 100,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'get_tides',
      'gen_ai.tool.call.id': 'c1',
      'gen_ai.tool.call.arguments': '{"harbour":"old"}',
      'gen_ai.tool.call.result': '{"high":"14:10"}',
    },
  },
  {
    n: 4,
    parent: 1,
    name: 'chat',
    ms: 300,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-5-mini',
      'gen_ai.system_instructions': '[{"type":"text","content":"You help visitors of a harbour."}]',
      'gen_ai.input.messages':
        '[{"role":"user","parts":[{"type":"text","content":"When is high tide today?"}]},{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"get_tides","arguments":{"harbour":"old"}}]},{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":"14:10"}]}]',
      'gen_ai.output.messages':
        '[{"role":"assistant","parts":[{"type":"text","content":"High tide is at 14:10 today."}]}]',
    },
  },
];

async function sendSpans(service: RealService): Promise<void> {
  const hex = (n: number): string => n.toString(16).padStart(16, '0');
  const spans = SPANS.map(({ n, parent, name, ms, attributes }) => ({
    traceId: 'ab'.repeat(16),
    spanId: hex(n),
    ...(parent !== undefined && { parentSpanId: hex(parent) }),
    name,
    startTimeUnixNano: `${1_772_442_000_000 + n * 10}000000`,
    endTimeUnixNano: `${1_772_442_000_000 + n * 10 + ms}000000`,
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: value } })),
  }));
  await postOtlp(service, '/v1/traces', JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
}

interface Flow {
  readonly session_id: string;
  readonly conversations: readonly {
    readonly conversation_id: string;
    readonly steps: readonly {
      readonly step_id: string;
      readonly label: string;
      readonly depends_on?: string | readonly string[];
      readonly payload_started: { readonly prompt_provenance?: unknown };
    }[];
  }[];
}

test('[TF10] a task of another origin: its roots are conversations, with snapshots that its calls depend on', async (t) => {
  const service = await RealService.of(t);
  await sendSpans(service);
  const { nodes, edges } = await service.graph('collapse=none&taskIds=T');
  const flow = JSON.parse(await text(service, '/thoughtflow/T.json')) as Flow;
  const steps = flow.conversations.flatMap((conversation) => conversation.steps);
  const snapshots = steps.filter(({ label }) => label.endsWith('.snapshot'));
  assert.deepEqual(
    snapshots.map(({ label }) => label),
    ['policy.snapshot', 'tool.schemas.snapshot'],
  );
  assert.deepEqual(
    new Set(steps.filter((step) => !snapshots.includes(step)).map(({ step_id: id }) => id)),
    new Set(nodes.map(({ id }) => id)),
  );
  const ids = new Set(snapshots.map(({ step_id: id }) => id));
  const told = steps.flatMap(({ step_id: to, depends_on: from = [] }) =>
    [from].flat().map((id) => [id, to] as const),
  );
  assert.equal(told.filter(([from]) => !ids.has(from)).length, edges.length);
  assert.equal(told.filter(([from]) => ids.has(from)).length, 3);
  for (const [from, to] of told)
    assert.ok(
      steps.findIndex((step) => step.step_id === from) < steps.findIndex((step) => step.step_id === to),
    );
  const call = steps.find(({ label }) => label === 'assistant_call');
  const provenance = call?.payload_started.prompt_provenance as {
    parts: { value: string }[];
    final_prompt: string;
    assembly: { part: number; start: number; end: number }[];
  };
  assert.equal(provenance.final_prompt, 'You help visitors of a harbour.\nWhen is high tide today?');
  for (const { part, start, end } of provenance.assembly)
    assert.equal(provenance.final_prompt.slice(start, end), provenance.parts[part]?.value);

  const d2 = (await text(service, '/thoughtflow/T.d2')).split('\n');
  assert.equal(d2.filter((line) => /^ {2}s\d+: /.test(line)).length, nodes.length);
  assert.equal(d2.filter((line) => / -> /.test(line)).length, edges.length);

  await post(service, flow, '?taskId=copy');
  assert.deepEqual(JSON.parse(await text(service, '/thoughtflow/copy.json')), flow);
  const graph = await fetch(`${service.readers}/api/graph?format=thoughtflow&taskIds=T`);
  assert.deepEqual(await graph.json(), flow);
});

test('[TF11] what several protocols tell of one task comes out whole, each part in its own way', async (t) => {
  const service = await RealService.of(t);
  await sendSpans(service);
  const example = JSON.parse(await readFile(EXAMPLE, 'utf8')) as Flow;
  await post(service, example, '?taskId=T');
  const { nodes, edges } = await service.graph('collapse=none&taskIds=T');
  const flow = JSON.parse(await text(service, '/thoughtflow/T.json')) as Flow;
  assert.equal(flow.session_id, example.session_id);
  assert.deepEqual(flow.conversations[0]?.steps, example.conversations[0]?.steps);
  const d2 = (await text(service, '/thoughtflow/T.d2')).split('\n');
  const containment = edges.filter(({ from, to, evidence }) => {
    const kind = (id: string): unknown => nodes.find((node) => node.id === id)?.details?.['flowKind'];
    return evidence === 'parentSpanId' && kind(from) !== undefined && kind(to) !== undefined;
  });
  assert.equal(
    d2.filter((line) => /^ {2}s\d+: /.test(line)).length,
    nodes.length - 2,
    'all but the session and its conversation',
  );
  assert.equal(d2.filter((line) => / -> /.test(line)).length, edges.length - containment.length);
  const told = flow.conversations
    .flatMap(({ steps, ...head }) => [head as { depends_on?: string }, ...steps])
    .flatMap(({ depends_on: from = [] }) => [from].flat());
  assert.equal(
    told.filter((id) => !/^snp_(?:policy|tools)_\d{5,}/.test(id)).length,
    edges.length - containment.length,
  );
});

test('[TF12] a node says what its prompt was made of, and which step said each part', async (t) => {
  const service = await RealService.of(t);
  await sendSpans(service);
  await post(service, await readFile(EXAMPLE, 'utf8'));
  const { nodes } = await service.graph();
  const idOf = (label: string): string | undefined =>
    nodes.find((node) => node.details?.['flowLabel'] === label)?.id;
  const detail = (id = ''): Promise<{ promptProvenance?: PromptProvenance }> =>
    service.json(`/api/nodes/${encodeURIComponent(id)}`) as never;
  const flow = (await detail(idOf('assistant_call'))).promptProvenance;
  assert.deepEqual(
    flow?.parts.map(({ type, source }) => [type, source.nodeId]),
    [
      ['personality', idOf('policy.snapshot')],
      ['prompt_adaptations', idOf('prompt.adaptations')],
      ['user_instruction', idOf('user_message')],
    ],
  );
  assert.equal(flow.assembly?.length, 3);
  const tool = nodes.find(
    ({ details }) => details?.['toolName'] === 'get_tides' && details['toolCallId'] === 'c1',
  );
  const spans = (await detail(`${'ab'.repeat(16)}:${'4'.padStart(16, '0')}`)).promptProvenance;
  assert.deepEqual(
    spans?.parts.map(({ type, source }) => [type, source.attribute, source.nodeId]),
    [
      ['system', 'gen_ai.system_instructions', undefined],
      ['history', 'gen_ai.input.messages', undefined],
      ['history', 'gen_ai.input.messages', undefined],
      ['tool_result', 'gen_ai.input.messages', tool?.id],
    ],
  );
  assert.equal((await detail(idOf('tool_call'))).promptProvenance, undefined);
});
