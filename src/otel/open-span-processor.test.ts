import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';
import { diag, ROOT_CONTEXT, SpanKind, trace, TraceFlags } from '@opentelemetry/api';
import { logs } from '@opentelemetry/api-logs';
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { AlwaysOffSampler } from '@opentelemetry/sdk-trace-base';
import { OpenSpanProcessor, type OpenSpanProcessorOptions, type SdkSpan } from './open-span-processor.ts';
import { CONTEXT, fakeSpan, setup } from './otel.test-support.ts';

function attributesOf(span: SdkSpan): Readonly<Record<string, unknown>> {
  const { processor, written } = setup();
  processor.onStart(span, ROOT_CONTEXT);
  return written()[0]?.attributes ?? {};
}

afterEach(() => {
  diag.disable();
  logs.disable();
});

test('[OS5] the start of a span is written at once, in its own trace context', () => {
  const { tracers, written } = setup();
  const tracer = tracers.getTracer('ai', '6.0.1');
  const root = tracer.startSpan('run');
  const child = tracer.startSpan(
    'chat',
    {
      kind: SpanKind.CLIENT,
      startTime: [1_750_000_000, 5],
      attributes: { 'model.name': 'm', tokens: 12, stream: true, tags: ['a', 'b'] },
    },
    trace.setSpan(ROOT_CONTEXT, root),
  );
  const [first, second] = written();
  assert.equal(written().length, 2);
  assert.equal(first?.attributes['span.parent_id'], undefined);
  assert.equal(second?.eventName, 'span.start');
  assert.equal(second.instrumentationScope.name, 'explainability-agent/otel');
  assert.deepEqual(second.spanContext, child.spanContext());
  assert.deepEqual(second.attributes, {
    'event.name': 'span.start',
    'span.name': 'chat',
    'span.kind': 'CLIENT',
    'span.parent_id': root.spanContext().spanId,
    'span.start_time_unix_nano': '1750000000000000005',
    'span.scope.name': 'ai',
    'span.scope.version': '6.0.1',
    'span.attributes.model.name': 'm',
    'span.attributes.tokens': 12,
    'span.attributes.stream': true,
    'span.attributes.tags': ['a', 'b'],
  });
});

test('[OS5] spans of the SDK 1.x have their parent and scope under other names', () => {
  const attributes = attributesOf(
    fakeSpan({ parentSpanId: 'c'.repeat(16), instrumentationLibrary: { name: 'old', version: '' } }),
  );
  assert.equal(attributes['span.parent_id'], 'c'.repeat(16));
  assert.equal(attributes['span.scope.name'], 'old');
  assert.equal('span.scope.version' in attributes, false);
});

test('[OS5] the global logger provider is looked up when it is needed, and again when it changes', () => {
  const processor = new OpenSpanProcessor({ flushAfterMs: false, heartbeatSeconds: 0 });
  const announcedTo = (): number => {
    const exporter = new InMemoryLogRecordExporter();
    logs.disable();
    logs.setGlobalLoggerProvider(
      new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] }),
    );
    processor.onStart(fakeSpan(), ROOT_CONTEXT);
    return exporter.getFinishedLogRecords().length;
  };
  processor.onStart(fakeSpan(), ROOT_CONTEXT);
  assert.equal(announcedTo(), 1, 'the first, that was set after the processor was made');
  assert.equal(announcedTo(), 1, 'and the one after it');
});

test('[OS6] attributes are bounded in number, length and sum; what is cut says so', () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`a${i}`, i]));
  const kept = Object.keys(attributesOf(fakeSpan({ attributes: many })));
  assert.equal(kept.filter((key) => key.startsWith('span.attributes.')).length, 120);
  assert.ok(kept.length <= 128, 'no more than a log record keeps');

  const long = attributesOf(
    fakeSpan({ name: 'n'.repeat(9_000), attributes: { text: 'x'.repeat(1_000_000) } }),
  );
  assert.equal((long['span.name'] as string).length, 4_096);
  assert.match(long['span.attributes.text'] as string, /^x{4095}…$/);

  const wide = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`w${i}`, 'x'.repeat(3_000)]));
  const record = attributesOf(fakeSpan({ attributes: wide }));
  assert.ok(JSON.stringify(record).length < 20_000);
  assert.equal((record['span.attributes.w0'] as string).length, 3_000);

  const list = attributesOf(fakeSpan({ attributes: { list: Array.from({ length: 9_000 }, () => 7) } }));
  assert.equal((list['span.attributes.list'] as unknown[]).length, 512);
});

test('[OS6] a cut never halves a character; what is no plain value is left to the ended span', () => {
  const odd = {
    text: `${'x'.repeat(4_094)}😀😀`,
    nested: { a: 1 },
    list: ['a', null, { b: 1 }],
    none: undefined,
  };
  const attributes = attributesOf(fakeSpan({ attributes: odd as unknown as SdkSpan['attributes'] }));
  assert.equal(attributes['span.attributes.text'], `${'x'.repeat(4_094)}…`);
  assert.deepEqual(attributes['span.attributes.list'], ['a']);
  assert.equal('span.attributes.nested' in attributes, false);
  assert.equal('span.attributes.none' in attributes, false);
});

test('[OS7] nothing that fails reaches the program; diag hears of the first failure', async () => {
  const warn = mock.fn();
  const silent = (): void => {};
  diag.setLogger({ warn, error: silent, info: silent, debug: silent, verbose: silent });
  warn.mock.resetCalls();
  const fail = (): never => {
    throw new Error('broken');
  };
  const broken: readonly OpenSpanProcessorOptions[] = [
    { loggerProvider: { getLogger: fail } },
    {
      loggerProvider: { getLogger: () => ({ emit: fail }), forceFlush: () => Promise.reject(new Error('x')) },
    },
    { filter: fail },
  ];
  for (const options of broken) {
    const processor = new OpenSpanProcessor(options);
    for (let i = 0; i < 3; i++) processor.onStart(fakeSpan(), ROOT_CONTEXT);
    processor.onStart(fakeSpan({ spanContext: fail }), ROOT_CONTEXT);
    processor.onEnd({ spanContext: fail });
    await processor.forceFlush();
    await processor.shutdown();
  }
  assert.equal(warn.mock.callCount(), broken.length);
  diag.setLogger(
    { warn: fail, error: fail, info: fail, debug: fail, verbose: fail },
    { suppressOverrideMessage: true },
  );
  new OpenSpanProcessor({ filter: fail }).onStart(fakeSpan(), ROOT_CONTEXT);
});

test('[OS7] the spans that writing a record starts are not announced', () => {
  let processor: OpenSpanProcessor | undefined;
  let written = 0;
  const loggerProvider = {
    getLogger: () => ({
      emit: () => {
        written++;
        processor?.onStart(fakeSpan({ name: 'POST' }), ROOT_CONTEXT);
      },
    }),
  };
  processor = new OpenSpanProcessor({ loggerProvider });
  processor.onStart(fakeSpan(), ROOT_CONTEXT);
  assert.equal(written, 1);
  processor.onStart(fakeSpan(), ROOT_CONTEXT);
  assert.equal(written, 2, 'and the next span is');
});

test('[OS8] spans that are not sampled, or not wanted, are silent', () => {
  const off = setup({}, new AlwaysOffSampler());
  off.tracers.getTracer('t').startSpan('chat');
  assert.equal(off.written().length, 0);

  const recorded = setup();
  recorded.processor.onStart(
    fakeSpan({ spanContext: () => ({ ...CONTEXT, traceFlags: TraceFlags.NONE }) }),
    ROOT_CONTEXT,
  );
  assert.equal(recorded.written().length, 0);

  const filtered = setup({ filter: (span) => span.instrumentationScope?.name !== 'http' });
  filtered.tracers.getTracer('http').startSpan('POST');
  filtered.tracers.getTracer('ai').startSpan('chat');
  assert.deepEqual(
    filtered.written().map((record) => record.attributes['span.name']),
    ['chat'],
  );
});
