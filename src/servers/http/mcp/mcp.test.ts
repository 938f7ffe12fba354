import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { startTestServers, type TestServers } from '../../../../test/support/test-servers.ts';
import { makeSpan } from '../../../../test/support/world.ts';
import { FILTERS } from '../../../model/filters.ts';
import { epochMs } from '../../../model/time.ts';

const TOKEN = 'token-for-tests';
const START = 1_750_000_000_000;

/** A run that fails at a check; the prompt of its call is long. */
function run(taskID: string, trace: string) {
  const step = (n: number, name: string, attrs: object, status: 'OK' | 'ERROR' = 'OK') =>
    makeSpan({
      traceId: trace.repeat(32),
      spanId: String(n).repeat(16),
      parentSpanId: n === 1 ? undefined : '1'.repeat(16),
      name,
      status,
      start: epochMs(START + 10 * n),
      end: epochMs(START + 10 * n + 5),
      attrs: { taskID, ...attrs },
    });
  return [
    step(1, 'run', {}),
    step(2, 'chat', { 'model.name': 'm', prompt: `begin ${'lorem ipsum '.repeat(3_000)}` }),
    step(3, 'unit tests', { 'test.name': 'unit tests' }, 'ERROR'),
  ];
}

describe('MCP', () => {
  let servers: TestServers;
  let url: URL;
  before(async () => {
    servers = await startTestServers({ auth: { token: TOKEN } });
    url = new URL(`http://127.0.0.1:${servers.address.port}/mcp`);
    await servers.feed([...run('T1', 'a'), ...run('T2', 'b')]);
  });
  after(() => servers.stop());

  async function connected<T>(use: (client: Client) => Promise<T>, token = TOKEN): Promise<T> {
    const client = new Client({ name: 'test', version: '1' });
    const headers = { authorization: `Bearer ${token}` };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  }

  async function call(
    name: string,
    args: Record<string, unknown> = {},
  ): Promise<{ readonly isError: boolean; readonly text: string }> {
    const { isError = false, content } = (await connected((client) =>
      client.callTool({ name, arguments: args }),
    )) as CallToolResult;
    const [first] = content;
    assert.equal(first?.type, 'text');
    return { isError, text: first.text };
  }

  async function answer(name: string, args: Record<string, unknown> = {}): Promise<unknown> {
    const { isError, text } = await call(name, args);
    assert.equal(isError, false, text);
    return JSON.parse(text);
  }

  const post = (body: string, headers: object = {}): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body,
    });

  test('[MC1] the official client lists the tools, and which do more than read', async () => {
    const { tools } = await connected((client) => client.listTools());
    assert.deepEqual(
      tools.map(({ name }) => name),
      [
        'list_tasks',
        'get_graph',
        'get_node',
        'why',
        'spikes',
        'summary',
        'search',
        'compare',
        'patterns',
        'list_adaptations',
        'get_adaptation',
        'update_adaptation',
        'reload_adaptations',
        'preview_adaptations',
        'adaptation_effect',
      ],
    );
    const changes = new Set(['update_adaptation', 'reload_adaptations']);
    for (const { name, description = '', inputSchema, annotations } of tools) {
      assert.ok(description.length > 20, name);
      assert.equal(inputSchema.type, 'object');
      assert.equal(annotations?.readOnlyHint, !changes.has(name), name);
    }
    assert.match(await connected(async (client) => client.getInstructions() ?? ''), /list_tasks/);
  });

  test('[MC1] the official client calls every tool, and gets what the readers get', async () => {
    const { reader } = servers;
    const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
    const failed = `${'a'.repeat(32)}:${'3'.repeat(16)}`;
    assert.deepEqual(
      await answer('list_tasks', { text: 'T1' }),
      json(await reader.listTasks({ text: 'T1' })),
    );
    const graph = json(reader.getGraph({ filters: { taskIds: ['T1'], status: ['ERROR'] } }));
    assert.deepEqual(await answer('get_graph', { taskId: 'T1', status: ['ERROR'] }), graph);
    assert.deepEqual(await answer('why', { nodeId: failed }), json(await reader.why({ nodeId: failed })));
    assert.deepEqual(await answer('why', { taskId: 'T1' }), json(await reader.why({ taskId: 'T1' })));
    assert.deepEqual(await answer('spikes'), json(await reader.spikes(undefined)));
    assert.deepEqual(await answer('summary', { taskId: 'T1' }), json(await reader.summary('T1')));
    assert.deepEqual(await answer('search', { text: 'lorem' }), json(await reader.search({ text: 'lorem' })));
    assert.deepEqual(
      await answer('compare', { a: 'T1', b: 'T2' }),
      json(await reader.compare({ a: 'T1', b: 'T2' })),
    );
    assert.deepEqual(
      await answer('patterns', { status: ['ERROR'] }),
      json(await reader.patterns({ status: ['ERROR'] })),
    );
    const { node } = (await answer('get_node', { nodeId: failed })) as { node: { id: string } };
    assert.equal(node.id, failed);
  });

  test('[MC1] every filter of the readers is one of get_graph and patterns', async () => {
    const { tools } = await connected((client) => client.listTools());
    const inputOf = (name: string): object =>
      tools.find((tool) => tool.name === name)?.inputSchema.properties ?? {};
    const names = Object.keys(FILTERS).sort();
    assert.deepEqual(Object.keys(inputOf('patterns')).sort(), names);
    const ofGraph = names.filter((name) => name !== 'taskIds');
    assert.deepEqual(Object.keys(inputOf('get_graph')).sort(), [...ofGraph, 'collapse', 'taskId'].sort());
    const given = {
      nodeTypes: ['LLM_CALL'],
      status: ['OK'],
      traceIds: ['a'.repeat(32)],
      sessionIds: ['s'],
      reasoningKinds: ['thought'],
      contextPaths: ['a/b'],
      minCostUsd: 0.5,
      minLatencyMs: 1,
      agentNames: ['CoderAgent'],
      timeRange: { start: '2020-01-01T00:00:00Z', end: '2030-01-01T00:00:00Z' },
      text: 'x',
    };
    assert.deepEqual(Object.keys(given).sort(), ofGraph);
    for (const [name, value] of Object.entries(given)) {
      const filters = { taskIds: ['T1'], [name]: value };
      const graph: unknown = JSON.parse(JSON.stringify(servers.reader.getGraph({ filters })));
      assert.deepEqual(await answer('get_graph', { taskId: 'T1', [name]: value }), graph, name);
    }
  });

  test('[MC2] long texts of a node are cut, and how long they are is said; attributes come when they are asked for', async () => {
    const nodeId = `${'a'.repeat(32)}:${'2'.repeat(16)}`;
    const detail = async (more = {}) =>
      (await answer('get_node', { nodeId, ...more })) as {
        readonly texts: { readonly prompt: string };
        readonly cut: object;
        readonly attributes?: object;
      };
    const { texts, cut, attributes } = await detail();
    assert.equal(texts.prompt.length, 20_000);
    assert.deepEqual(cut, { prompt: 'begin '.length + 36_000 });
    assert.equal(attributes, undefined);
    assert.ok((await detail({ attributes: true })).attributes);
  });
  test('[MC2] a graph of more than 2,000 nodes and edges is refused with how to ask for less', async () => {
    const many = Array.from({ length: 1_200 }, (_, i) =>
      makeSpan({
        traceId: 'c'.repeat(32),
        spanId: (i + 1).toString(16).padStart(16, '0'),
        parentSpanId: i === 0 ? undefined : '1'.padStart(16, '0'),
        start: epochMs(START + i),
        end: epochMs(START + i + 1),
        attrs: { taskID: 'T3' },
      }),
    );
    await servers.feed(many);
    const { isError, text } = await call('get_graph', { taskId: 'T3', collapse: 'none' });
    assert.ok(isError);
    assert.match(text, /^TOO_LARGE: the graph has 1200 nodes and 1199 edges, .* collapse auto$/);
    assert.equal((await call('get_graph', { taskId: 'T3' })).isError, false);
  });

  test('[MC3] wrong arguments and unknown tasks are told as results, by field and without their values', async () => {
    const cases = [
      ['summary', {}, /^INVALID_ARGUMENT: taskId: /],
      ['summary', { taskId: 7 }, /^INVALID_ARGUMENT: taskId: /],
      ['summary', { taskId: 'nobody' }, /^NOT_FOUND: taskId: no task/],
      ['why', {}, /^INVALID_ARGUMENT: nodeId/],
      ['why', { nodeId: 'a', taskId: 'b' }, /^INVALID_ARGUMENT: nodeId: give either/],
      ['get_node', { nodeId: 'nobody' }, /^NOT_FOUND: nodeId/],
      ['get_graph', { status: ['secret-word'] }, /^INVALID_ARGUMENT: status\.0: .*expected one of/],
      [
        'get_graph',
        { 'secret-word': 1 },
        /^INVALID_ARGUMENT: arguments: one is unknown; this tool takes taskId, nodeTypes, status/,
      ],
      ['list_tasks', { limit: 1e6 }, /^INVALID_ARGUMENT: limit/],
      ['search', { text: '' }, /^INVALID_ARGUMENT: text/],
      ['compare', { a: 'T1', b: 'T1' }, /^INVALID_ARGUMENT: b/],
    ] as const;
    for (const [name, args, message] of cases) {
      const { isError, text } = await call(name, args);
      assert.ok(isError, name);
      assert.match(text, message);
      assert.doesNotMatch(text, /secret-word/);
    }
    await assert.rejects(
      connected((client) => client.callTool({ name: 'drop_everything' })),
      /no such tool; there are list_tasks, /,
    );
  });

  test('[MC4] token, Host and Origin are asked for as on every other route', async () => {
    await assert.rejects(
      connected((client) => client.listTools(), 'wrong'),
      { code: 401 },
    );
    const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    assert.equal((await post(list, { authorization: '' })).status, 401);
    assert.equal((await post(list, { origin: 'http://evil.example' })).status, 403);
    assert.equal((await post(list)).status, 200);
  });

  test('[MC4] other methods, bodies that are no message, batches and too large ones are refused', async () => {
    const headers = { authorization: `Bearer ${TOKEN}`, accept: 'text/event-stream' };
    for (const method of ['GET', 'DELETE']) {
      const response = await fetch(url, { method, headers });
      assert.equal(response.status, 405);
      assert.equal(response.headers.get('allow'), 'POST');
    }
    const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    for (const bad of ['', '{', 'null', '7', `[${list},${list}]`, '{"jsonrpc":"1.0"}', '{}'])
      assert.equal((await post(bad)).status, 400, bad);
    assert.equal((await post(list, { accept: 'text/html' })).status, 406);
    assert.equal((await post(list, { 'content-type': 'text/plain' })).status, 415);
    assert.equal((await post(list, { 'mcp-protocol-version': '1999-01-01' })).status, 400);
    const large = await post(
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { x: 'x'.repeat(20e6) } }),
    );
    assert.equal(large.status, 413);
    const notified = await post('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    assert.deepEqual([notified.status, await notified.text()], [202, '']);
  });
});
