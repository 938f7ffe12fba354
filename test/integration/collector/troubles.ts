import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BoundaryError } from '../../../src/base/boundary-error.ts';
import { OtlpGrpcReceiver } from '../../../src/receivers/otlp-grpc/otlp-grpc-receiver.ts';
import { OtlpHttpReceiver } from '../../../src/receivers/otlp-http/otlp-http-receiver.ts';
import { setup } from '../../../src/receivers/otlp-server.test-support.ts';
import { CollectorProcess, toService } from './collector-process.ts';
import { freePorts } from './free-ports.ts';
import { sendTraces } from './otlp-request.ts';
import type { Report } from './report.ts';
import { onStage, type Stage, type StageOptions } from './stage.ts';
import { waitFor } from './wait.ts';

const LIMIT_MS = 20_000;
const TOKEN = 'the-token-of-the-service';
const MAX_REQUEST_BYTES = 1024 * 1024;
/** Of the receivers in collector.yaml. */
const LARGEST_BYTES = 15 * 1024 * 1024;
/** More than what is around the text of a large span. */
const FRAME_BYTES = 1024;
const TRACE = '0123456789abcdef0123456789abcdef';
const ZERO_SPAN = '0'.repeat(16);

/** What cannot be delivered, and what only later: the Collector is told which it is, and says so in its log. */
export async function checkTroubles(options: StageOptions, report: Report): Promise<void> {
  const { protocol } = options;
  const send = (collector: CollectorProcess, ...spans: readonly object[]): Promise<void> =>
    sendTraces(collector, protocol, { resourceSpans: [{ scopeSpans: [{ spans }] }] });

  await report.test('[CT5] with the token of the service all is well', () =>
    onStage({ ...options, token: TOKEN, sentToken: TOKEN }, async (stage) => {
      await send(stage.collector, span('1'));
      await waitForSpans(stage, '1');
      await waitForFailed(stage.collector, 0);
      assert.ok(!stage.collector.log.includes(TOKEN), 'its log does not show the token');
    }),
  );

  await report.test(
    '[CT5] without the token the Collector says why nothing arrives, and does not try for ever',
    () =>
      onStage({ ...options, token: TOKEN }, async (stage) => {
        await send(stage.collector, span('1'));
        await waitForFailed(stage.collector, 1);
        assert.match(stage.collector.log, /Dropping data.*the token is none that this service knows/);
        await waitForSpans(stage);
      }),
  );

  await report.test('[CT7] the largest request that the Collector takes is one that the service takes', () =>
    onStage(options, async (stage) => {
      await assert.rejects(
        send(stage.collector, large('1', LARGEST_BYTES)),
        'with its frame it is too large',
      );
      await send(stage.collector, large('2', LARGEST_BYTES - FRAME_BYTES));
      // They would be too large as one batch.
      await send(stage.collector, large('3', LARGEST_BYTES / 2));
      await send(stage.collector, large('4', LARGEST_BYTES / 2));
      await send(stage.collector, large('5', LARGEST_BYTES / 2));
      await waitForSpans(stage, '2', '3', '4', '5');
      await waitForFailed(stage.collector, 0);
    }),
  );

  await report.test(
    '[CT5] what is larger than maxRequestBytes is dropped with a reason, and holds up nothing',
    () =>
      onStage({ ...options, flags: [`--max-request-bytes=${MAX_REQUEST_BYTES}`] }, async (stage) => {
        await send(stage.collector, large('1', 2 * MAX_REQUEST_BYTES));
        await waitForFailed(stage.collector, 1);
        await logged(stage.collector, new RegExp(`Dropping data.*${MAX_REQUEST_BYTES}`));
        await send(stage.collector, span('2'));
        await waitForSpans(stage, '2');
      }),
  );

  await report.test(
    '[CT6] a span without an id costs its batch nothing; the Collector logs how many were refused',
    () =>
      onStage(options, async (stage) => {
        await send(stage.collector, span('1'), { ...span('2'), spanId: ZERO_SPAN }, span('3', '1'));
        await waitForSpans(stage, '1', '3');
        await logged(stage.collector, /Partial success response.*spanId: missing.*"dropped_spans": 1\b/);
        await waitForFailed(stage.collector, 0);
        assert.equal((await stage.service.metrics()).sum('explain_records_rejected_total'), 1);
      }),
  );

  await report.test(
    '[CT4] what a stopping service refuses, and then a full one, is sent again until it is taken',
    () => checkRetries(options, (collector) => send(collector, span('1'))),
  );
}

/** The receivers alone, held in states that the whole service is in for milliseconds. */
async function checkRetries(
  { binary, config, protocol }: StageOptions,
  send: (collector: CollectorProcess) => Promise<void>,
): Promise<void> {
  const [port = 0] = await freePorts(1);
  const address = `127.0.0.1:${port}`;
  const folder = await mkdtemp(join(tmpdir(), 'test-collector-'));
  const Receiver = protocol === 'grpc' ? OtlpGrpcReceiver : OtlpHttpReceiver;
  const stopping = new Receiver(setup({}, { port }).options);
  const made = setup({}, { port });
  made.consumer.refusal = new BoundaryError('RESOURCE_EXHAUSTED', 'full, on purpose', { retryAfterMs: 100 });
  const full = new Receiver(made.options);
  let collector: CollectorProcess | undefined;
  try {
    await stopping.start();
    await stopping.drain();
    collector = await CollectorProcess.start({
      binary,
      configs: [config],
      folder,
      env: toService({ protocol, otlpGrpc: address, otlpHttp: address }),
    });
    await send(collector);
    await logged(collector, /Will retry.*is shutting down/);
    await stopping.stop();
    await full.start();
    await logged(collector, /Will retry.*full, on purpose/);
    made.consumer.refusal = undefined;
    await waitFor('it was taken', LIMIT_MS, () => made.consumer.records.length > 0);
    await waitFor('the queue is empty', LIMIT_MS, async () => isIdle(collector));
    assert.equal(made.consumer.records.length, 1);
    await waitForFailed(collector, 0);
  } finally {
    await collector?.kill();
    await Promise.all([stopping.stop(), full.stop()]);
    await rm(folder, { recursive: true, force: true });
  }
}

/** The Collector says so, in one line of its log. */
async function logged(collector: CollectorProcess, line: RegExp): Promise<void> {
  await waitFor(`the Collector logs ${line.source}`, LIMIT_MS, () => line.test(collector.log));
}

async function isIdle(collector: CollectorProcess | undefined): Promise<boolean> {
  const samples = await collector?.metrics();
  return samples?.sum('otelcol_exporter_queue_size') === 0;
}

async function waitForFailed(collector: CollectorProcess, count: number): Promise<void> {
  await waitFor(`${count} spans were given up`, LIMIT_MS, async () => {
    return (await collector.metrics()).sum('otelcol_exporter_send_failed_spans') === count;
  });
}

/** The graph holds these spans and nothing else. */
async function waitForSpans({ service }: Stage, ...ids: readonly string[]): Promise<void> {
  const expected = ids.map((id) => `${TRACE}:${id.repeat(16)}`).join();
  await waitFor(`the graph holds the spans ${ids.join()}`, LIMIT_MS, async () => {
    const { nodes } = await service.graph();
    return (
      nodes
        .map(({ id }) => id)
        .sort()
        .join() === expected
    );
  });
}

/** A span with a text of so many bytes; random, so that it is hardly smaller when it is compressed. */
function large(id: string, bytes: number): object {
  const text = randomBytes(bytes).toString('base64').slice(0, bytes);
  return { ...span(id), attributes: [{ key: 'input.value', value: { stringValue: text } }] };
}

/** @param id one hex digit */
function span(id: string, parent?: string): object {
  return {
    traceId: TRACE,
    spanId: id.repeat(16),
    ...(parent !== undefined && { parentSpanId: parent.repeat(16) }),
    name: 'chat',
    startTimeUnixNano: '1795293556273000000',
    endTimeUnixNano: '1795293556274105734',
  };
}
