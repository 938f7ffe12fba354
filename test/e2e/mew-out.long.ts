import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { MewMessage } from '../../src/exporters/mew/message.ts';
import type { ExplanationGraph } from '../../src/model/node.ts';
import { run } from '../cli/run-command.ts';
import { span } from '../reader-contract/records.ts';
import { MewGateway } from '../support/mew-gateway.ts';
import { until } from '../support/until.ts';
import { RealService, temporaryFolder } from './real-service.ts';

const SECRET = 'sk-ant-api03-Q7dT2mVx9LpRzW4nKc8YbHf6JsGe1Au3';

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
  const [first, second] = [await RealService.of(t), await RealService.of(t)];
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

test('[MW19] contexts that lie too deep to be told as contexts end none around them', async (t) => {
  const service = await RealService.of(t);
  const ids = Array.from({ length: 32 }, (_, depth) => `r${depth}`);
  const nested = ids.map((id, depth) => ({
    id,
    kind: 'reasoning/start',
    from: 'ann',
    context: ids.slice(0, depth).join('/') || undefined,
    payload: { message: 'On' },
  }));
  const ends = ids.map((id, depth) => ({
    id: `end of ${id}`,
    kind: 'reasoning/conclusion',
    from: 'ann',
    context: ids.slice(0, depth + 1).join('/'),
    payload: { message: 'Done' },
  }));
  const all = [...nested, ...ends.toReversed()].map((message, second) =>
    JSON.stringify({ ts: new Date(Date.UTC(2026, 8, 1, 0, 0, second)).toISOString(), ...message }),
  );
  await post(service, all.join('\n'), 'space=yard&taskId=T1');
  await service.flush();
  const text = await (await fetch(`${service.readers}/api/graph?format=mew&taskIds=T1`)).text();
  const ended = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as MewMessage)
    .filter(({ kind }) => kind === 'reasoning/conclusion')
    .map(({ context }) => context);
  assert.ok(ended.length > 25);
  assert.deepEqual([...new Set(ended)], ended, 'each ends once');
});

type Message = { readonly [field: string]: unknown };

/** A service that says in the space what it knows, and shows what others say there. */
async function saying(
  t: TestContext,
  gateway: MewGateway,
  participant: string,
  settings: object = {},
  dataDir?: string,
): Promise<RealService> {
  const mew = { url: gateway.url, space: 'yard', participant, emit: {}, ...settings };
  const service = await RealService.start({
    dataDir: dataDir ?? (await temporaryFolder(t)),
    flags: ['--mew', JSON.stringify(mew)],
  });
  t.after(() => service.stop());
  await until(`${participant} is in the space`, () => gateway.participants.includes(participant));
  return service;
}

/** What reasoning and tool calls went through the gateway. */
function saidIn({ history }: MewGateway): readonly Message[] {
  return history
    .filter(({ event }) => event === 'received')
    .map(({ envelope }) => envelope as Message)
    .filter(({ kind }) => /^(?:reasoning|mcp|chat)/.test(String(kind)));
}

function isOver(gateway: MewGateway, tasks = 1): boolean {
  return (
    saidIn(gateway).filter(
      ({ kind, context }) => kind === 'reasoning/conclusion' && !String(context).includes('/'),
    ).length >= tasks
  );
}

const STEPS = [
  span({ trace: 1, span: 1, name: 'plan', latencyMs: 10_000 }),
  span({ trace: 1, span: 2, parent: 1, name: 'write', status: 'ERROR' }),
  span({ trace: 1, span: 3, parent: 1, name: 'check', agent: 'critic-agent' }),
];

test('[MW22] what runs is said in the space step by step, each once, in its own name; two services that say and show add nothing to each other', async (t) => {
  const gateway = await MewGateway.start();
  t.after(() => gateway.stop());
  const first = await saying(t, gateway, 'one');
  const second = await saying(t, gateway, 'two');
  await first.feed(STEPS);
  await first.flush();
  await until('it is said to its end', () => isOver(gateway));
  const said = saidIn(gateway);
  assert.deepEqual(
    said.map(({ kind }) => kind),
    [
      'reasoning/start',
      'reasoning/start',
      'reasoning/thought',
      'reasoning/thought',
      'reasoning/conclusion',
      'reasoning/conclusion',
    ],
  );
  assert.ok(said.every(({ from }) => from === 'one'));
  assert.equal(new Set(said.map(({ id }) => id)).size, said.length);
  const { nodes } = await second.graph('collapse=none');
  assert.deepEqual(nodes.map(({ name, status, agent }) => `${name} ${status} ${agent}`).sort(), [
    'check OK one',
    'plan OK one',
    'reasoning/start OK one',
    'write ERROR one',
  ]);
  assert.deepEqual(
    nodes
      .map(({ details }) => details?.['speaksFor'])
      .sort()
      .at(0),
    'CriticAgent',
  );
  assert.equal(new Set(nodes.map(({ taskId }) => taskId)).size, 1, 'it is one task there');
  assert.equal((await first.graph('collapse=none')).nodes.length, STEPS.length, 'its echo adds nothing');
  // The same again from the gateway's log, and from another service that says something of its own.
  const log = gateway.history.map((line) => JSON.stringify(line)).join('\n');
  await post(first, log, 'space=yard');
  await second.feed([span({ trace: 2, span: 9, name: 'other' })]);
  await second.flush();
  await until('the other one is said to its end', () => isOver(gateway, 2));
  await first.flush();
  assert.equal(saidIn(gateway).length, said.length + 3);
  const names = (await first.graph('collapse=none')).nodes.map(({ name }) => name).sort();
  assert.deepEqual(names, ['check', 'other', 'plan', 'reasoning/start', 'write']);
  const metrics = await (await fetch(`${first.readers}/metrics`)).text();
  assert.match(metrics, /explain_mew_said_total(?:\{[^}]*\})? 6\b/);
});

test('[MW22] over a gateway that dies and a service that starts anew nothing is said twice, and what came meanwhile is said', async (t) => {
  let gateway = await MewGateway.start();
  const dataDir = await temporaryFolder(t);
  const first = await saying(t, gateway, 'one', {}, dataDir);
  await first.feed(STEPS);
  await first.flush();
  await until('it is said to its end', () => isOver(gateway));
  const before = new Set(saidIn(gateway).map(({ id }) => id));
  const { port } = gateway;
  await gateway.stop();
  await first.feed([span({ trace: 2, span: 4, name: 'meanwhile' })]);
  await first.flush();
  gateway = await MewGateway.start({ port });
  t.after(() => gateway.stop());
  await until('what came meanwhile is said', () => isOver(gateway));
  const after = saidIn(gateway).map(({ id }) => id);
  assert.equal(after.length, 3);
  assert.ok(after.every((id) => !before.has(id)));
  const opened = span({ trace: 4, span: 6, name: 'runs', attributes: { 'latency.ms': undefined } });
  await first.feed([
    { ...opened, end: undefined, durationMs: undefined },
    span({ trace: 4, span: 7, parent: 6, name: 'before' }),
  ]);
  await first.flush();
  await until('what runs is opened', () => saidIn(gateway).length === 6);
  await first.stop();
  const again = await saying(t, gateway, 'one', {}, dataDir);
  await again.feed([
    span({ trace: 4, span: 8, parent: 6, name: 'within what runs' }),
    span({ trace: 3, span: 5, name: 'after' }),
  ]);
  await again.flush();
  await until('the new steps are said', () => isOver(gateway, 2) && saidIn(gateway).length >= 10);
  const all = saidIn(gateway).map(({ id }) => id);
  assert.equal(all.length, 10);
  assert.equal(new Set(all).size, all.length);
});

test('[MW22] what a capability forbids is counted, told once and not said again; only what the filter takes is said', async (t) => {
  const gateway = await MewGateway.start({ tokens: { tok: [{ kind: 'reasoning/start' }] } });
  t.after(() => gateway.stop());
  const service = await saying(t, gateway, 'one', { token: 'tok', emit: { agents: ['critic-agent'] } });
  await service.feed([
    ...STEPS,
    ...[1, 2, 3].map((n) =>
      span({ trace: 1, span: 10 + n, parent: 1, name: `more ${n}`, agent: 'critic-agent' }),
    ),
  ]);
  await service.flush();
  const unsaid = async (): Promise<string> => {
    const metrics = await (await fetch(`${service.readers}/metrics`)).text();
    return /explain_mew_unsaid_total\{reason="forbidden"[^}]*\} (\d+)/.exec(metrics)?.[1] ?? '';
  };
  await until('all is counted', async () => Number(await unsaid()) >= 4);
  assert.deepEqual(
    saidIn(gateway).map(({ kind }) => kind),
    ['reasoning/start'],
  );
  const refused = service.log.split('\n').filter((line) => line.includes('does not let this service say'));
  assert.deepEqual(refused.map((line) => (JSON.parse(line) as { kind: string }).kind).sort(), [
    'reasoning/thought',
  ]);
  const tried = gateway.came.filter(({ kind }) => kind === 'reasoning/thought').length;
  await service.feed([span({ trace: 1, span: 20, parent: 1, name: 'one more', agent: 'critic-agent' })]);
  await service.flush();
  await until('that one is not even tried', async () => Number(await unsaid()) >= 5);
  assert.equal(gateway.came.filter(({ kind }) => kind === 'reasoning/thought').length, tried);
});
