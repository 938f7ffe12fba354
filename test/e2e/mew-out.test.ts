import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { MewMessage } from '../../src/exporters/mew/message.ts';
import type { ExplanationGraph } from '../../src/model/node.ts';
import { run } from '../cli/run-command.ts';
import { RealService, temporaryFolder } from './real-service.ts';

const SECRET = 'sk-ant-api03-Q7dT2mVx9LpRzW4nKc8YbHf6JsGe1Au3';

async function started(t: TestContext): Promise<RealService> {
  const service = await RealService.start({ dataDir: await temporaryFolder(t) });
  t.after(() => service.stop());
  return service;
}

async function post(service: RealService, body: string, query: string): Promise<void> {
  const response = await fetch(`${service.readers}/mew/envelopes?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body,
  });
  const { rejected, errors } = (await response.json()) as { rejected: number; errors: unknown };
  assert.deepEqual([response.status, rejected], [202, 0], JSON.stringify(errors));
}

/** Two agents who reason, with a tool and a question that one puts to the other. */
const SAID = [
  { id: 'q', kind: 'chat', from: 'user', payload: { message: 'Should we deploy?' } },
  { id: 'r1', kind: 'reasoning/start', from: 'ann', correlation_id: ['q'], payload: { message: 'Safety' } },
  { id: 't1', kind: 'reasoning/hypothesis', from: 'ann', context: 'r1', payload: { hypothesis: SECRET } },
  {
    id: 'c1',
    kind: 'mcp/request',
    from: 'ann',
    context: 'r1',
    payload: { method: 'tools/call', params: { name: 'test_report', arguments: { suite: 'auth' } } },
  },
  {
    id: 'c1a',
    kind: 'mcp/response',
    from: 'ci',
    context: 'r1',
    correlation_id: ['c1'],
    payload: { result: { content: [{ type: 'text', text: '2 of 90 failed' }], isError: true } },
  },
  { id: 'n1', kind: 'reasoning/start', from: 'ben', context: 'r1', payload: { message: 'A closer look' } },
  {
    id: 'n2',
    kind: 'reasoning/thought',
    from: 'ben',
    context: 'r1/n1',
    correlation_id: ['t1'],
    payload: { message: 'Is it the cache?' },
  },
  { id: 'n3', kind: 'reasoning/conclusion', from: 'ben', context: 'r1/n1', payload: { message: 'It is' } },
  { id: 'x1', kind: 'reasoning/cancel', from: 'user', context: 'r1', payload: { reason: 'superseded' } },
  { id: 'r9', kind: 'reasoning/conclusion', from: 'ann', context: 'r1', payload: { cancelled: true } },
]
  .map((message, second) => ({ ts: new Date(Date.UTC(2026, 8, 1, 0, 0, second)).toISOString(), ...message }))
  .map((message) => JSON.stringify(message))
  .join('\n');

/** Steps in words, without the task that is said around them. */
function stepsOf({ nodes }: ExplanationGraph): readonly string[] {
  return nodes
    .filter(({ details }) => details?.['messageId'] !== undefined || details?.['toolName'] !== undefined)
    .map(({ type, agent, name, state, status, details }) =>
      [type, agent, name, state, status, details?.['reasoningKind']].join(' '),
    )
    .sort();
}

test('[MW19] a task is exported as messages of MEW, redacted, each a line; posted to a fresh service it is the same steps', async (t) => {
  const [first, second] = [await started(t), await started(t)];
  await post(first, SAID, 'space=yard&taskId=T1');
  await first.flush();
  const response = await fetch(`${first.readers}/api/graph?format=mew&taskIds=T1`);
  assert.equal(response.headers.get('content-type'), 'application/x-ndjson; charset=utf-8');
  const text = await response.text();
  assert.ok(!text.includes(SECRET), 'redacted');
  const messages = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as MewMessage);
  const [asked, begun, ...rest] = messages;
  assert.deepEqual([asked?.kind, asked?.from, asked?.payload['text']], ['chat', 'user', 'Should we deploy?']);
  assert.deepEqual([begun?.kind, begun?.correlation_id], ['reasoning/start', [asked?.id]]);
  assert.ok(rest.every(({ context }) => context?.split('/')[0] === begun?.id));
  const kinds = rest.map(({ kind, from }) => `${from} ${kind}`);
  assert.deepEqual(kinds, [
    'ann reasoning/start',
    'ann reasoning/hypothesis',
    'ann mcp/request',
    'ann mcp/response',
    'ben reasoning/start',
    'ben reasoning/thought',
    'ben reasoning/conclusion',
    'user reasoning/thought',
    'ann reasoning/conclusion',
    'ann reasoning/conclusion',
  ]);
  const call = rest.find(({ kind }) => kind === 'mcp/request');
  assert.deepEqual(call?.to, ['ann'], 'nobody else takes it for a request');
  assert.deepEqual(call.payload['params'], { name: 'test_report', arguments: { suite: 'auth' } });
  assert.deepEqual(rest.find(({ kind }) => kind === 'mcp/response')?.payload['error'], {
    message: '2 of 90 failed',
  });

  const printed = await run(['get', '--format', 'mew', '--task', 'T1', '--url', first.readers]);
  assert.equal(printed.stdout, text);

  await post(second, text, 'space=yard&taskId=T1');
  await second.flush();
  const graph = await second.graph('collapse=none&taskIds=T1');
  const ofTask = begun?.id;
  const steps = { ...graph, nodes: graph.nodes.filter(({ details }) => details?.['messageId'] !== ofTask) };
  // Who asks to stop is told as a thought: a message of the past stops nobody.
  const expected = stepsOf(await first.graph('collapse=none&taskIds=T1')).map((step) =>
    step.replace('reasoning/cancel ENDED OK cancel', 'reasoning/cancel ENDED OK thought'),
  );
  assert.deepEqual(stepsOf(steps), [...expected].sort());
});
