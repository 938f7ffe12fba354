import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROOT_CONTEXT, TraceFlags } from '@opentelemetry/api';
import type { SafeRecord } from '../../src/model/pipeline.ts';
import {
  OpenSpanProcessor,
  type SdkSpan,
  type SpanAnnouncement,
} from '../../src/otel/open-span-processor.ts';
import { decode, logRequest, span, traceRequest } from '../../src/receivers/otlp/otlp.test-support.ts';
import { makeEngine, type TestEngine } from '../support/make-engine.ts';
import { batchOf, safe } from '../support/world.ts';

const MINUTE = 60_000;
const TRACE = 'a'.repeat(32);
const SPAN = 'b'.repeat(16);
const NODE = `${TRACE}:${SPAN}`;
const START_SECONDS = 1_750_000_000;

/** What the span processor writes of a span, as the receiver reads it. */
function announced(
  eventName: 'span.start' | 'span.heartbeat',
  attributes: SdkSpan['attributes'] = {},
): SafeRecord {
  const written: SpanAnnouncement[] = [];
  const loggerProvider = { getLogger: () => ({ emit: (record: SpanAnnouncement) => written.push(record) }) };
  new OpenSpanProcessor({ loggerProvider, heartbeatSeconds: 0 }).onStart(
    {
      name: 'chat',
      kind: 2,
      startTime: [START_SECONDS, 0],
      attributes,
      spanContext: () => ({ traceId: TRACE, spanId: SPAN, traceFlags: TraceFlags.SAMPLED }),
    },
    ROOT_CONTEXT,
  );
  const fields = Object.entries({ ...written[0]?.attributes, 'event.name': eventName });
  const log = {
    traceId: TRACE,
    spanId: SPAN,
    eventName,
    attributes: fields.map(([key, value]) => ({ key, value: { stringValue: value } })),
  };
  return recordOf(decode('logs', 'json', logRequest(log)));
}

function ended(): SafeRecord {
  const times = {
    startTimeUnixNano: `${START_SECONDS}000000000`,
    endTimeUnixNano: `${START_SECONDS + 2}000000000`,
  };
  return recordOf(
    decode('traces', 'json', traceRequest(span({ traceId: TRACE, spanId: SPAN, name: 'chat', ...times }))),
  );
}

function recordOf({ records, reasons }: ReturnType<typeof decode>): SafeRecord {
  assert.deepEqual(reasons, []);
  return safe(records[0]) as SafeRecord;
}

async function feed({ engine }: TestEngine, record: SafeRecord): Promise<void> {
  await engine.correlator.consume(batchOf([record]));
}

function stateOf({ engine }: TestEngine): string | undefined {
  return engine.graph.node(NODE)?.state;
}

function running(t: { after: (end: () => void) => void }): TestEngine {
  const target = makeEngine({ abandonAfterMinutes: 15 });
  target.engine.start();
  t.after(() => target.engine.stop());
  return target;
}

test('[OS12] RUNNING, then ENDED under the same id; a heartbeat that comes after the end changes nothing', async (t) => {
  const target = running(t);
  await feed(target, announced('span.start'));
  assert.equal(stateOf(target), 'RUNNING');
  await feed(target, ended());
  const node = target.engine.graph.node(NODE);
  assert.deepEqual([node?.state, node?.latencyMs], ['ENDED', 2_000]);
  await feed(target, announced('span.heartbeat', { 'model.name': 'm' }));
  assert.deepEqual(target.engine.graph.node(NODE), node);
  assert.equal(target.engine.graph.nodeCount, 1);
});

test('[OS12] nothing more heard of a running span: ABANDONED after its time; its end still counts', async (t) => {
  const target = running(t);
  await feed(target, announced('span.start'));
  target.clock.advance(14 * MINUTE);
  assert.equal(stateOf(target), 'RUNNING');
  target.clock.advance(MINUTE + 10_000);
  assert.equal(stateOf(target), 'ABANDONED');
  await feed(target, ended());
  assert.equal(stateOf(target), 'ENDED');
});

test('[OS12] a heartbeat is a sign of life, though it says nothing new; after silence it brings the span back', async (t) => {
  const target = running(t);
  await feed(target, announced('span.start'));
  for (let i = 0; i < 4; i++) {
    target.clock.advance(10 * MINUTE);
    await feed(target, announced('span.heartbeat'));
    assert.equal(stateOf(target), 'RUNNING');
  }
  target.clock.advance(16 * MINUTE);
  assert.equal(stateOf(target), 'ABANDONED');
  await feed(target, announced('span.heartbeat'));
  assert.equal(stateOf(target), 'RUNNING');
});
