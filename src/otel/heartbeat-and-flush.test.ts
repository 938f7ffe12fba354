import assert from 'node:assert/strict';
import { mock, test, type TestContext } from 'node:test';
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { BatchLogRecordProcessor, InMemoryLogRecordExporter, LoggerProvider } from '@opentelemetry/sdk-logs';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { OpenSpanProcessor } from './open-span-processor.ts';
import { fakeSpan, setup } from './otel.test-support.ts';

const HEARTBEAT_MS = 30_000;

function timers(t: TestContext): void {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
}

test('[OS9] a span that stays open is announced again with what it has by then, until it ends', (t) => {
  timers(t);
  const { tracers, written } = setup();
  const span = tracers.getTracer('t').startSpan('chat');
  const names = (): unknown[] => written().map((record) => record.eventName);
  t.mock.timers.tick(HEARTBEAT_MS - 1);
  assert.deepEqual(names(), ['span.start']);
  span.setAttribute('model.name', 'm');
  t.mock.timers.tick(1);
  t.mock.timers.tick(HEARTBEAT_MS);
  assert.deepEqual(names(), ['span.start', 'span.heartbeat', 'span.heartbeat']);
  assert.deepEqual(written()[1]?.spanContext, span.spanContext());
  assert.equal(written()[1]?.attributes['span.attributes.model.name'], 'm');
  assert.equal(
    written()[1]?.attributes['span.start_time_unix_nano'],
    written()[0]?.attributes['span.start_time_unix_nano'],
  );
  span.end();
  t.mock.timers.tick(10 * HEARTBEAT_MS);
  assert.equal(written().length, 3);
});

test('[OS9] the interval can be set, or heartbeats turned off', (t) => {
  timers(t);
  const heartbeats = (heartbeatSeconds: number): number => {
    const { tracers, written } = setup({ heartbeatSeconds });
    const span = tracers.getTracer('t').startSpan('chat');
    t.mock.timers.tick(10_000);
    span.end();
    return written().length - 1;
  };
  assert.equal(heartbeats(5), 2);
  assert.equal(heartbeats(0.000_1), 10, 'not more often than once a second');
  assert.equal(heartbeats(1e12), 0);
  for (const none of [0, -1, Number.NaN]) assert.equal(heartbeats(none), 0);
});

test('[OS9] of spans that never end the newest thousand are remembered', (t) => {
  timers(t);
  const { tracers, written } = setup();
  for (let i = 0; i < 1_100; i++) tracers.getTracer('t').startSpan(`s${i}`);
  t.mock.timers.tick(HEARTBEAT_MS);
  const beats = written().filter((record) => record.eventName === 'span.heartbeat');
  assert.equal(beats.length, 1_000);
  assert.equal(beats[0]?.attributes['span.name'], 's100');
});

test('[OS9] the timer does not keep the process alive, and there is none while nothing is open', (t) => {
  const unref = mock.fn();
  const clear = t.mock.method(globalThis, 'clearInterval', () => {});
  const set = t.mock.method(globalThis, 'setInterval', () => ({ unref }) as never);
  const { tracers } = setup();
  const tracer = tracers.getTracer('t');
  const spans = [tracer.startSpan('a'), tracer.startSpan('b')];
  assert.deepEqual([set.mock.callCount(), unref.mock.callCount()], [1, 1]);
  spans[0]?.end();
  assert.equal(clear.mock.callCount(), 0);
  spans[1]?.end();
  assert.equal(clear.mock.callCount(), 1);
});

test('[OS10] what was announced leaves soon, however long the log processor would wait; once for many', async (t) => {
  timers(t);
  const exporter = new InMemoryLogRecordExporter();
  const slow = new BatchLogRecordProcessor({ exporter, scheduledDelayMillis: 600_000 });
  const loggerProvider = new LoggerProvider({ processors: [slow] });
  const flush = t.mock.method(loggerProvider, 'forceFlush');
  const processor = new OpenSpanProcessor({ loggerProvider });
  const tracers = new BasicTracerProvider({ spanProcessors: [processor] });
  for (let i = 0; i < 10; i++) tracers.getTracer('t').startSpan(`s${i}`);
  t.mock.timers.tick(19);
  assert.equal(flush.mock.callCount(), 0);
  t.mock.timers.tick(1);
  assert.equal(flush.mock.callCount(), 1);
  await flush.mock.calls[0]?.result;
  assert.equal(exporter.getFinishedLogRecords().length, 10);
});

test('[OS10] there are never two flushes at once; what came meanwhile goes with the next', async (t) => {
  timers(t);
  const waiting: (() => void)[] = [];
  const loggerProvider = {
    getLogger: () => ({ emit: () => {} }),
    forceFlush: () => new Promise<void>((resolve) => waiting.push(resolve)),
  };
  const processor = new OpenSpanProcessor({ loggerProvider, heartbeatSeconds: 0 });
  for (let i = 0; i < 5; i++) {
    processor.onStart(fakeSpan(), ROOT_CONTEXT);
    t.mock.timers.tick(100);
  }
  assert.equal(waiting.length, 1);
  waiting[0]?.();
  await new Promise(setImmediate);
  t.mock.timers.tick(20);
  assert.equal(waiting.length, 2);
  waiting[1]?.();
  await new Promise(setImmediate);
  t.mock.timers.tick(1_000);
  assert.equal(waiting.length, 2, 'nothing new, no flush');
});

test('[OS10] with flushAfterMs false the log processors keep their own time', (t) => {
  timers(t);
  const forceFlush = mock.fn(() => Promise.resolve());
  const loggerProvider = { getLogger: () => ({ emit: () => {} }), forceFlush };
  const processor = new OpenSpanProcessor({ loggerProvider, flushAfterMs: false });
  processor.onStart(fakeSpan(), ROOT_CONTEXT);
  t.mock.timers.tick(10_000);
  assert.equal(forceFlush.mock.callCount(), 0);
});

test('[OS10] forceFlush flushes; after shutdown all is silent, and the logger provider still works', async (t) => {
  timers(t);
  const exporter = new InMemoryLogRecordExporter();
  const slow = new BatchLogRecordProcessor({ exporter, scheduledDelayMillis: 600_000 });
  const loggerProvider = new LoggerProvider({ processors: [slow] });
  const processor = new OpenSpanProcessor({ loggerProvider });
  processor.onStart(fakeSpan(), ROOT_CONTEXT);
  await processor.forceFlush();
  assert.equal(exporter.getFinishedLogRecords().length, 1);
  processor.onStart(fakeSpan(), ROOT_CONTEXT);
  await processor.shutdown();
  await processor.shutdown();
  processor.onStart(fakeSpan(), ROOT_CONTEXT);
  t.mock.timers.tick(10 * HEARTBEAT_MS);
  await processor.forceFlush();
  loggerProvider.getLogger('app').emit({ body: 'still here' });
  await loggerProvider.forceFlush();
  assert.deepEqual(
    exporter.getFinishedLogRecords().map((record) => record.body ?? record.eventName),
    ['span.start', 'span.start', 'still here'],
  );
});

test('[OS10] nothing is lost when the logger provider is shut down at the same time, as NodeSDK does', async () => {
  const sent: (string | undefined)[] = [];
  let isShutDown = false;
  const exporter = {
    export: (
      records: readonly { readonly eventName?: string | undefined }[],
      done: (result: { code: number }) => void,
    ) => {
      if (!isShutDown) sent.push(...records.map(({ eventName }) => eventName));
      done({ code: isShutDown ? 1 : 0 });
    },
    forceFlush: () => Promise.resolve(),
    shutdown: () => {
      isShutDown = true;
      return Promise.resolve();
    },
  };
  const slow = new BatchLogRecordProcessor({ exporter, scheduledDelayMillis: 600_000 });
  const loggerProvider = new LoggerProvider({ processors: [slow] });
  const processor = new OpenSpanProcessor({ loggerProvider });
  processor.onStart(fakeSpan(), ROOT_CONTEXT);
  loggerProvider.getLogger('app').emit({ eventName: 'last words' });
  await Promise.all([processor.shutdown(), loggerProvider.shutdown()]);
  assert.deepEqual(sent, ['span.start', 'last words']);
});
