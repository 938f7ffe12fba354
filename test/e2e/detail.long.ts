import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { WebSocket } from 'ws';
import type { ExplanationGraph } from '../../src/model/node.ts';
import { explainService } from '../../src/servers/grpc/load-proto.ts';
import { until } from '../support/until.ts';
import { plantedEvents, plantedLogs, plantedThoughts, plantedTraces } from './planted.ts';
import type { RealService } from './real-service.ts';
import { serviceWithKeys } from './service-with-keys.ts';
import { WordsOfTexts } from './words-of-texts.ts';

async function post(service: RealService, key: string, path: string, body: unknown): Promise<string> {
  const response = await fetch(service.readers + path, {
    method: 'POST',
    headers: {
      'x-api-key': key,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return `${response.status} ${await response.text()}`;
}

/** Texts in every field of every way in. */
async function sendTexts(service: RealService, key: string, words: WordsOfTexts): Promise<void> {
  const say = (place: string): string => words.at(`ways: ${place}`);
  const taken = async (path: string, body: unknown): Promise<void> => {
    const answer = await post(service, key, path, body);
    assert.match(answer, /^20[02] /, path);
  };
  await taken('/v1/traces', plantedTraces(words, 'OTLP', 1));
  await taken('/v1/traces', plantedTraces(words, 'OTLP again', 2));
  await taken('/v1/logs', plantedLogs(words, 'OTLP'));
  for (const thought of plantedThoughts(words, 'cot')) await taken('/api/cot', thought);
  for (const event of plantedEvents(words, 'events')) await taken('/api/events', event);
  await taken('/ag-ui/events?taskId=ag-ui-task', [
    { type: 'RUN_STARTED', threadId: 'ag-ui-task', runId: 'run-1', input: agUiInput(say) },
    { type: 'TEXT_MESSAGE_START', messageId: 'm1', role: 'assistant' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta: say('message') },
    { type: 'TEXT_MESSAGE_END', messageId: 'm1' },
    { type: 'TOOL_CALL_START', toolCallId: 'call-1', toolCallName: 'lookup' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'call-1', delta: JSON.stringify({ q: say('arguments') }) },
    { type: 'TOOL_CALL_END', toolCallId: 'call-1' },
    { type: 'TOOL_CALL_RESULT', messageId: 'm2', toolCallId: 'call-1', content: say('result') },
    { type: 'STATE_SNAPSHOT', snapshot: { note: say('state') } },
    { type: 'CUSTOM', name: say('name of an event'), value: say('value of an event') },
    { type: 'RUN_ERROR', message: say('run error'), code: say('code of an error') },
  ]);
  await taken('/thoughtflow', {
    session_id: 'flow-task',
    title: say('title'),
    conversations: [
      {
        conversation_id: 'c1',
        label: say('label'),
        steps: [
          {
            step_id: 's1',
            label: say('step label'),
            prompt: say('flow prompt'),
            response: say('flow response'),
            metadata: { note: say('metadata') },
          },
        ],
      },
    ],
  });
}

function agUiInput(say: (place: string) => string): object {
  return {
    threadId: 'ag-ui-task',
    runId: 'run-1',
    state: { note: say('input state') },
    messages: [{ id: 'u1', role: 'user', content: say('question') }],
    tools: [{ name: 'lookup', description: say('description'), parameters: {} }],
    context: [{ description: say('context'), value: say('context value') }],
    forwardedProps: {},
  };
}

/** What comes live: frames of a WebSocket and of a gRPC stream. */
class Following {
  readonly frames: string[] = [];
  private readonly socket: WebSocket;
  private readonly client: Client;

  constructor(service: RealService, key: string) {
    this.socket = new WebSocket(`${service.readers.replace('http', 'ws')}/explain`, {
      headers: { 'x-api-key': key },
    });
    this.socket.on('message', (data: Buffer) => this.frames.push(data.toString('utf8')));
    this.socket.on('open', () => {
      for (const collapse of ['none', 'auto'])
        this.socket.send(
          JSON.stringify({ type: 'subscribe', requestId: collapse, request: { collapse, include: ['ui'] } }),
        );
    });
    this.client = new Client(addressOf(service), credentials.createInsecure());
    const stream = this.client.makeServerStreamRequest(
      pathOf('Subscribe'),
      serializerOf('Subscribe'),
      asLatin1,
      { collapse: 'none', include: ['ui'] },
      saying(key),
    );
    stream.on('data', (text: string) => this.frames.push(text));
    stream.on('error', () => undefined);
  }

  async close(): Promise<void> {
    this.client.close();
    this.socket.close();
    await once(this.socket, 'close');
  }
}

function addressOf(service: RealService): string {
  const { host, port } = service.service.addresses.readers;
  return `${host}:${port}`;
}

function pathOf(method: string): string {
  return `/explain.v1.ExplainService/${method}`;
}

function serializerOf(method: string): (message: object) => Buffer {
  const known = explainService[method];
  assert.ok(known, method);
  return known.requestSerialize;
}

const asLatin1 = (bytes: Buffer): string => bytes.toString('latin1');

function saying(key: string): Metadata {
  const metadata = new Metadata();
  metadata.set('x-api-key', key);
  return metadata;
}

/** Everything that somebody with a key is answered, by the question. */
async function everything(service: RealService, key: string): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>();
  const get = async (path: string): Promise<string> => {
    const response = await fetch(service.readers + path, { headers: { 'x-api-key': key } });
    const text = await response.text();
    answers.set(`GET ${path}`, `${response.status} ${text} ${JSON.stringify([...response.headers])}`);
    return text;
  };
  const ask = async (path: string, body: object, name = ''): Promise<void> => {
    answers.set(`POST ${path} ${name}`, await post(service, key, path, body));
  };
  for (const format of [
    'explanation',
    'cytoscape',
    'd3',
    'graphology',
    'mermaid',
    'dot',
    'd2',
    'otlp',
    'thoughtflow',
  ])
    for (const collapse of ['none', 'auto'])
      await get(`/api/graph?include=ui&collapse=${collapse}&format=${format}`);
  const { nodes } = JSON.parse(await get('/api/graph?collapse=none')) as ExplanationGraph;
  const nodeIds = nodes.map(({ id }) => id);
  const taskIds = [...new Set(nodes.map(({ taskId }) => taskId))];
  const tool = async (name: string, given: object): Promise<void> =>
    ask(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
      `${name} ${JSON.stringify(given)}`,
    );
  await ask('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' });
  for (const path of ['/api/tasks', '/api/spikes', '/api/patterns', '/metrics', '/readyz', '/nowhere'])
    await get(path);
  for (const name of ['list_tasks', 'get_graph', 'spikes', 'patterns']) await tool(name, {});
  for (const id of nodeIds) {
    await get(`/api/nodes/${encodeURIComponent(id)}`);
    await get(`/api/why?nodeId=${encodeURIComponent(id)}`);
    await tool('get_node', { nodeId: id, attributes: true });
  }
  for (const id of taskIds) {
    const named = encodeURIComponent(id);
    for (const path of [
      `/api/why?taskId=${named}`,
      `/api/summary?taskId=${named}`,
      `/thoughtflow/${named}.json`,
      `/thoughtflow/${named}.d2`,
      `/api/compare?a=${named}&b=${encodeURIComponent(taskIds.find((other) => other !== id) ?? '')}`,
    ])
      await get(path);
    await tool('why', { taskId: id });
    await tool('summary', { taskId: id });
  }
  await ask('/ag-ui/run', { threadId: 'ag-ui-task', runId: 'asked' });
  await callEverything(service, key, { nodeIds, taskIds }, answers);
  return answers;
}

async function callEverything(
  service: RealService,
  key: string,
  { nodeIds, taskIds }: { readonly nodeIds: readonly string[]; readonly taskIds: readonly string[] },
  answers: Map<string, string>,
): Promise<void> {
  const client = new Client(addressOf(service), credentials.createInsecure());
  const call = (method: string, message: object): Promise<void> =>
    new Promise((resolve) => {
      client.makeUnaryRequest(
        pathOf(method),
        serializerOf(method),
        asLatin1,
        message,
        saying(key),
        (error, answer = '') => {
          answers.set(`gRPC ${method} ${JSON.stringify(message)}`, error?.details ?? answer);
          resolve();
        },
      );
    });
  for (const collapse of ['none', 'auto']) await call('GetGraph', { collapse, include: ['ui'] });
  for (const nodeId of nodeIds) await call('GetNode', { nodeId });
  for (const taskId of taskIds) {
    await call('Why', { taskId });
    await call('Summary', { taskId });
  }
  await call('ListTasks', {});
  await call('Spikes', {});
  await call('Patterns', {});
  await call('Compare', { a: taskIds[0], b: taskIds[1] });
  client.close();
}

test('[AC24] a key that sees and does not read finds no text on any way out; one that reads finds it', async (t) => {
  const { service, keys } = await serviceWithKeys(t, {
    sender: { roles: ['sender'] },
    reader: { roles: ['reader'] },
    analyst: { roles: ['analyst'] },
  });
  const words = new WordsOfTexts();
  const [reader, analyst] = [new Following(service, keys.reader), new Following(service, keys.analyst)];
  await until('both follow', () => reader.frames.length >= 3 && analyst.frames.length >= 3);
  await sendTexts(service, keys.sender, words);
  await until('what was sent is shown', () =>
    [reader, analyst].every(({ frames }) => frames.join('').includes('flow-task')),
  );
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  const toReader = await everything(service, keys.reader);
  const toAnalyst = await everything(service, keys.analyst);
  await Promise.all([reader.close(), analyst.close()]);
  assert.ok(words.count > 150, `${words.count} texts were sent`);
  for (const [question, answer] of toReader) assert.deepEqual(words.placesIn(answer), [], question);
  for (const frame of reader.frames) assert.deepEqual(words.placesIn(frame), []);
  // What is not kept at all (schemas, scopes, resources, states of traces) is found by nobody.
  const found = new Set([...toAnalyst.values(), ...analyst.frames].flatMap((text) => words.placesIn(text)));
  assert.ok(found.size > 120, `${found.size} of ${words.count} places are read by who may`);
  for (const place of ['prompt', 'flow response', 'question', 'arguments', 'result', 'message'])
    assert.ok(found.has(`ways: ${place}`) || found.has(`ways: flow ${place}`), place);
  const answered = [...toReader].filter(([, answer]) => answer.startsWith('200 ')).length;
  assert.ok(answered > 60, `${answered} questions were answered`);
});
