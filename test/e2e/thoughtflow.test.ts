import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import type { ExplanationEdge } from '../../src/model/node.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { randomFlow } from '../support/random-flow.ts';
import { RealService, temporaryFolder } from './real-service.ts';

const EXAMPLE = new URL('../../examples/thoughtflow/session.json', import.meta.url);

async function started(t: TestContext, flags: readonly string[] = []): Promise<RealService> {
  const service = await RealService.start({ dataDir: await temporaryFolder(t), flags });
  t.after(() => service.stop());
  return service;
}

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
  const service = await started(t);
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
  const service = await started(t);
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
  const service = await started(t);
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
  const service = await started(t);
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
