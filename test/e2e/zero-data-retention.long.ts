import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { ExplanationGraph, ExplanationNode } from '../../src/model/node.ts';
import { filesOf } from './files-of.ts';
import { RealService, temporaryFolder } from './real-service.ts';
import { SpawnedService } from './spawned-service.ts';
import { until } from '../support/until.ts';

const START_NS = 1_750_000_000_000_000_000n;
const START_MS = 1_750_000_000_000;
const TRACE = '12'.repeat(16);
const MARK = /zdrtext(\d{4})/g;

/** Words that no rule hides, one for each place, so that only the mode can keep them from coming out. */
class Texts {
  private readonly places: string[] = [];

  /** A sentence. */
  at(place: string): string {
    return `I think that ${this.word(place)} is what we need, so let us go on with it`;
  }

  word(place: string): string {
    this.places.push(place);
    return `zdrtext${String(this.places.length - 1).padStart(4, '0')}`;
  }

  /** Places whose text is in what came out. */
  foundIn(output: string): readonly string[] {
    return [...new Set([...output.matchAll(MARK)].map(([, n]) => this.places[Number(n)] ?? 'nowhere'))];
  }
}

/** Where conventions look for text. */
const TEXT_KEYS = [
  'prompt',
  'completion',
  'reasoning',
  'cot.text',
  'gen_ai.prompt',
  'gen_ai.completion',
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
  'input.value',
  'output.value',
  'llm.input_messages.0.message.content',
  'llm.output_messages.0.message.content',
  'ai.prompt',
  'ai.response.text',
  'ai.toolCall.args',
  'ai.toolCall.result',
  'traceloop.entity.input',
  'langfuse.observation.input',
  'exception.message',
  'user_prompt',
  'note',
];

const FIGURES = { 'model.name': 'llama-3', 'gen_ai.agent.name': 'CoderAgent', taskID: 'T1', requestId: 'r1' };

function span(spanId: string, texts: Readonly<Record<string, string>>, more: object = {}): object {
  const attributes = Object.entries(texts).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const tokens = { key: 'gen_ai.usage.input_tokens', value: { intValue: '900' } };
  return {
    traceId: TRACE,
    spanId: spanId.repeat(16),
    name: 'chat',
    startTimeUnixNano: String(START_NS),
    endTimeUnixNano: String(START_NS + 900_000_000n),
    attributes: [...attributes, tokens],
    ...more,
  };
}

function traces(texts: Texts): object {
  const message = (place: string): string =>
    JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: texts.at(place) }] }]);
  const called = [
    {
      role: 'assistant',
      parts: [{ type: 'tool_call', id: 'call-1', name: 'run_tests', arguments: { cmd: texts.at('call') } }],
    },
  ];
  const sentences = Object.fromEntries(TEXT_KEYS.map((key) => [key, texts.at(`sentence in ${key}`)]));
  const words = Object.fromEntries(TEXT_KEYS.map((key) => [key, texts.word(`word in ${key}`)]));
  const operation = (name: string): Record<string, string> => ({ 'gen_ai.operation.name': name });
  const spans = [
    span('1', { ...FIGURES, ...sentences, 'prompt.summary': 'fixes the parser' }),
    span('2', { ...operation('chat'), ...words }, { parentSpanId: '1'.repeat(16) }),
    span('3', {
      ...operation('chat'),
      'gen_ai.input.messages': message('gen_ai.input.messages'),
      'gen_ai.output.messages': JSON.stringify(called),
      'gen_ai.system_instructions': texts.at('instructions'),
    }),
    span('4', {
      ...operation('execute_tool'),
      'gen_ai.tool.name': 'run_tests',
      'gen_ai.tool.call.id': 'call-1',
      'gen_ai.tool.call.arguments': JSON.stringify({ cmd: texts.at('arguments') }),
      'gen_ai.tool.call.result': texts.word('result'),
    }),
    span(
      '5',
      {},
      {
        status: { code: 2, message: texts.at('status message') },
        events: [
          {
            name: 'exception',
            timeUnixNano: String(START_NS),
            attributes: ['type', 'message', 'stacktrace'].map((key) => ({
              key: `exception.${key}`,
              value: { stringValue: key === 'type' ? 'TypeError' : texts.at(`exception.${key}`) },
            })),
          },
        ],
      },
    ),
  ];
  return { resourceSpans: [{ scopeSpans: [{ spans }] }] };
}

function logs(texts: Texts): object {
  const attributes = [{ key: 'requestId', value: { stringValue: 'r2' } }];
  const logRecords = [
    { timeUnixNano: String(START_NS), body: { stringValue: texts.at('OTLP thought') }, attributes },
    { timeUnixNano: String(START_NS), body: { stringValue: texts.at('any log') } },
  ];
  return { resourceLogs: [{ scopeLogs: [{ logRecords }] }] };
}

function thoughts(texts: Texts): readonly object[] {
  const pieces = ['tokens', 'more tokens', 'last tokens'];
  return [
    {
      requestId: 'r1',
      timestamp: START_MS,
      text: texts.at('text'),
      summary: 'looks at the parser',
      final: true,
    },
    ...pieces.map((place, sequence) => ({
      requestId: 'r3',
      timestamp: START_MS,
      tokens: [texts.at(place), ' '],
      sequence,
      final: sequence === 2,
    })),
    { requestId: 'r4', timestamp: START_MS, tokens: [texts.at('tokens without an end')] },
    { requestId: 'r5', timestamp: START_MS, text: texts.word('one word') },
  ];
}

function events(texts: Texts): readonly object[] {
  const payload = {
    taskId: 'T1',
    requestId: 'r1',
    score: 7,
    reason: texts.word('reason'),
    message: texts.word('message'),
    diffSummary: texts.at('payload'),
    nested: { list: [texts.at('nested list')], [texts.at('nested key')]: 1 },
  };
  return [
    { eventID: 'e1', eventType: 'CodeFixApplied', component: 'critic-agent', timestamp: START_MS, payload },
  ];
}

/** What a spawned service and one in this process have in common. */
interface Target {
  post(path: string, body: unknown): Promise<Response>;
  text(path: string): Promise<string>;
}

async function plant(target: Target, texts: Texts): Promise<void> {
  for (const [path, body] of [
    ['/v1/traces', traces(texts)],
    ['/v1/logs', logs(texts)],
    ...thoughts(texts).map((thought) => ['/api/cot', thought] as const),
    ...events(texts).map((event) => ['/api/events', event] as const),
  ] as const) {
    const response = await target.post(path, body);
    assert.ok(response.ok, `${path} ${response.status}`);
  }
}

async function read(target: Target): Promise<string> {
  const graph = await target.text('/api/graph?collapse=none&include=ui');
  const { nodes } = JSON.parse(graph) as ExplanationGraph;
  const paths = [
    '/api/graph',
    '/api/tasks',
    '/metrics',
    ...nodes.map(({ id }) => `/api/nodes/${encodeURIComponent(id)}`),
  ];
  const texts = await Promise.all(paths.map((path) => target.text(path)));
  return [graph, ...texts].join('\n');
}

async function textOf(folder: string): Promise<string> {
  return (await filesOf(folder)).map(({ bytes }) => bytes.toString('latin1')).join('\n');
}

function inProcess(service: RealService): Target {
  const headers = { 'content-type': 'application/json' };
  return {
    post: (path, body) =>
      fetch((path.startsWith('/v1/') ? service.otlpHttp : service.readers) + path, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      }),
    text: async (path) => (await fetch(service.readers + path)).text(),
  };
}

async function start(t: TestContext, dataDir: string, flags: readonly string[]): Promise<RealService> {
  const service = await RealService.start({ dataDir, flags });
  t.after(() => service.stop());
  return service;
}

function shapeOf({ nodes, edges }: ExplanationGraph): {
  readonly nodes: readonly unknown[];
  readonly edges: readonly string[];
} {
  const node = ({ id, type, agent, taskId, state, status, tokensIn, latencyMs, model }: ExplanationNode) => [
    [id, type, agent, taskId, state, status, tokensIn, latencyMs, model],
  ];
  // Steps of a thought, and a query that was cut out of a prompt, are text and nothing else.
  const isText = ({ type, details }: ExplanationNode): boolean =>
    type === 'REASONING' || (type === 'USER_QUERY' && details?.['partOf'] !== undefined);
  const left = nodes.filter((shown) => !isText(shown));
  const ids = new Set(left.map(({ id }) => id));
  return {
    nodes: left.map(node).toSorted(),
    edges: edges
      .filter(({ from, to }) => ids.has(from) && ids.has(to))
      .map(({ id }) => id)
      .toSorted(),
  };
}

const MODE = ['--zero-data-retention', '--snapshot-interval-seconds', '1'];

test('[RD17] with zeroDataRetention the graph and its figures are the same, and no text comes out or is stored', async (t) => {
  const texts = new Texts();
  const dataDir = await temporaryFolder(t);
  const service = await start(t, dataDir, MODE);
  await plant(inProcess(service), texts);
  const shown = await read(inProcess(service));
  const graph = await service.graph();
  await service.stop();
  assert.deepEqual(texts.foundIn(shown + service.log), []);
  assert.deepEqual(texts.foundIn(await textOf(dataDir)), []);

  const again = await start(t, dataDir, MODE);
  assert.deepEqual(shapeOf(await again.graph()), shapeOf(graph), 'after a restart');
  assert.deepEqual(texts.foundIn(await read(inProcess(again))), []);
  await again.stop();

  const withTexts = await start(t, await temporaryFolder(t), []);
  await plant(inProcess(withTexts), texts);
  await until(
    'the stream without an end is there',
    async () => shapeOf(await withTexts.graph()).nodes.length === shapeOf(graph).nodes.length,
  );
  assert.deepEqual(shapeOf(await withTexts.graph()), shapeOf(graph), 'with texts');
  assert.ok(
    texts.foundIn(await read(inProcess(withTexts))).length > 40,
    'what was planted does come out without the mode',
  );
});

test('[RD17] summaries that senders wrote, ids, names and figures stay; what was cut out of a text does not', async (t) => {
  const service = await start(t, await temporaryFolder(t), MODE);
  await plant(inProcess(service), new Texts());
  const { nodes } = await service.graph();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const request = byId.get('req:r1');
  assert.equal(request?.promptSummary, 'looks at the parser');
  assert.equal(request.tokensIn, 900);
  assert.equal(request.details?.['thoughtChars'], undefined);
  assert.equal(byId.get('req:r3')?.promptSummary, undefined);
  assert.equal(byId.get('req:r3')?.state, 'ENDED');
  assert.equal(byId.get(`${TRACE}:${'4'.repeat(16)}`)?.details?.['toolName'], 'run_tests');
  assert.equal(byId.get(`${TRACE}:${'5'.repeat(16)}`)?.details?.['errorType'], 'TypeError');
  const { score, taskId, reason, diffSummary } = byId.get('event:e1')?.details ?? {};
  assert.deepEqual([score, taskId, reason, diffSummary], [7, 'T1', undefined, undefined]);
});

test('[RD17] what an earlier start has stored leaves the disk when the mode is turned on', async (t) => {
  const texts = new Texts();
  const dataDir = await temporaryFolder(t);
  const before = await start(t, dataDir, []);
  await plant(inProcess(before), texts);
  await before.stop();
  assert.ok(texts.foundIn(await textOf(dataDir)).length > 40);
  const after = await start(t, dataDir, MODE);
  assert.deepEqual(texts.foundIn(await textOf(dataDir)), [], 'as soon as it has started');
  assert.deepEqual(texts.foundIn(await read(inProcess(after))), []);
});

test('[RD17] nothing of the text is in memory when the step has ended: a snapshot of the heap has none', async (t) => {
  const texts = new Texts();
  const dataDir = await temporaryFolder(t);
  const heaps = await temporaryFolder(t);
  const flags = [
    ...MODE,
    '--port',
    '0',
    '--otlp-grpc-port',
    '0',
    '--otlp-http-port',
    '0',
    '--data-dir',
    dataDir,
  ];
  const node = `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${heaps}`;
  const service = new SpawnedService(t, dataDir, ['serve', ...flags], { NODE_OPTIONS: node });
  await until('the service is ready', () => {
    assert.equal(service.process.exitCode, null, service.stderr);
    return service.stdout.endsWith('ready\n');
  });
  const target: Target = {
    post: (path, body) => service.post(path, body),
    text: async (path) => (await fetch(`http://${service.readers}${path}`)).text(),
  };
  await plant(target, texts);
  // What was asked for last is all that a buffer of a connection may still hold.
  assert.deepEqual(texts.foundIn(await read(target)), []);
  const known = 'zdrknownword';
  await target.post('/api/cot', { requestId: known, timestamp: START_MS, text: 'x', final: true });
  service.process.kill('SIGUSR2');
  let heap = '';
  await until('the heap is written', async () => {
    const name = (await readdir(heaps)).find((file) => file.endsWith('.heapsnapshot'));
    heap = name === undefined ? '' : await readFile(join(heaps, name), 'latin1');
    return heap.trimEnd().endsWith('}');
  });
  assert.ok(heap.includes(known), 'an id that is kept is found in it');
  assert.deepEqual(texts.foundIn(heap), []);
  service.process.kill('SIGTERM');
  assert.equal(await service.exit(), 0);
  assert.deepEqual(texts.foundIn(service.stdout + service.stderr), []);
});
