import assert from 'node:assert/strict';
import fc from 'fast-check';
import { encodeProtoEvent } from '../../../src/servers/http/ag-ui/encode-proto.ts';
import type { ExplanationGraph, GraphUpdate } from '../../../src/model/node.ts';
import { applyUpdate } from '../../../src/model/apply-update.ts';
import type { SpanRecord } from '../../../src/model/records.ts';
import { RealService, temporaryFolder } from '../../e2e/real-service.ts';
import type { WireEvent } from '../../support/ag-ui-verifier.ts';
import { streamArbitrary } from '../../support/ag-ui-streams.ts';
import { span, type SpanWords } from '../../support/records.ts';
import { spanArbitrary } from '../../support/world.ts';
import { until } from '../../support/until.ts';
import type { Steps } from '../steps/steps.ts';
import { withoutWarnings, type Message, type Official } from './official.ts';

const PROTO = 'application/vnd.ag-ui.event+proto';
const CASES = 60;

interface Shown {
  readonly events: readonly WireEvent[];
  readonly messages: readonly Message[];
}

/** AG-UI out, judged by the official packages. */
export async function judgeOut(steps: Steps, official: Official, seed: number): Promise<void> {
  const service = await RealService.start({ dataDir: await temporaryFolder({ after: () => undefined }) });
  const show = (task: string, accept?: string, run = 'run-1'): Promise<Shown> =>
    withoutWarnings(() => shown(official, service, task, accept, run));
  try {
    await steps.step(
      '[AG20] conformance 1: every event passes the official schemas, and the client shows the run',
      async () => {
        await feedRun(service, 'one', 'a');
        const { events } = await show('one');
        for (const event of events) official.EventSchemas.parse(event);
        const [first, last] = [events[0], events.at(-1)];
        assert.equal(last?.type, 'RUN_FINISHED');
        for (const event of [first, last])
          assert.deepEqual([event?.['threadId'], event?.['runId']], ['one', 'run-1']);
      },
    );
    await steps.step(
      '[AG27] conformance 2: over SSE and protobuf the client has the same messages',
      async () => {
        await feedRun(service, 'two', 'b');
        const overSse = await show('two');
        assert.deepEqual(plain(overSse.messages), GOLDEN);
        const overProto = await show('two', PROTO);
        assert.deepEqual(overProto.messages, overSse.messages);
        assert.deepEqual(overProto.events, overSse.events);
      },
    );
    await steps.step(
      '[AG20] conformance 3: random graphs never trouble the client, over SSE or protobuf',
      async () => {
        let run = 0;
        await fc.assert(
          fc.asyncProperty(fc.array(spanArbitrary, { minLength: 1, maxLength: 15 }), async (spans) => {
            const trace = (++run).toString(16).padStart(32, 'c');
            const task = `random-${run}`;
            await service.feed(spans.map((one) => ofTask(one, trace, task)));
            await service.flush();
            const { events } = await show(task, run % 2 === 0 ? PROTO : undefined);
            for (const event of events) official.EventSchemas.parse(event);
            const graph = await service.graph(`taskIds=${task}&collapse=none`);
            assert.deepEqual(ids(graphTold(events)), ids(graph));
          }),
          { seed, numRuns: CASES, includeErrorInReport: true },
        );
      },
    );
    await steps.step(
      '[AG28] conformance 4: when the client aborts, the service stops; a failed task ends with RUN_ERROR',
      async () => {
        await service.feed([spanOf(1, 'abort', 'd', { ms: 'running' })]);
        await service.flush();
        const agent = agentOf(official, service, 'abort');
        const left = agent.runAgent(
          { runId: 'r' },
          { onEvent: ({ event }) => event.type === 'STEP_STARTED' && setImmediate(() => agent.abortRun()) },
        );
        await left.catch(() => undefined);
        await until('nobody subscribes any more', async () => {
          const metrics = await service.metrics();
          return (
            /^explain_subscriptions(?:\{[^}]*\})? 0$/m.test(metrics) ||
            !/^explain_subscriptions/m.test(metrics)
          );
        });
        await service.feed([spanOf(1, 'failed', 'e', { status: 'ERROR' })]);
        await service.flush();
        const { events } = await show('failed');
        assert.equal(events.at(-1)?.type, 'RUN_ERROR');
      },
    );
    await steps.step(
      '[AG30] random streams come in and go out; the client makes the same messages of both',
      async () => {
        let run = 0;
        await fc.assert(
          fc.asyncProperty(streamArbitrary('thread', 'run'), async (events) => {
            const task = `kept-${++run}`;
            const given = await withoutWarnings(async () => official.judge(events));
            await post(service, task, events);
            await service.flush();
            const { events: told } = await show(task, run % 2 === 0 ? PROTO : undefined, 'run');
            assert.deepEqual(typesOf(told), typesOf(given));
          }),
          { seed, numRuns: CASES, includeErrorInReport: true },
        );
      },
    );
    await steps.step('[AG27] the protobuf encoding is that of the official package, event by event', () => {
      fc.assert(
        fc.property(streamArbitrary('thread', 'run'), (events) => {
          for (const event of events)
            assert.deepEqual(
              official.decode(encodeProtoEvent(event)),
              official.decode(official.encode(event)),
            );
        }),
        { seed, numRuns: CASES },
      );
    });
  } finally {
    await service.stop();
  }
}

const GOLDEN = [
  { id: 'reasoning', role: 'reasoning', content: 'I look at the weather.' },
  {
    id: 'text',
    role: 'assistant',
    content: 'Let me look.\nsearch({"q":"rain"})',
    name: 'CoderAgent',
    toolCalls: [{ id: 'call', type: 'function', function: { name: 'search', arguments: '{"q":"rain"}' } }],
  },
  { id: 'result', role: 'tool', toolCallId: 'call', content: 'it rains' },
];

/** An agent, a call of a model with a thought, and the tool that it asked for. */
async function feedRun(service: RealService, task: string, trace: string): Promise<void> {
  const call = { type: 'tool_call', id: `${task}-1`, name: 'search', arguments: { q: 'rain' } };
  const parts = [
    { type: 'reasoning', content: 'I look at the weather.' },
    { type: 'text', content: 'Let me look.' },
  ];
  await service.feed([
    spanOf(1, task, trace, { ms: 100, attrs: { component: 'coder-agent' } }),
    spanOf(2, task, trace, {
      parent: 1,
      at: 10,
      attrs: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: [...parts, call] }]),
      },
    }),
    spanOf(3, task, trace, {
      parent: 1,
      at: 30,
      attrs: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'search',
        'gen_ai.tool.call.id': `${task}-1`,
        'gen_ai.tool.call.arguments': '{"q":"rain"}',
        'gen_ai.tool.call.result': 'it rains',
      },
    }),
  ]);
  await service.flush();
}

function spanOf(digit: number, task: string, trace: string, words: SpanWords): SpanRecord {
  const attrs = { taskID: task, ...words.attrs };
  return span(digit, { ...words, attrs, traceId: trace.repeat(32) }) as unknown as SpanRecord;
}

function ofTask(one: SpanRecord, traceId: string, task: string): SpanRecord {
  const attributes = new Map([...one.attributes, ['taskID', task]]);
  // By some of these a span is of other tests' tasks, too; by the last, those around it would be open for ever.
  for (const key of ['requestId', 'gen_ai.response.id', 'depends_on', 'session.id', 'lmnr.span.ids_path'])
    attributes.delete(key);
  return { ...one, traceId, links: [], attributes, end: one.end ?? one.start };
}

function agentOf(official: Official, service: RealService, task: string, accept?: string) {
  const asking: typeof fetch = (url, init) => {
    const headers = new Headers(init?.headers);
    if (accept !== undefined) headers.set('accept', accept);
    return fetch(url, { ...init, headers });
  };
  return new official.HttpAgent({ url: `${service.readers}/ag-ui/run`, threadId: task, fetch: asking });
}

async function shown(
  official: Official,
  service: RealService,
  task: string,
  accept: string | undefined,
  runId: string,
): Promise<Shown> {
  const events: WireEvent[] = [];
  const agent = agentOf(official, service, task, accept);
  const { newMessages } = await agent.runAgent(
    { runId },
    { onEvent: ({ event }) => void events.push(event) },
  );
  return { events, messages: newMessages };
}

async function post(service: RealService, task: string, events: readonly WireEvent[]): Promise<void> {
  const response = await fetch(`${service.readers}/ag-ui/events?taskId=${task}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(events),
  });
  assert.equal(response.status, 202, await response.text());
}

/** Pieces of texts are cut otherwise. */
function typesOf(events: readonly WireEvent[]): readonly string[] {
  return events.map(({ type }) => type).filter((type) => !/_(CONTENT|ARGS)$/.test(type));
}

/** Ids by their kind, and without metadata. */
function plain(messages: readonly Message[]): readonly object[] {
  const kind = (id: unknown): string => String(id).split(':')[0] ?? '';
  return messages.map(({ metadata: _metadata, ...message }) => ({
    ...message,
    id: kind(message.id),
    ...(message['toolCallId'] !== undefined && { toolCallId: kind(message['toolCallId']) }),
    ...(message.toolCalls && {
      toolCalls: message.toolCalls.map(({ id, function: called }) => ({
        id: kind(id),
        type: 'function',
        function: called,
      })),
    }),
  }));
}

function graphTold(events: readonly WireEvent[]): ExplanationGraph {
  let graph: ExplanationGraph = { nodes: [], edges: [], lastUpdated: '' };
  for (const event of events)
    if (event['name'] === 'explain.graph_update') graph = applyUpdate(graph, event['value'] as GraphUpdate);
  return graph;
}

function ids({ nodes, edges }: ExplanationGraph): readonly (readonly string[])[] {
  return [nodes, edges].map((items) => items.map(({ id }) => id).sort());
}
