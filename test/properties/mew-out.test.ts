import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Pace } from '../../src/base/pace.ts';
import { ManualClock } from '../../src/base/clock.ts';
import { stepMessageId, taskMessageId, type MewMessage } from '../../src/exporters/mew/message.ts';
import { mewLines } from '../../src/exporters/mew/mew-lines.ts';
import type { ExplanationGraph, ExplanationNode } from '../../src/model/node.ts';
import type { SafeRecord } from '../../src/model/pipeline.ts';
import { MewReceiver } from '../../src/receivers/mew/mew-receiver.ts';
import type { Engine } from '../../src/service/engine.ts';
import { epochMs } from '../../src/model/time.ts';
import { noMetrics } from '../../src/telemetry/own-metrics.ts';
import { assertDag } from '../support/assert-dag.ts';
import { makeEngine } from '../support/make-engine.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { Situations } from '../support/situations.ts';
import { batchOf, makeSpan, safe, worldArbitrary } from '../support/world.ts';

const MAX_ANSWERS = 16;

async function graphOf({ reader }: Engine): Promise<ExplanationGraph> {
  return reader.getGraph({ collapse: 'none' });
}

async function exported(engine: Engine): Promise<string> {
  let body = '';
  // eslint-disable-next-line @typescript-eslint/require-await -- as readers of a store answer
  for await (const piece of mewLines(await graphOf(engine), async (id) => engine.reader.getNode(id)))
    body += piece;
  return body;
}

/** A service that has nothing but these messages. */
async function taken(body: string): Promise<ExplanationGraph> {
  const { engine, clock } = makeEngine();
  const receiver = new MewReceiver({
    consumer: {
      consume: ({ records }) =>
        engine.correlator.consume(batchOf(records.map((record) => safe(record) as SafeRecord))),
    },
    clock,
    metrics: noMetrics,
    pace: new Pace(new ManualClock()),
  });
  const { body: answer } = await receiver.receive({
    body: Buffer.from(body),
    contentType: 'application/x-ndjson',
    taskId: undefined,
    space: 'S',
  });
  assert.deepEqual([answer.rejected, answer.errors], [0, []]);
  return graphOf(engine);
}

/** What has to be the same of a step. How long it took is not known to be unknown where two messages tell of it. */
function stepOf({ type, agent, name, status, latencyMs = 0 }: ExplanationNode): object {
  return { type, agent, name, status, latencyMs };
}

/** Figures that may repeat those of the steps inside it are shown as totals; a cost that is not known is estimated anew. */
function assertFigures(found: ExplanationNode, { tokensIn, tokensOut, costUsd }: ExplanationNode): void {
  const { details = {} } = found;
  if (tokensIn !== undefined) assert.equal(found.tokensIn ?? details['totalTokensIn'], tokensIn);
  if (tokensOut !== undefined) assert.equal(found.tokensOut ?? details['totalTokensOut'], tokensOut);
  if (costUsd !== undefined) assert.equal(found.costUsd ?? details['totalCostUsd'], costUsd);
}

const SITUATIONS = ['a context', 'a call of a tool', 'an answer', 'a question', 'a step that runs'] as const;
type Seen = Situations<(typeof SITUATIONS)[number]>;

async function assertToldAgain(world: readonly SafeRecord[], situations: Seen): Promise<void> {
  situations.nextCase();
  const { engine } = makeEngine();
  await engine.correlator.consume(batchOf(world));
  const graph = await graphOf(engine);
  const body = await exported(engine);
  if (body === '') return;
  const messages = body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as MewMessage);
  const ids = messages.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, 'each is said once');
  assert.equal(await exported(engine), body, 'and in the same way');
  const said = new Set(ids);
  const again = await taken(body);
  assertDag(again);
  const byMessage = new Map(again.nodes.map((node) => [node.details?.['messageId'], node]));
  assert.equal(byMessage.size, again.nodes.length);
  const tasks = new Set(graph.nodes.map(({ taskId }) => taskMessageId(taskId)));
  for (const node of graph.nodes) {
    const id = stepMessageId(node.id);
    const found = byMessage.get(id);
    if (!said.has(id)) {
      assert.equal(node.state, 'RUNNING', 'what is over is said');
      situations.saw('a step that runs');
      continue;
    }
    assert.ok(found, `${node.type} ${node.id}`);
    assert.deepEqual(stepOf(found), stepOf(node), node.id);
    assertFigures(found, node);
    assert.equal(found.state, node.state);
    assert.equal(Date.parse(found.timestamp), Math.floor(Date.parse(node.timestamp)));
  }
  const known = new Set([...graph.nodes.map(({ id }) => stepMessageId(id)), ...tasks]);
  assert.ok(
    [...byMessage.keys()].every((id) => known.has(String(id))),
    'nothing is there but steps, and their tasks',
  );
  const leads = new Set(
    again.edges.map(({ from, to }) => `${messageOf(again, from)} ${messageOf(again, to)}`),
  );
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const into = Map.groupBy(graph.edges, ({ to }) => to);
  for (const { from, to } of graph.edges) {
    const [cause, step] = [byId.get(from), byId.get(to)];
    const isTold = said.has(stepMessageId(from)) && said.has(stepMessageId(to));
    if (!isTold || cause?.taskId !== step?.taskId || (into.get(to)?.length ?? 0) > MAX_ANSWERS) continue;
    assert.ok(leads.has(`${stepMessageId(from)} ${stepMessageId(to)}`), `${from} leads to ${to}`);
    situations.saw('an answer');
  }
  for (const { kind } of messages) {
    if (kind === 'mcp/request') situations.saw('a call of a tool');
    if (kind === 'chat') situations.saw('a question');
  }
  if (messages.some(({ context = '' }) => context.includes('/'))) situations.saw('a context');
}

test('[MW19] what is exported as MEW and posted to a fresh service gives the same steps, and what they answer', async (t) => {
  const situations = new Situations(...SITUATIONS);
  await fc.assert(
    fc.asyncProperty(worldArbitrary, (world) => assertToldAgain(world, situations)),
    propertyRuns(),
  );
  situations.tell(t);
});

test('[MW19] a call inside a call that used as much is told as one of its own', async () => {
  const attrs = { 'model.name': 'm', 'gen_ai.usage.input_tokens': 10, 'gen_ai.usage.output_tokens': 1 };
  const around = makeSpan({ attrs });
  const within = { parentSpanId: around.spanId, spanId: '2'.repeat(16), attrs };
  const goesOn = makeSpan({ ...within, end: epochMs(around.start + 100) });
  const running = makeSpan({ ...within, spanId: '3'.repeat(16), end: undefined });
  for (const world of [
    [around, goesOn],
    [around, makeSpan(within), running],
  ])
    await assertToldAgain(world.map(safe), new Situations(...SITUATIONS));
});

function messageOf({ nodes }: ExplanationGraph, nodeId: string): string {
  return String(nodes.find(({ id }) => id === nodeId)?.details?.['messageId']);
}
