import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { connect } from '../../src/client/node.ts';
import { EXPORT_FORMATS } from '../../src/exporters/export-graph.ts';
import type { ExplanationGraph } from '../../src/model/node.ts';
import { until } from '../support/until.ts';
import { ADMIN, AUTH, Party, type Answer } from './parties.ts';
import { RealService, temporaryFolder } from './real-service.ts';
import { SpawnedService } from './spawned-service.ts';

const TRACE = 'ab'.repeat(16);
const START = 1_750_000_000_000_000_000n;

/** Steps, logs, thoughts, events and sessions, the same ids whoever sends them; each text has the sender's word. */
function everythingOf(word: string): readonly (readonly [string, object | string, string?])[] {
  const attribute = (key: string, stringValue: string): object => ({ key, value: { stringValue } });
  const span = (digit: number, name: string, parent?: number): object => ({
    traceId: TRACE,
    spanId: `${digit}`.repeat(16),
    ...(parent !== undefined && { parentSpanId: `${parent}`.repeat(16) }),
    name: `${word} ${name}`,
    kind: 1,
    startTimeUnixNano: String(START + BigInt(digit)),
    endTimeUnixNano: String(START + BigInt(digit * 1000)),
    attributes: [
      attribute('taskID', 'task'),
      attribute('requestId', `r${digit}`),
      attribute('component', `${word}-agent`),
      attribute('gen_ai.operation.name', 'chat'),
      attribute('gen_ai.request.model', `${word}-model`),
      attribute(
        'gen_ai.input.messages',
        JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: `what of ${word}?` }] }]),
      ),
    ],
    status: digit === 2 ? { code: 2, message: `${word} failed` } : {},
  });
  const spans = [span(1, 'root'), span(2, 'step', 1), span(3, 'other step', 1)];
  return [
    ['/v1/traces', { resourceSpans: [{ scopeSpans: [{ spans }] }] }],
    ['/api/cot', { requestId: 'r2', taskId: 'task', text: `I think of ${word}.`, final: true }],
    [
      '/api/events',
      {
        eventId: 'e1',
        eventType: 'CodeFixApplied',
        timestamp: 1_750_000_000_000,
        payload: { taskID: 'task', note: word },
      },
    ],
    [
      '/thoughtflow',
      {
        session_id: 'session',
        conversations: [{ conversation_id: 'c', steps: [{ step_id: 's', content: `said ${word}` }] }],
      },
    ],
    [
      '/ag-ui/events',
      [
        { type: 'RUN_STARTED', threadId: 'th', runId: 'run' },
        { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' },
        { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: `answered ${word}` },
        { type: 'TEXT_MESSAGE_END', messageId: 'm' },
        { type: 'RUN_FINISHED', threadId: 'th', runId: 'run' },
      ]
        .map((event) => `data: ${JSON.stringify(event)}\n\n`)
        .join(''),
      'text/event-stream',
    ],
  ];
}

async function graphOf(party: Party): Promise<ExplanationGraph> {
  const { status, text } = await party.get('/api/graph?collapse=none');
  assert.equal(status, 200, text);
  return JSON.parse(text) as ExplanationGraph;
}

async function sendAll(party: Party, word: string): Promise<void> {
  for (const [path, body, type] of everythingOf(word)) await party.send(path, body, type);
  await until('all of it is there', async () => {
    const { nodes } = await graphOf(party);
    const text = JSON.stringify(nodes);
    return text.includes(`${word} other step`) && nodes.length >= 6;
  });
}

/** Everything that can be read. */
async function outputs(party: Party): Promise<ReadonlyMap<string, Answer>> {
  const { nodes } = await graphOf(party);
  const paths = [
    ...EXPORT_FORMATS.map((format) => `/api/graph?collapse=none&format=${format}`),
    ...nodes.map(({ id }) => `/api/nodes/${encodeURIComponent(id)}`),
    ...nodes.map(({ id }) => `/api/why?nodeId=${encodeURIComponent(id)}`),
    '/api/tasks',
    '/api/patterns',
    '/api/spikes',
    '/api/spikes?taskId=task',
    '/api/why?taskId=task',
    '/api/summary?taskId=task',
    '/api/compare?a=task&b=session',
    '/api/search?text=alder',
    '/api/search?text=birch',
    '/api/tasks?text=birch',
    '/thoughtflow/session.json',
    '/thoughtflow/session.d2',
    '/thoughtflow/task.json',
    '/metrics',
    '/readyz',
    '/api/cell',
    '/api/cell/tasks',
  ];
  const found = new Map<string, Answer>();
  for (const path of paths) found.set(path, await party.get(path));
  found.set(
    'run',
    await party.post('/ag-ui/run', {
      threadId: 'th',
      runId: 'x',
      messages: [],
      tools: [],
      context: [],
      state: {},
      forwardedProps: {},
    }),
  );
  found.set('tool', await party.tool('get_graph', { taskId: 'task', collapse: 'none' }));
  found.set('tasks', await party.tool('list_tasks', {}));
  return found;
}

async function started(t: TestContext, flags: readonly string[] = []): Promise<RealService> {
  const service = await RealService.of(t, [...AUTH, ...flags]);
  return service;
}

test('[AC40] [AC11] two projects that send the same ids at once by every way each see their own, by every way', async (t) => {
  const service = await started(t);
  const [alder, birch] = [await Party.of(service.readers, 'alder'), await Party.of(service.readers, 'birch')];
  const watched = new Map<string, string>();
  for (const scheme of ['ws', 'grpc']) {
    for (const [name, { key }] of [
      ['alder', alder],
      ['birch', birch],
    ] as const) {
      const client = connect({ url: service.readers.replace('http', scheme), token: key });
      t.after(() => client.close());
      const subscription = client.subscribe({ collapse: 'none' });
      const keep = (what: unknown): void => {
        const shown = subscription.graph.mapNodes((_, node) => node);
        watched.set(`${name} ${scheme}`, JSON.stringify([watched.get(`${name} ${scheme}`), what, shown]));
      };
      subscription.on('change', keep);
      subscription.on('event', keep);
      await subscription.ready;
    }
  }
  await Promise.all([sendAll(alder, 'alder'), sendAll(birch, 'birch')]);
  await until(
    'all who watch have been told',
    () => [...watched].length === 4 && [...watched.values()].every((text) => text.includes('other step')),
  );
  const [ofAlder, ofBirch] = [await graphOf(alder), await graphOf(birch)];
  const ids = (graph: ExplanationGraph) => graph.nodes.map(({ id }) => id).sort();
  assert.deepEqual(ids(ofAlder), ids(ofBirch));
  for (const [name, party, other] of [
    ['alder', alder, 'birch'],
    ['birch', birch, 'alder'],
  ] as const) {
    for (const [path, { status, text }] of await outputs(party)) {
      assert.ok(status < 500, `${path}: ${text}`);
      const isAsked = path.endsWith(`text=${other}`);
      assert.ok(isAsked || !text.includes(other), `${name} reads of ${other} at ${path}: ${text}`);
      if (isAsked) assert.match(text, /^\{"(?:hits|tasks)":\[\]/);
    }
    for (const [who, text] of watched)
      if (who.startsWith(name)) assert.ok(!text.includes(other), `${who} is told of ${other}`);
  }
  // The default project has nothing, and neither metrics nor readiness say who is there.
  const admin = new Party(service.readers, ADMIN);
  assert.deepEqual((await graphOf(admin)).nodes, []);
  for (const path of ['/metrics', '/readyz', '/api/cell', '/api/cell/tasks']) {
    const { text } = await admin.get(path);
    assert.doesNotMatch(text, /alder|birch/);
  }
  for (const party of [alder, await Party.of(service.readers, 'default', ['analyst', 'sender'])])
    for (const path of ['/metrics', '/readyz', '/api/cell', '/api/cell/tasks'])
      assert.equal((await party.get(path)).status, 403, path);
  const monitor = await Party.of(service.readers, 'default', ['monitor']);
  assert.equal((await monitor.get('/readyz')).status, 200);
  const { text } = await monitor.get('/metrics');
  const held = /^explain_nodes_in_memory(?:\{[^}]*\})? (\d+)$/m.exec(text)?.[1];
  assert.equal(Number(held), ofAlder.nodes.length + ofBirch.nodes.length, text);
});

test('[AC40] an id of another project is answered as one that is nowhere, on every way', async (t) => {
  const service = await started(t);
  const [alder, birch] = [await Party.of(service.readers, 'alder'), await Party.of(service.readers, 'birch')];
  await sendAll(alder, 'alder');
  await birch.send('/api/cot', { requestId: 'own', taskId: 'own', text: 'mine', final: true });
  const node = (await graphOf(alder)).nodes.find(({ name }) => name === 'alder other step')?.id ?? '';
  assert.equal((await alder.get(`/api/nodes/${encodeURIComponent(node)}`)).status, 200);
  const asks: readonly ((task: string, node: string) => Promise<Answer>)[] = [
    (_, id) => birch.get(`/api/nodes/${encodeURIComponent(id)}`),
    (_, id) => birch.get(`/api/why?nodeId=${encodeURIComponent(id)}`),
    (_, id) => birch.get(`/api/graph?expand=${encodeURIComponent(id)}`),
    (task) => birch.get(`/api/why?taskId=${task}`),
    (task) => birch.get(`/api/graph?taskIds=${task}`),
    (task) => birch.get(`/api/spikes?taskId=${task}`),
    (task) => birch.get(`/api/summary?taskId=${task}`),
    (task) => birch.get(`/api/compare?a=own&b=${task}`),
    (task) => birch.get(`/thoughtflow/${task}.json`),
    (task) => birch.get(`/thoughtflow/${task}.d2`),
    (task) => birch.post('/api/replay', { taskId: task }),
    (task) => birch.post('/api/erase', { taskId: task }),
    (_, id) =>
      birch.post(`/api/nodes/${encodeURIComponent(id)}/redaction`, { action: 'reveal', reason: 'a test' }),
    (_, id) => birch.tool('get_node', { nodeId: id }),
    (_, id) => birch.tool('why', { nodeId: id }),
    (task) => birch.tool('get_graph', { taskId: task }),
    (task) => birch.tool('summary', { taskId: task }),
    (task) => birch.tool('compare', { a: 'own', b: task }),
  ];
  for (const [at, ask] of asks.entries()) {
    const theirs = await ask('task', node);
    const nowhere = await ask('ksat', node.replaceAll('3', '7'));
    const plain = ({ status, text }: Answer): string =>
      `${status} ${text
        .replaceAll(/ksat/g, 'task')
        .replaceAll(node.replaceAll('3', '7'), node)
        .replaceAll(/"lastUpdated":"[^"]*"/g, '')}`;
    assert.equal(plain(theirs), plain(nowhere), `question ${at}`);
  }
  // What was asked to be erased is there for those whose it is.
  assert.equal((await alder.get(`/api/nodes/${encodeURIComponent(node)}`)).status, 200);
});

test('[AC41] killed and started again, each project has what was acknowledged in it, and keys of both go on', async (t) => {
  const dataDir = await temporaryFolder(t);
  const first = await SpawnedService.ready(t, dataDir, AUTH);
  const base = `http://${first.readers}`;
  const [alder, birch] = [await Party.of(base, 'alder'), await Party.of(base, 'birch')];
  await Promise.all([sendAll(alder, 'alder'), sendAll(birch, 'birch')]);
  const before = [await graphOf(alder), await graphOf(birch)];
  first.process.kill('SIGKILL');
  await first.exit();
  const again = await SpawnedService.ready(t, dataDir, AUTH);
  const parties = [alder, birch].map((party) => party.at(`http://${again.readers}`));
  for (const [at, party] of parties.entries()) {
    const { nodes, edges } = await graphOf(party);
    const sorted = <T extends { readonly id: string }>(of: readonly T[]) =>
      of.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    assert.deepEqual(sorted(nodes), sorted(before[at]?.nodes ?? []));
    assert.deepEqual(sorted(edges), sorted(before[at]?.edges ?? []));
  }
});

test('[AC47] administrators of the default project are told of all projects, others of their own', async (t) => {
  const service = await RealService.of(t, AUTH);
  const namesFor = async (party: Party): Promise<Answer> => party.get('/api/projects');
  const shop = await Party.of(service.readers, 'shop');
  const lab = await Party.of(service.readers, 'lab', ['reader']);
  const operator = await Party.of(service.readers, 'default', ['operator']);
  const all = { status: 200, text: '{"projects":["default","lab","shop"]}' };
  assert.deepEqual(await namesFor(new Party(service.readers, ADMIN)), all);
  assert.deepEqual(await namesFor(shop), { status: 200, text: '{"projects":["shop"]}' });
  assert.deepEqual(await namesFor(lab), { status: 200, text: '{"projects":["lab"]}' });
  assert.deepEqual(await namesFor(operator), { status: 200, text: '{"projects":["default"]}' });
});
