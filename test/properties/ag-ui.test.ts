import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { keptEventsOf, type KeptEvent } from '../../src/model/ag-ui-events.ts';
import type { SafeRecord } from '../../src/model/pipeline.ts';
import type { SpanRecord } from '../../src/model/records.ts';
import { TestReceiver } from '../../src/receivers/ag-ui/ag-ui-for-test.ts';
import { assertDag } from '../support/assert-dag.ts';
import { makeEngine } from '../support/make-engine.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { batchOf, safe } from '../support/world.ts';

type Event = { readonly type: string; readonly [field: string]: unknown };

const TYPES = [
  'RUN_FINISHED',
  'RUN_ERROR',
  'STEP_STARTED',
  'STEP_FINISHED',
  'TEXT_MESSAGE_START',
  'TEXT_MESSAGE_CONTENT',
  'TEXT_MESSAGE_END',
  'TEXT_MESSAGE_CHUNK',
  'TOOL_CALL_START',
  'TOOL_CALL_ARGS',
  'TOOL_CALL_END',
  'TOOL_CALL_CHUNK',
  'TOOL_CALL_RESULT',
  'STATE_SNAPSHOT',
  'STATE_DELTA',
  'MESSAGES_SNAPSHOT',
  'ACTIVITY_SNAPSHOT',
  'ACTIVITY_DELTA',
  'RAW',
  'CUSTOM',
  'REASONING_START',
  'REASONING_END',
  'REASONING_MESSAGE_START',
  'REASONING_MESSAGE_CONTENT',
  'REASONING_MESSAGE_END',
  'REASONING_MESSAGE_CHUNK',
  'REASONING_ENCRYPTED_VALUE',
  'SUBAGENT_STARTED',
  'SUBAGENT_FINISHED',
  'SUBAGENT_ERROR',
  'BRAND_NEW',
];
const START = 1_750_000_000_000;
/** The same for messages, calls and sub-agents, so that they meet in every way. */
const IDS = ['a', 'b', '__proto__'];
const id = fc.constantFrom(...IDS);

/** In any order, with all that an event cannot do without: half of the fields belong to other types. */
const eventArbitrary: fc.Arbitrary<Event> = fc
  .record({
    type: fc.constantFrom(...TYPES),
    ids: fc.record({
      messageId: id,
      toolCallId: id,
      stepName: id,
      entityId: id,
      subagentRunId: fc.option(id, { nil: undefined, freq: 2 }),
    }),
    others: fc.record(
      {
        parentMessageId: id,
        parentToolCallId: id,
        parentSubagentRunId: id,
        role: fc.constantFrom('user', 'assistant', 'x'),
      },
      { requiredKeys: [] },
    ),
    delta: fc.constantFrom('', 'x', 'a word ', '\ud800', '{"a":1}'),
    rest: fc.dictionary(
      fc.constantFrom('value', 'snapshot', 'content', '__proto__', 'metadata', 'result', 'outcome', 'usage'),
      fc.jsonValue(),
      {
        maxKeys: 3,
      },
    ),
  })
  .map(({ type, ids, others, delta, rest }) => ({
    ...rest,
    ...others,
    ...ids,
    ...(type.startsWith('SUBAGENT_') && { subagentRunId: ids.subagentRunId ?? 'a' }),
    type,
    name: 'n',
    toolCallName: 'tool',
    message: 'failed',
    delta,
    encryptedValue: 'cipher',
  }));

const streamArbitrary = fc.array(eventArbitrary, { maxLength: 40 }).map((events): readonly Event[] =>
  [{ type: 'RUN_STARTED', threadId: 't', runId: 'r' }, ...events].map((event, i) => ({
    ...event,
    timestamp: START + i,
  })),
);

const TEXTS = /_(?:CONTENT|ARGS|CHUNK)$/;

/** Pieces of texts that follow one another may be one. */
function order(events: readonly { readonly type: string }[]): readonly string[] {
  return events.map(({ type }) => type).filter((type, i, all) => type !== all[i - 1] || !TEXTS.test(type));
}

function keptIn(to: TestReceiver): readonly KeptEvent[] {
  const attributes = to.spans.map((span) => Object.fromEntries(span.attributes));
  return keptEventsOf({ attributes: Object.fromEntries(attributes.map((group, i) => [String(i), group])) });
}

function lastState(to: TestReceiver): unknown {
  const said: Record<string, string> = {};
  for (const { requestId, tokens = [] } of to.thoughts)
    said[requestId] = (said[requestId] ?? '') + tokens.join('');
  const sorted = to.spans.toSorted((a, b) => (a.spanId < b.spanId ? -1 : 1));
  const spans = sorted.map((span) => [
    span.spanId,
    span.parentSpanId,
    span.start,
    span.end,
    Object.fromEntries(span.attributes),
  ]);
  return { said, spans };
}

test('[AG2] [AG6] whatever comes in whatever order, every event is taken and kept in its place, and the graph is one', async () => {
  await fc.assert(
    fc.asyncProperty(streamArbitrary, async (events) => {
      const to = new TestReceiver();
      const { body } = await to.post(events, { taskId: 'T' });
      assert.deepEqual([body.accepted, body.rejected], [events.length, 0]);
      const kept = keptIn(to);
      assert.deepEqual(order(kept.map(({ event }) => event)), order(events));
      assert.ok(
        !JSON.stringify(
          [...to.consumer.records].map((record) =>
            record.kind === 'span' ? [...record.attributes] : record,
          ),
        ).includes('"cipher"'),
      );
      const { engine } = makeEngine();
      const spans = to.consumer.records.filter((record): record is SpanRecord => record.kind === 'span');
      await engine.correlator.consume(batchOf(spans.map((span) => safe(span) as SafeRecord)));
      const graph = engine.reader.getGraph({ collapse: 'none' });
      assertDag(graph);
      assert.ok(graph.nodes.every(({ taskId }) => taskId === 'T'));
      // All of it hangs together below the run.
      const roots = graph.nodes.filter(({ id: node }) => !graph.edges.some(({ to: at }) => at === node));
      assert.equal(roots.length, 1);
    }),
    propertyRuns(),
  );
});

test('[AG6] a stream says the same however it is cut into requests', async () => {
  await fc.assert(
    fc.asyncProperty(
      streamArbitrary,
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      async (events, sizes) => {
        const whole = new TestReceiver();
        await whole.post(events, { taskId: 'T' });
        const cut = new TestReceiver();
        for (let from = 0, i = 0; from < events.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          await cut.post(events.slice(from, from + size), { taskId: 'T' });
          from += size;
        }
        // What has come of a text is told with the next event.
        await whole.post({ type: 'CUSTOM', name: 'end', value: 1, timestamp: START + 100 }, { taskId: 'T' });
        await cut.post({ type: 'CUSTOM', name: 'end', value: 1, timestamp: START + 100 }, { taskId: 'T' });
        assert.deepEqual(lastState(cut), lastState(whole));
      },
    ),
    propertyRuns(),
  );
});

test('[AG2] no JSON at all makes the service fail: what is no event is rejected', async () => {
  const to = new TestReceiver();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 5 }), async (values) => {
      const { body } = await to.post(values);
      assert.equal(body.accepted + body.rejected, values.length);
    }),
    propertyRuns(),
  );
});
