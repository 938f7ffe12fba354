import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { WebSocket } from 'ws';
import type { ExplanationGraph } from '../../src/model/node.ts';
import { explainService } from '../../src/servers/grpc/load-proto.ts';
import type { RealService } from './real-service.ts';

/** @returns the status, a blank and the body */
export async function post(service: RealService, key: string, path: string, body: unknown): Promise<string> {
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

/** What comes live: frames of a WebSocket and of a gRPC stream. */
export class Following {
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
export async function everything(service: RealService, key: string): Promise<ReadonlyMap<string, string>> {
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
    'mew',
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
