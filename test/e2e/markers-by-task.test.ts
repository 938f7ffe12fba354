import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ExplanationGraph, ExplanationNode } from '../../src/model/node.ts';
import { EXPORT_FORMATS } from '../../src/exporters/export-graph.ts';
import { seed } from '../support/seeded.ts';
import { until } from '../support/until.ts';
import { type RealService, temporaryFolder } from './real-service.ts';
import { ask, bearer, get, KEY, send, started, TOKENS } from './revealing.ts';

const FLAGS = ['--vault-key', KEY];
const START = 1_750_000_000_000;
/** One of each kind that a text gives away, and an id of somebody. */
const VALUES = [
  'jo.doe@example.net',
  '+49 170 1234567',
  '4111 1111 1111 1111',
  '81.2.69.142',
  'DE89370400440532013000',
];
const USER = 'ann.bee@example.org';
const SESSION = 'chat of cy.dee@example.org';
const TRACES = ['1a', '2b'].map((two) => two.repeat(16));
const ANY_MARKER = /\[[A-Z]{2,16}:[a-z2-7]+\]/g;
/** What the door writes, or a part of one. */
const TAG = /\[[A-Z]{2,16}:[a-z2-7]{11,}/;

/** Each value with its number, so that its marker can be told. */
const TEXT = VALUES.map((value, i) => `item ${i} is ${value} ok`).join(', ');
const NUMBERED = /item (\d) is (\[[A-Z]{2,16}:[a-z2-7]{10}\])/g;

function spansOf(trace: number, taskId: string): object[] {
  const spanOf = (id: string, parent: string | undefined, attributes: Record<string, string>): object => ({
    traceId: TRACES[trace],
    spanId: id.repeat(8),
    ...(parent !== undefined && { parentSpanId: parent.repeat(8) }),
    name: `write to ${VALUES[0]}`,
    startTimeUnixNano: `${START + Number.parseInt(id, 16)}000000`,
    endTimeUnixNano: `${START + 900}000000`,
    attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
    ...(id === '0c' && { status: { code: 2, message: `failed: ${TEXT}` } }),
  });
  return [
    spanOf('0a', undefined, { taskID: taskId, 'user.id': USER, note: TEXT, [`for ${VALUES[0]}`]: 'x' }),
    spanOf('0b', '0a', {
      'gen_ai.operation.name': 'chat',
      'gen_ai.agent.name': `agent of ${VALUES[0]}`,
      prompt: TEXT,
      completion: `It says: ${TEXT}`,
      reasoning: `1. First, ${TEXT}\n2. Then ${TEXT}`,
      requestID: `of ${USER} in ${trace}`,
    }),
    spanOf('0c', '0b', {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'send_mail',
      'gen_ai.tool.call.arguments': JSON.stringify({ to: VALUES[0], text: TEXT }),
      'gen_ai.tool.call.result': TEXT,
    }),
  ];
}

async function post(service: RealService, path: string, body: unknown): Promise<string> {
  const response = await fetch(service.readers + path, {
    method: 'POST',
    headers: {
      ...bearer(path === '/api/erase' ? TOKENS.adminToken : TOKENS.token),
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert.ok(response.ok, text);
  return text;
}

/** Two tasks with the same values, in a random order of spans, thoughts and events. */
async function sendBoth(service: RealService): Promise<void> {
  const sends = ['T-one', SESSION].flatMap((taskId, trace) => [
    ...spansOf(trace, taskId).map((span) => () => send(service, span)),
    ...[TEXT, ` and again ${TEXT}.`].map((token, sequence) => async () => {
      const thought = {
        requestId: `of ${USER} in ${trace}`,
        tokens: [token],
        sequence,
        final: sequence === 1,
      };
      await post(service, '/api/cot', { ...thought, timestamp: START + sequence });
    }),
    async () => {
      const payload = {
        taskId,
        note: TEXT,
        long: `${'x'.repeat(980)} ${TEXT}`,
        requestId: `of ${USER} in ${trace}`,
      };
      const event = { eventID: `event of ${USER} ${trace}`, eventType: 'Noted', timestamp: START, payload };
      await post(service, '/api/events', event);
    },
  ]);
  const [order = []] = fc.sample(fc.shuffledSubarray(sends, { minLength: sends.length }), {
    numRuns: 1,
    seed,
  });
  for (const one of order) await one();
}

async function tasksIn(service: RealService): Promise<readonly string[]> {
  const { tasks } = JSON.parse(await get(service, '/api/tasks')) as { tasks: { taskId: string }[] };
  return tasks.map(({ taskId }) => taskId);
}

async function mcp(service: RealService, name: string, given: object): Promise<string> {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } };
  return post(service, '/mcp', call);
}

/** All that readers are given of a task; not its ids, which join it with others. */
async function shownOf(service: RealService, taskId: string, include = ''): Promise<readonly string[]> {
  const id = encodeURIComponent(taskId);
  const text = await get(service, `/api/graph?collapse=none&taskIds=${id}${include}`);
  const { nodes } = JSON.parse(text) as ExplanationGraph;
  assert.ok(nodes.length >= 4, text);
  const answers = [
    text,
    ...(await Promise.all(
      EXPORT_FORMATS.map((of) => get(service, `/api/graph?format=${of}&taskIds=${id}${include}`)),
    )),
    ...(await Promise.all(nodes.map((node) => get(service, `/api/nodes/${encodeURIComponent(node.id)}`)))),
    ...(await Promise.all(
      ['why', 'summary'].map((question) => get(service, `/api/${question}?taskId=${id}`)),
    )),
    await mcp(service, 'get_graph', { taskId, collapse: 'none' }),
    ...(await Promise.all(
      nodes.map((node) => mcp(service, 'get_node', { nodeId: node.id, attributes: true })),
    )),
    await mcp(service, 'why', { taskId }),
    JSON.stringify(hitsOf(await get(service, '/api/search?text=item'), taskId)),
  ];
  return answers;
}

function hitsOf(page: string, taskId: string): readonly object[] {
  const { hits } = JSON.parse(page) as { readonly hits: readonly { readonly taskId: string }[] };
  return hits.filter((hit) => hit.taskId === taskId);
}

/** Markers of ids, which are those of the ids of nodes and tasks. */
function idMarkers(nodes: readonly ExplanationNode[]): ReadonlySet<string> {
  return new Set(nodes.flatMap(({ id, taskId }) => `${id} ${taskId}`.match(ANY_MARKER) ?? []));
}

function assertOneForEach(texts: readonly string[], what: string): ReadonlyMap<string, string> {
  const markers = new Map<string, string>();
  for (const [, number = '', marker = ''] of texts.join('\n').matchAll(NUMBERED)) {
    assert.equal(markers.get(number) ?? marker, marker, `${what}: item ${number}`);
    markers.set(number, marker);
  }
  assert.equal(new Set(markers.values()).size, markers.size, `${what}: different values differ`);
  return markers;
}

function assertApart(one: readonly string[], other: readonly string[], ids: ReadonlySet<string>): void {
  const [first, second] = [one, other].map(
    (texts) =>
      new Set(texts.flatMap((text) => text.match(ANY_MARKER) ?? []).filter((marker) => !ids.has(marker))),
  );
  assert.ok(first && second && first.size >= VALUES.length && second.size >= VALUES.length);
  assert.deepEqual([...first.intersection(second)], []);
}

test('[RD37] a value has one marker in a task and another in each other, wherever readers look, before and after it left memory', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await started(t, dataDir, FLAGS);
  const socket = new WebSocket(`${service.readers.replace('http', 'ws')}/explain`, [
    'explain',
    `explain.bearer.${TOKENS.token}`,
  ]);
  const frames: string[] = [];
  socket.addEventListener('message', ({ data }) => frames.push(String(data)));
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  socket.send(JSON.stringify({ type: 'subscribe', request: { collapse: 'none' } }));
  await sendBoth(service);
  const wanted = (tasks: readonly string[]): boolean => tasks.length === 2 && tasks.includes('T-one');
  await until('both tasks are there', async () => wanted(await tasksIn(service)));
  const other = (await tasksIn(service)).find((taskId) => taskId !== 'T-one') ?? '';
  assert.match(other, /^chat of \[EMAIL:[a-z2-7]{10}\]$/);

  const graph = JSON.parse(await get(service, '/api/graph?collapse=none')) as ExplanationGraph;
  const ids = idMarkers(graph.nodes);
  const common = await Promise.all(
    [
      '/api/tasks',
      '/api/patterns',
      `/api/compare?a=T-one&b=${encodeURIComponent(other)}`,
      '/api/spikes',
      '/metrics',
    ].map((path) => get(service, path)),
  );
  const live = [await shownOf(service, 'T-one'), await shownOf(service, other)] as const;
  const markers = live.map((texts, i) => assertOneForEach(texts, `task ${i}`));
  assert.equal(markers[0]?.size, VALUES.length);
  assertApart(...live, ids);
  await until('updates', () => markers.every((of) => frames.join('').includes(of.get('0') ?? '-')));
  for (const text of [...live.flat(), ...common, ...frames]) assert.doesNotMatch(text, TAG);
  socket.close();

  await post(service, '/api/prune', { olderThanMinutes: 0 });
  const include = '&include=archived';
  const archived = [
    await shownOf(service, 'T-one', include),
    await shownOf(service, other, include),
  ] as const;
  assertApart(...archived, ids);
  for (const [i, texts] of archived.entries()) {
    for (const text of texts) assert.doesNotMatch(text, TAG);
    for (const [number, marker] of assertOneForEach(texts, `archived task ${i}`))
      assert.equal(marker, markers[i]?.get(number), 'as before it left memory');
  }
  await service.stop();

  const again = await started(t, dataDir, FLAGS);
  const restored = await shownOf(again, 'T-one', include);
  assert.deepEqual(assertOneForEach(restored, 'after a restart'), markers[0]);
  await again.stop();
  assert.doesNotMatch(await readFile(join(dataDir, 'explain_graph.json'), 'utf8'), TAG);
  assert.doesNotMatch(again.log + service.log, TAG);
});

test('[RD37] ids join what is in different traces, markers lead to their originals, and a user is erased in all tasks', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await started(t, dataDir, FLAGS);
  await sendBoth(service);
  const graph = JSON.parse(await get(service, '/api/graph?collapse=none')) as ExplanationGraph;
  const nodeOf = (traceId = ''): string => `${traceId}:${'0a'.repeat(8)}`;
  const nameOf = (traceId = ''): string => graph.nodes.find(({ id }) => id === nodeOf(traceId))?.name ?? '';
  for (const [i, traceId] of TRACES.entries()) {
    const isCall = ({ id }: ExplanationNode): boolean =>
      id.startsWith('req:of [EMAIL:') && id.endsWith(`] in ${i}`);
    const detail = await get(service, `/api/nodes/${encodeURIComponent(graph.nodes.find(isCall)?.id ?? '')}`);
    assert.match(detail, /and again item 0 is/, 'the thought');
    assert.match(detail, /It says: item 0 is/, 'and the call');
    assert.ok(graph.edges.some(({ from, to }) => from.startsWith('event:') !== to.startsWith('event:')));
    const node = nodeOf(traceId);
    const revealed = await ask(service, { action: 'reveal', reason: 'ticket 7' }, TOKENS.adminToken, node);
    assert.match(revealed.text, /"notKept":0/);
    for (const value of VALUES) assert.ok(revealed.text.includes(`is ${value} ok`), value);
    const overriding = (markers: readonly string[] | null): object => ({
      action: 'override',
      reason: 'x',
      markers,
    });
    const foreign = overriding(nameOf(TRACES[1 - i]).match(ANY_MARKER));
    assert.equal((await ask(service, foreign, TOKENS.adminToken, node)).status, 404, 'of the other task');
    const own = overriding(nameOf(traceId).match(ANY_MARKER));
    assert.equal((await ask(service, own, TOKENS.adminToken, node)).status, 200);
    assert.match(await get(service, `/api/nodes/${encodeURIComponent(node)}`), /write to jo\.doe/);
  }
  await post(service, '/api/prune', { olderThanMinutes: 0 });
  await send(service, ...spansOf(0, 'T-one'));
  const erased = await post(service, '/api/erase', { userId: USER });
  assert.equal((JSON.parse(erased) as { tasks: string[] }).tasks.length, 2, erased);
  assert.deepEqual(await tasksIn(service), []);
});
