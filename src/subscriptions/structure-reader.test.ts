import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExplanationGraph } from '../model/node.ts';
import type { ServerFrame } from '../model/reader-messages.ts';
import type { Engine } from '../service/engine.ts';
import { nodeUi } from '../exporters/ui-hints.ts';
import { asSafe } from '../../test/integration/recordings/as-safe.ts';
import { decodeRecording } from '../../test/integration/recordings/decode-recording.ts';
import { loadRecordings } from '../../test/integration/recordings/load-recordings.ts';
import { makeEngine } from '../../test/support/make-engine.ts';
import { nodeId, span } from '../../test/support/records.ts';
import { batchOf } from '../../test/support/world.ts';
import type { ReaderApi, SubscriberSink } from './reader-api.ts';
import { structureReader } from './structure-reader.ts';

const TRACES = { a: 'a'.repeat(32), b: 'b'.repeat(32) };
const VIEW = { collapse: 'none', include: ['ui'] };

/** What two programs tell that do the same with other words. */
async function talk(words: (place: string) => string): Promise<Engine> {
  const { engine } = makeEngine({ decorate: (node) => ({ ...node, ui: nodeUi(node) }) });
  for (const [task, traceId] of Object.entries(TRACES)) {
    const say = (place: string): string => words(`${place} of ${task}`);
    const call = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm-1', 'user.id': say('user') };
    const message = (role: string, place: string): string =>
      JSON.stringify([{ role, parts: [{ type: 'text', content: say(place) }] }]);
    await engine.correlator.consume(
      batchOf([
        span(1, { traceId, name: say('span name'), attrs: { taskID: task, component: 'Coder' }, ms: 90 }),
        span(2, {
          traceId,
          parent: 1,
          at: 5,
          name: say('call name'),
          attrs: {
            ...call,
            'gen_ai.input.messages': message('user', 'prompt'),
            'gen_ai.output.messages': message('assistant', 'completion'),
            'gen_ai.usage.input_tokens': 12,
          },
        }),
        span(3, {
          traceId,
          parent: 1,
          at: 20,
          status: 'ERROR',
          name: say('tool span'),
          attrs: {
            'gen_ai.operation.name': 'execute_tool',
            'gen_ai.tool.name': 'lookup',
            'gen_ai.tool.call.arguments': say('arguments'),
            'gen_ai.tool.call.result': say('result'),
            'error.type': say('error type'),
            'exception.message': say('message'),
            'code.filepath': say('file'),
          },
        }),
      ]),
    );
  }
  engine.flush();
  return engine;
}

class Sink implements SubscriberSink {
  readonly writable = true;
  readonly frames: ServerFrame[] = [];
  write(frame: ServerFrame): void {
    this.frames.push(frame);
  }
  close(): void {}
}

/** Everything that a reader is answered, by the question. */
async function everything(reader: ReaderApi): Promise<Map<string, unknown>> {
  const answers = new Map<string, unknown>();
  const whole = await reader.getGraph(VIEW);
  answers.set('graph', withoutTime(whole));
  answers.set('folded', withoutTime(await reader.getGraph({ include: ['ui'] })));
  for (const { id } of whole.nodes) answers.set(`node ${id}`, await reader.getNode(id));
  const tasks = await reader.listTasks();
  answers.set('tasks', tasks);
  for (const { taskId } of tasks.tasks) {
    answers.set(`why ${taskId}`, JSON.stringify(await reader.why({ taskId }), withoutUpdated));
    answers.set(`summary ${taskId}`, await reader.summary(taskId));
    answers.set(`spikes ${taskId}`, await reader.spikes(taskId));
    for (const other of tasks.tasks.slice(0, 3))
      if (other.taskId !== taskId)
        answers.set(
          `compare ${taskId} ${other.taskId}`,
          await reader.compare({ a: taskId, b: other.taskId }),
        );
  }
  answers.set('patterns', await reader.patterns({}));
  const sink = new Sink();
  const handle = reader.subscribe(VIEW, sink);
  answers.set('frames', JSON.stringify(sink.frames, withoutUpdated).replaceAll(handle.subscriptionId, ''));
  reader.unsubscribe(handle.subscriptionId);
  return answers;
}

function withoutTime({ nodes, edges }: ExplanationGraph): unknown {
  return { nodes, edges };
}

function withoutUpdated(key: string, value: unknown): unknown {
  return key === 'lastUpdated' ? undefined : value;
}

test('[AC21] what is answered without texts goes by no text: it is the same, byte for byte, whatever they say', async () => {
  const one = await talk((place) => `walrus ${place}`);
  const other = await talk((place) => `${place.toUpperCase()}: quite another text, 4711, that is longer`);
  const [a, b] = [
    await everything(structureReader(one.reader)),
    await everything(structureReader(other.reader)),
  ];
  assert.deepEqual([...a.keys()], [...b.keys()]);
  for (const [question, answer] of a)
    assert.equal(JSON.stringify(answer), JSON.stringify(b.get(question)), question);
  const all = JSON.stringify([...a.values()]);
  assert.ok(!/walrus|quite another/i.test(all));
  // It tells what it may: of which tool and model, how long, at which cost.
  for (const told of ['LLM call m-1', 'tool call lookup', '"tokensIn":12', '"status":"ERROR"', 'Coder'])
    assert.ok(all.includes(told) || all.includes(JSON.stringify(told).slice(1, -1)), told);
  const toOthers = JSON.stringify([...(await everything(one.reader)).values()]);
  assert.ok(toOthers.includes('walrus prompt of a'));
});

test('[AC20] a node without texts has these fields and no others', async () => {
  const { reader } = await talk((place) => place);
  const { nodes } = structureReader(reader).getGraph({ collapse: 'none' }) as ExplanationGraph;
  assert.deepEqual(
    nodes.find(({ id }) => id === nodeId(3)),
    {
      id: nodeId(3),
      timestamp: '2025-06-15T15:06:40.020Z',
      agent: 'Coder',
      type: 'TOOL_CALL',
      name: 'tool call lookup',
      title: 'tool call lookup',
      taskId: 'a',
      state: 'ENDED',
      status: 'ERROR',
      latencyMs: 10,
      details: {
        toolName: 'lookup',
        traceId: TRACES.a,
        spanId: '3'.repeat(16),
        parentSpanId: '1'.repeat(16),
      },
    },
  );
});

const PROBES: readonly (readonly [string, (reader: ReaderApi, id: string) => unknown])[] = [
  ['text', (reader) => reader.search({ text: 'x' })],
  ['text', (reader) => reader.listTasks({ text: 'x' })],
  ['userId', (reader) => reader.listTasks({ userId: 'x' })],
  ['text', (reader) => reader.getGraph({ filters: { text: 'x' } })],
  ['text', (reader) => reader.subscribe({ filters: { text: 'x' } }, new Sink())],
  ['text', (reader, id) => reader.updateFilters(id, { text: 'x' })],
  ['text', (reader) => reader.patterns({ text: 'x' })],
];

test('[AC22] what would tell texts by what it finds is refused, and the right that it needs is named', async () => {
  const { reader } = await talk((place) => place);
  const structure = structureReader(reader);
  const { subscriptionId } = structure.subscribe({}, new Sink());
  for (const [field, probe] of PROBES)
    await assert.rejects(async () => probe(structure, subscriptionId), {
      code: 'PERMISSION_DENIED',
      message: new RegExp(`^${field} looks into texts, which needs the right "read"`),
    });
  const { nodes } = await structure.getGraph({
    collapse: 'none',
    filters: { text: '', agentNames: ['coder'], status: ['ERROR'], taskIds: ['a'] },
  });
  assert.deepEqual(
    nodes.map(({ id }) => id),
    [nodeId(3)],
  );
});

test('[AC23] a change of texts alone is not sent to who sees none; what else changes is', async () => {
  const { engine } = makeEngine();
  const [sink, full] = [new Sink(), new Sink()];
  structureReader(engine.reader).subscribe(VIEW, sink);
  engine.reader.subscribe(VIEW, full);
  const tell = async (attrs: { [key: string]: string | number }): Promise<number> => {
    const before = sink.frames.length;
    await engine.correlator.consume(batchOf([span(1, { ms: 'running', attrs })]));
    engine.flush();
    return sink.frames.length - before;
  };
  const call = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' };
  assert.equal(await tell({ ...call, 'gen_ai.prompt': 'one' }), 1);
  const known = full.frames.length;
  assert.equal(await tell({ ...call, 'gen_ai.prompt': 'another' }), 0);
  assert.equal(full.frames.length, known + 1, 'others are told');
  assert.equal(await tell({ ...call, 'gen_ai.prompt': 'another', 'gen_ai.usage.input_tokens': 7 }), 1);
});

test('[AC23] a subscription without texts is taken up again without them, and by nobody who is given them', async () => {
  const { reader } = await talk((place) => place);
  const structure = structureReader(reader);
  const answerTo = (from: ReaderApi, to: ReaderApi): string | undefined => {
    const handle = from.subscribe({}, new Sink());
    const again = new Sink();
    to.subscribe({ subscriptionId: handle.subscriptionId, resumeFrom: 0 }, again);
    return again.frames[0]?.type;
  };
  assert.equal(answerTo(structure, structure), 'resumed');
  assert.equal(answerTo(structure, reader), 'snapshotNeeded');
  assert.equal(answerTo(reader, structure), 'snapshotNeeded');
  assert.equal(answerTo(reader, reader), 'resumed');
});

test('[AC24] no piece of the texts of real recordings is anywhere in what is answered without texts', async () => {
  const recordings = await loadRecordings(
    new URL('../../test/fixtures/telemetry/', import.meta.url).pathname,
  );
  let looked = 0;
  for (const recording of recordings) {
    const { engine } = makeEngine({ decorate: (node) => ({ ...node, ui: nodeUi(node) }) });
    await engine.correlator.consume(batchOf(decodeRecording(recording.requests).spans.map(asSafe)));
    engine.flush();
    const { nodes } = engine.reader.getGraph({ collapse: 'none' });
    const given = JSON.stringify([...(await everything(structureReader(engine.reader))).values()]);
    // Texts name tools, models and calls, too.
    const names = JSON.stringify(
      nodes.map(({ agent, model, taskId, details }) => [
        agent,
        model,
        taskId,
        details?.['toolName'],
        details?.['requestedToolCallIds'],
      ]),
    );
    for (const { id, name, title, promptSummary = '' } of nodes) {
      const { texts = {} } = engine.reader.getNode(id);
      for (const piece of [...Object.values(texts), name, title, promptSummary].flatMap(piecesOf)) {
        looked++;
        assert.ok(!given.includes(piece) || names.includes(piece), `${recording.name}: ${piece}`);
      }
    }
  }
  assert.ok(looked > 500, `${looked} pieces were looked for`);
});

/** Of 16 characters, each half of which is in two of them. */
function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at + 16 <= text.length; at += 8) pieces.push(text.slice(at, at + 16));
  return pieces.map((piece) => JSON.stringify(piece).slice(1, -1));
}
