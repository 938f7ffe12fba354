import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { ServerFrame } from '../src/model/reader-messages.ts';
import { OpenSpanProcessor } from '../src/otel/open-span-processor.ts';
import { FREE_PORTS, serve, type Served } from '../test/integration/steps/serve.ts';
import { within } from '../test/integration/steps/child.ts';

/**
 * How long after its start a span is shown as running: an agent with the real SDK and exporters, the service in a
 * process of its own, a reader on its WebSocket. Agent and reader share this process, hence its clock.
 */
const SPANS = 200;
/** Between two starts: not a multiple of any interval on the way, so that all phases are met. */
const PAUSE_MS = 37;
const DEADLINE_MS = 30_000;
const AIM_MS = 100;
const MAIN = join(import.meta.dirname, '../src/main.ts');

const dataDir = await mkdtemp(join(tmpdir(), 'explain-open-spans-'));
let served: Served | undefined;
try {
  served = await serve(process.execPath, [MAIN, 'serve', ...FREE_PORTS, '--data-dir', dataDir]);
  report(await measure(served));
} finally {
  await served?.child.stop();
  await rm(dataDir, { recursive: true, force: true });
}

/** @returns milliseconds from each span's start to the frame that shows it */
async function measure({ otlpHttp, readers }: Served): Promise<number[]> {
  const shownAt = new Map<string, number>();
  const socket = await subscribe(readers, (spanId) => {
    if (!shownAt.has(spanId)) shownAt.set(spanId, performance.now());
  });
  const loggerProvider = new LoggerProvider({
    processors: [
      new BatchLogRecordProcessor({ exporter: new OTLPLogExporter({ url: `http://${otlpHttp}/v1/logs` }) }),
    ],
  });
  const exporter = new OTLPTraceExporter({ url: `http://${otlpHttp}/v1/traces` });
  const tracers = new BasicTracerProvider({
    spanProcessors: [new BatchSpanProcessor(exporter), new OpenSpanProcessor({ loggerProvider })],
  });
  const tracer = tracers.getTracer('agent');
  const startedAt = new Map<string, number>();
  const spans = [];
  for (let i = 0; i < SPANS; i++) {
    const before = performance.now();
    const span = tracer.startSpan(`step ${i}`, { attributes: { 'model.name': 'm', taskID: `T${i % 20}` } });
    startedAt.set(span.spanContext().spanId, before);
    spans.push(span);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  await within(DEADLINE_MS, `all ${SPANS} spans are shown while they run`, () =>
    [...startedAt.keys()].every((id) => shownAt.has(id)) ? true : undefined,
  );
  for (const span of spans) span.end();
  await tracers.shutdown();
  await loggerProvider.shutdown();
  socket.close();
  return [...startedAt].map(([id, at]) => (shownAt.get(id) ?? Infinity) - at);
}

async function subscribe(readers: string, onRunning: (spanId: string) => void): Promise<WebSocket> {
  const socket = new WebSocket(`ws://${readers}/explain`);
  socket.addEventListener('open', () =>
    socket.send(JSON.stringify({ type: 'subscribe', request: { collapse: 'none' } })),
  );
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('error', () => reject(new Error('the reader got no connection')));
    socket.addEventListener('message', ({ data }: MessageEvent) => {
      const frame = JSON.parse(String(data)) as ServerFrame;
      if (frame.type === 'subscribed') resolve();
      if (frame.type !== 'update') return;
      for (const { state, details } of frame.update.addedNodes)
        if (state === 'RUNNING') onRunning(String(details?.['spanId']));
    });
  });
  return socket;
}

function report(latencies: readonly number[]): void {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number): string =>
    (sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN).toFixed(1);
  console.log(`start of a span → shown running, ${sorted.length} spans, ms`);
  console.log(`p50 ${at(0.5)}   p90 ${at(0.9)}   p99 ${at(0.99)}   max ${at(1)}   (aim: below ${AIM_MS})`);
  if (Number(at(0.99)) >= AIM_MS) process.exitCode = 1;
}
