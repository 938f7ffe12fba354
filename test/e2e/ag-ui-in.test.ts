import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { startTee } from '../../src/service/ag-ui/tee.ts';
import { keptEventsOf } from '../../src/model/ag-ui-events.ts';
import type { NodeDetail } from '../../src/model/reader-messages.ts';
import { until } from '../support/until.ts';
import { filesOf } from './files-of.ts';
import { RealService, temporaryFolder } from './real-service.ts';

/** Made up: no provider has keys like these. */
const SECRET = `sk-ant-api03-${'Ab3dEf9h'.repeat(8)}`;
const CIPHER = 'ZW5jcnlwdGVkLXJlYXNvbmluZy1vZi1hLW1vZGVs';
const STARTED = { type: 'RUN_STARTED', threadId: 'th', runId: 'run' };
const FINISHED = { type: 'RUN_FINISHED', threadId: 'th', runId: 'run' };
const CUTS = [10, 20, 40];

function pieces(text: string): readonly string[] {
  return [...CUTS, text.length].map((end, i) => text.slice(CUTS[i - 1] ?? 0, end));
}

/** A stream in which the same secret is cut in pieces in every text, and something encrypted is everywhere. */
const EVENTS: readonly { readonly type: string; readonly [field: string]: unknown }[] = [
  STARTED,
  { type: 'REASONING_START', messageId: 'th-1' },
  { type: 'REASONING_MESSAGE_START', messageId: 'th-1', role: 'reasoning' },
  ...pieces(`the key ${SECRET} is theirs`).map((delta) => ({
    type: 'REASONING_MESSAGE_CONTENT',
    messageId: 'th-1',
    delta,
  })),
  { type: 'REASONING_MESSAGE_END', messageId: 'th-1' },
  { type: 'REASONING_END', messageId: 'th-1' },
  { type: 'REASONING_ENCRYPTED_VALUE', subtype: 'message', entityId: 'th-1', encryptedValue: CIPHER },
  { type: 'TOOL_CALL_START', toolCallId: 'c-1', toolCallName: 'call_api', parentMessageId: 'm-0' },
  ...pieces(`{"note":"use ${SECRET} for it"}`).map((delta) => ({
    type: 'TOOL_CALL_ARGS',
    toolCallId: 'c-1',
    delta,
  })),
  { type: 'TOOL_CALL_END', toolCallId: 'c-1' },
  { type: 'TOOL_CALL_RESULT', messageId: 'r-1', toolCallId: 'c-1', content: `used ${SECRET}` },
  { type: 'STATE_DELTA', delta: [{ op: 'add', path: '/last/encryptedValue', value: CIPHER }] },
  { type: 'RAW', event: { encrypted_content: CIPHER, nested: [{ encryptedValue: CIPHER }] } },
  {
    type: 'MESSAGES_SNAPSHOT',
    messages: [
      { id: 'th-1', role: 'reasoning', content: 'hidden', encryptedValue: CIPHER },
      {
        id: 'm-0',
        role: 'assistant',
        toolCalls: [
          { id: 'c-1', type: 'function', function: { name: 'x', arguments: '{}' }, encryptedValue: CIPHER },
        ],
      },
    ],
  },
  { type: 'TEXT_MESSAGE_START', messageId: 'm-1', role: 'assistant' },
  ...pieces(`I used ${SECRET} for it`).map((delta) => ({
    type: 'TEXT_MESSAGE_CONTENT',
    messageId: 'm-1',
    delta,
  })),
  { type: 'TEXT_MESSAGE_END', messageId: 'm-1' },
  FINISHED,
];

async function started(
  t: TestContext,
  flags: readonly string[] = [],
  dataDir?: string,
): Promise<RealService> {
  const service = await RealService.start({ dataDir: dataDir ?? (await temporaryFolder(t)), flags });
  t.after(() => service.stop());
  return service;
}

async function post(service: RealService, events: unknown, query = ''): Promise<void> {
  const answer = await fetch(`${service.readers}/ag-ui/events${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(events),
  });
  assert.equal(answer.status, 202, await answer.text());
}

/** What any reader is told of the graph and its nodes. */
async function allRead(service: RealService): Promise<string> {
  const graph = await service.graph();
  const details = graph.nodes.map(({ id }) => service.json(`/api/nodes/${encodeURIComponent(id)}`));
  return JSON.stringify([graph, await Promise.all(details), await service.json('/api/search?text=used')]);
}

/** All frames that a subscriber gets until it has seen the run end. */
async function watched(service: RealService, work: () => Promise<void>): Promise<string> {
  const socket = new WebSocket(`${service.readers.replace('http', 'ws')}/explain`);
  const frames: string[] = [];
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  socket.addEventListener('message', ({ data }) => frames.push(String(data)));
  socket.send(JSON.stringify({ type: 'subscribe', filters: {}, collapse: 'none' }));
  await until('the subscription', () => frames.length > 0);
  await work();
  await until('the end of the run', () => frames.some((frame) => frame.includes('"agUiEvents":')));
  socket.close();
  return frames.join('\n');
}

test('[AG8] conformance 6, 7: nothing encrypted and no secret that is cut in pieces is in any answer, update, log or file', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await started(t, [], dataDir);
  const updates = await watched(service, async () => {
    for (const event of EVENTS) await post(service, event, '?taskId=T');
  });
  const read = await allRead(service);
  assert.match(read, /characters, sha256 [0-9a-f]{64}/);
  assert.match(read, /\[SECRET:/);
  await service.stop();
  const files = await filesOf(dataDir);
  for (const [place, text] of Object.entries({
    read,
    updates,
    log: service.log,
    files: files.map(({ bytes }) => bytes.toString('latin1')).join('\n'),
  }))
    for (const hidden of [CIPHER, SECRET, SECRET.slice(13, 40), SECRET.slice(-30)])
      assert.ok(!text.includes(hidden), `${place} holds what is hidden`);
});

test('[AG6] events are there while the run goes on, after a restart and in the archive, in their order', async (t) => {
  const dataDir = await temporaryFolder(t);
  const types = (events: readonly { readonly type: string }[]): readonly string[] =>
    events
      .map(({ type }) => type)
      .filter((type, i, all) => all[i - 1] !== type || !/CONTENT|ARGS/.test(type));
  const kept = async (service: RealService): Promise<readonly string[]> => {
    const { nodes } = await service.graph();
    const root = nodes.find(({ name }) => name === 'AG-UI run');
    const detail = (await service.json(`/api/nodes/${encodeURIComponent(root?.id ?? '')}`)) as NodeDetail;
    return types(keptEventsOf(detail).map(({ event }) => event));
  };
  const first = await RealService.start({ dataDir });
  for (const [i, event] of EVENTS.slice(0, 12).entries()) {
    await post(first, event, '?taskId=T');
    assert.deepEqual(await kept(first), types(EVENTS.slice(0, i + 1)));
  }
  await first.stop();
  const second = await started(t, [], dataDir);
  assert.deepEqual(await kept(second), types(EVENTS.slice(0, 12)));
  // What is half known goes on in the same steps.
  for (const event of EVENTS.slice(12)) await post(second, event, '?taskId=T&runId=run');
  const { nodes } = await second.graph();
  const tool = nodes.find(({ type }) => type === 'TOOL_CALL');
  assert.equal(tool?.state, 'ENDED');
  assert.equal(nodes.filter(({ type }) => type === 'TOOL_CALL').length, 1);
  const before = await allRead(second);
  await fetch(`${second.readers}/api/prune`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ olderThanMinutes: 0 }),
  });
  const ids = nodes.map(({ id }) => id);
  const archived = await Promise.all(ids.map((id) => second.json(`/api/nodes/${encodeURIComponent(id)}`)));
  for (const detail of archived as NodeDetail[])
    for (const text of Object.values(detail.texts ?? {})) assert.ok(before.includes(JSON.stringify(text)));
  assert.ok(archived.some((detail) => keptEventsOf(detail as NodeDetail).length > 0));
});

test('[AG9] a mixed task is one graph: OTLP, AG-UI and thoughts under one task id', async (t) => {
  const service = await started(t);
  await post(service, EVENTS, '?taskId=T&agent=one');
  await post(service, EVENTS, '?taskId=T&agent=two');
  await fetch(`${service.readers}/api/cot`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ requestId: 'alone', timestamp: '2025-01-01T00:00:00Z', text: 'x', taskId: 'T' }),
  });
  const { nodes, edges } = await service.graph('collapse=none&taskIds=T');
  const reached = new Set([nodes[0]?.id ?? '']);
  for (let before = 0; before < reached.size;) {
    before = reached.size;
    for (const { from, to } of edges)
      if (reached.has(from) || reached.has(to)) {
        reached.add(from);
        reached.add(to);
      }
  }
  assert.equal(reached.size, nodes.length);
  assert.equal(nodes.filter(({ name }) => name === 'AG-UI run').length, 2);
});

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

async function agent(t: TestContext, answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => (body += String(piece)));
    request.on('end', () => answer(request, response, body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/agent`;
}

function proxied(
  service: RealService,
  url: string,
  init: RequestInit = {},
  runId = 'run',
): Promise<Response> {
  return fetch(`${service.readers}/ag-ui/proxy?url=${encodeURIComponent(url)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      threadId: 'th',
      runId,
      state: {},
      messages: [{ id: 'th-1', role: 'reasoning', content: 'x' }],
      tools: [],
      context: [],
    }),
    ...init,
  });
}

test('[AG10] what lets the client in here does not go to the agent; what the client has for the agent does', async (t) => {
  let heard: IncomingMessage['headers'] = {};
  const url = await agent(t, (request, response) => {
    heard = request.headers;
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end();
  });
  const auth = JSON.stringify({ token: 'token-of-the-test' });
  const service = await started(t, ['--ag-ui-agents', JSON.stringify([url]), '--auth', auth]);
  const ours = {
    'x-api-key': 'token-of-the-test',
    'x-explain-csrf': 'token-of-the-test',
    'x-forwarded-for': '10.0.0.1',
    cookie: 'explain=token-of-the-test',
  };
  const theirs = { 'x-agent-authorization': 'Bearer a', 'x-agent-api-key': 'b', 'x-tenant': 'c' };
  // Without theirs, too: one of them takes the place of the client's key.
  for (const sent of [{}, theirs]) {
    const answer = await proxied(service, url, {
      headers: { 'content-type': 'application/json', ...ours, ...sent },
    });
    assert.equal(answer.status, 200);
    await answer.text();
    assert.doesNotMatch(JSON.stringify(heard), /token-of-the-test|10\.0\.0\.1/);
    const { authorization, 'x-api-key': key, 'x-tenant': tenant } = heard;
    assert.deepEqual(
      [authorization, key, tenant],
      sent === theirs ? ['Bearer a', 'b', 'c'] : Array(3).fill(undefined),
    );
  }
});

test('[AG10] what an agent answers is passed on unchanged, at once, and taken in', async (t) => {
  const stream = EVENTS.map((event) => `: ping\r\ndata: ${JSON.stringify(event)}\r\n\r\n`).join('');
  let finish = (): void => {};
  const url = await agent(t, (request, response) => {
    assert.equal(request.headers.authorization, 'Bearer of-the-agent');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(stream.slice(0, 100));
    finish = () => response.end(stream.slice(100));
  });
  const service = await started(t, ['--ag-ui-agents', JSON.stringify([url])]);
  const answer = await proxied(service, url, {
    headers: { 'content-type': 'application/json', 'x-agent-authorization': 'Bearer of-the-agent' },
  });
  assert.equal(answer.headers.get('content-type'), 'text/event-stream');
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let read = (await reader?.read())?.value ?? '';
  // The first piece was passed on before there was more.
  assert.equal(read, stream.slice(0, 100));
  finish();
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) read += next.value;
  assert.equal(read, stream);
  await until('the run is taken in', async () =>
    (await service.graph()).nodes.some(({ name, state }) => name === 'AG-UI run' && state === 'ENDED'),
  );
});

test('[AG33] through the proxy, and through a tee, a task is known by what the user asked, though the agent does not repeat it', async (t) => {
  const url = await agent(t, (_request, response, body) => {
    const { runId } = JSON.parse(body) as { readonly runId: string };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const type of ['RUN_STARTED', 'RUN_FINISHED'])
      response.write(`data: ${JSON.stringify({ type, threadId: 'th', runId })}\n\n`);
    response.end();
  });
  const service = await started(t, ['--ag-ui-agents', JSON.stringify([url])]);
  const tee = await startTee({
    agent: new URL(url),
    port: 0,
    allowedOrigins: [],
    deliver: async (body, runId) => {
      const to = `${service.readers}/ag-ui/events?runId=${runId}`;
      const init = {
        method: 'POST',
        headers: { 'content-type': 'text/event-stream' },
        body: new Uint8Array(body),
      };
      assert.equal((await fetch(to, init)).status, 202);
    },
    onLost: () => assert.fail('nothing is lost'),
  });
  t.after(() => tee.close());
  const inputOf = (runId: string, content: string): string =>
    JSON.stringify({ threadId: 'th', runId, messages: [{ id: 'u', role: 'user', content }] });
  await (await proxied(service, url, { body: inputOf('proxied', 'Why is the sky blue?') })).text();
  const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
  await (await fetch(tee.url, { ...init, body: inputOf('teed', 'Who wrote Faust?') })).text();
  await until('both tasks have their question as a title', async () => {
    const { tasks } = (await service.json('/api/tasks')) as {
      readonly tasks: readonly { readonly taskId: string; readonly title?: string }[];
    };
    const titles = new Map(tasks.map(({ taskId, title }) => [taskId, title]));
    return titles.get('proxied') === 'Why is the sky blue?' && titles.get('teed') === 'Who wrote Faust?';
  });
});

test('[AN15] why a run of AG-UI failed is what its RUN_ERROR says', async (t) => {
  const service = await started(t);
  await post(service, [STARTED, { type: 'RUN_ERROR', message: 'the provider is down', code: 'E503' }]);
  const answer = await service.json('/api/why?taskId=run');
  assert.partialDeepStrictEqual(answer, { outcome: { error: { text: 'the provider is down' } } });
  assert.ok(!('unexplained' in (answer as object)));
});

test('[AG10] only configured URLs are asked for, to the letter, and no redirect is followed', async (t) => {
  let asked = 0;
  const url = await agent(t, (_request, response) => {
    asked++;
    response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end();
  });
  const service = await started(t, ['--ag-ui-agents', JSON.stringify([url])]);
  for (const other of [
    url.replace('127.0.0.1', 'localhost'),
    url.replace('127.0.0.1', '2130706433.nip.io'),
    url.replace('http://', 'http://user@'),
    `${url}/../admin`,
    `${url}?more`,
    'file:///etc/passwd',
    'nonsense',
  ])
    assert.equal((await proxied(service, other)).status, 403, other);
  assert.equal((await fetch(`${service.readers}/ag-ui/proxy`, { method: 'POST', body: '{}' })).status, 400);
  assert.equal(asked, 0);
  const redirected = await proxied(service, url);
  assert.equal(redirected.status, 503);
  assert.match(await redirected.text(), /redirect/);
  assert.deepEqual((await service.graph()).nodes, []);
});

test('[AG10] who goes away is followed by the other, and an answer that is cut off is not passed on as whole', async (t) => {
  let left = 0;
  const url = await agent(t, (_request, response, body) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify(STARTED)}\n\n`);
    response.on('close', () => left++);
    if (body.includes('"cut"')) setTimeout(() => response.destroy(), 50);
  });
  const service = await started(t, ['--ag-ui-agents', JSON.stringify([url])]);
  const leaving = new AbortController();
  const answer = await proxied(service, url, { signal: leaving.signal });
  await answer.body?.getReader().read();
  leaving.abort();
  await until('the agent knows that nobody reads', () => left === 1);
  const cut = await proxied(service, url, {}, 'cut');
  await assert.rejects(cut.text());
});

test('[AG11] with forwardEncrypted the next turn gets its values back; without it, it does not', async (t) => {
  const inputs: string[] = [];
  const url = await agent(t, (_request, response, body) => {
    inputs.push(body);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(EVENTS.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
  });
  const flags = ['--ag-ui-agents', JSON.stringify([url])];
  for (const [more, expected] of [
    [[], [false, false]],
    [['--forward-encrypted'], [false, true]],
  ] as const) {
    inputs.length = 0;
    const service = await started(t, [...flags, ...more]);
    await (await proxied(service, url)).text();
    await until('the first turn is taken in', async () =>
      (await service.graph()).nodes.some(({ name, state }) => name === 'AG-UI run' && state === 'ENDED'),
    );
    await (await proxied(service, url)).text();
    assert.ok(!(await allRead(service)).includes(CIPHER));
    assert.deepEqual(
      inputs.map((input) => input.includes(CIPHER)),
      expected,
    );
  }
});
