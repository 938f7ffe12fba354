import { ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api';
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as HttpExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';

/** A sender gives up on a request after this: the service dies under it. */
const TIMEOUT_MS = 2000;
const MAX_BATCH = 64;

/** `traceId:spanId`, as the service names the node. */
export function keyOf(span: Pick<Span, 'spanContext'>): string {
  const { traceId, spanId } = span.spanContext();
  return `${traceId}:${spanId}`;
}

/** Spans of agent runs from the SDK, sent by its own exporters; it knows which of them were acknowledged. */
export class Load {
  readonly acknowledged = new Set<string>();
  /** What each of them says of itself, up to what is hidden in it. */
  readonly notes = new Map<string, string>();
  /** Sent, and not known to have arrived: they are sent again to the next service. */
  private unknown: ReadableSpan[] = [];
  private readonly made = new InMemorySpanExporter();
  private readonly tracer;
  private readonly random: () => number;
  private runs = 0;

  constructor(random: () => number) {
    this.random = random;
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(this.made)] });
    this.tracer = provider.getTracer('crash-load');
  }

  /** Sends until it is told to stop, over gRPC and HTTP at once. */
  async send(
    addresses: { readonly otlpGrpc: string; readonly otlpHttp: string },
    until: () => boolean,
  ): Promise<void> {
    const exporters = [
      new GrpcExporter({ url: `http://${addresses.otlpGrpc}`, timeoutMillis: TIMEOUT_MS }),
      new HttpExporter({ url: `http://${addresses.otlpHttp}/v1/traces`, timeoutMillis: TIMEOUT_MS }),
    ];
    await Promise.all(exporters.map((exporter) => this.sendBy(exporter, until)));
    await Promise.allSettled(exporters.map((exporter) => exporter.shutdown()));
  }

  private async sendBy(exporter: SpanExporter, until: () => boolean): Promise<void> {
    while (!until()) {
      const again = this.unknown.splice(0, MAX_BATCH);
      const spans = [...again, ...this.agentRun()];
      if (await exported(exporter, spans)) for (const span of spans) this.acknowledged.add(keyOf(span));
      else this.unknown.push(...spans);
    }
  }

  /** A root, and calls of model and tools below it; now and then a long text, the same with more behind it. */
  private agentRun(): readonly ReadableSpan[] {
    const run = ++this.runs;
    const count = 1 + Math.floor(this.random() * MAX_BATCH);
    const root = this.tracer.startSpan('invoke_agent coder', { root: true });
    const context = trace.setSpan(ROOT_CONTEXT, root);
    for (let n = 1; n < count; n++) {
      const span = this.tracer.startSpan('chat', {}, context);
      span.setAttributes({
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'llama-3',
        'gen_ai.usage.input_tokens': n,
        'gen_ai.agent.name': 'CoderAgent',
        // What is hidden must come out the same when it is sent again.
        note: `run ${run}, step ${n}, for user${n}@example.org`,
      });
      this.notes.set(keyOf(span), `run ${run}, step ${n}, for [EMAIL:`);
      if (n % 16 === 0)
        span.setAttribute('input.value', 'and then it looked at the file once more. '.repeat(n * 20));
      span.end();
    }
    root.end();
    const spans = this.made.getFinishedSpans();
    this.made.reset();
    return spans;
  }
}

/** The SDK's code of success is 0. */
function exported(exporter: SpanExporter, spans: readonly ReadableSpan[]): Promise<boolean> {
  return new Promise((resolve) => exporter.export([...spans], ({ code }) => resolve(!code)));
}
