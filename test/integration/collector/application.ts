import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { OTLPLogExporter as GrpcLogs } from '@opentelemetry/exporter-logs-otlp-grpc';
import { OTLPLogExporter as HttpLogs } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPTraceExporter as GrpcTraces } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as HttpTraces } from '@opentelemetry/exporter-trace-otlp-proto';
import type { LogRecordExporter } from '@opentelemetry/sdk-logs';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { runAgent, type AgentOptions, type AgentRun } from './agent-run.ts';
import type { CollectorProcess, Protocol } from './collector-process.ts';

/** Pause between two runs: about 20 runs, 140 spans and 220 log records a second. */
const RUN_PAUSE_MS = 50;
/** One attempt of an exporter. */
const EXPORT_TIMEOUT_MS = 3_000;
const RETRY_PAUSE_MS = 200;
/** Longer than the Collector is away in any test. */
const GIVE_UP_MS = 60_000;

interface Export<T> {
  export(items: T[], done: (result: { readonly code: number }) => void): void;
}

/**
 * An application with agents in it, which sends to the Collector with the official exporters. What the Collector
 * did not confirm it sends again.
 */
export class Application {
  readonly runs: AgentRun[] = [];
  private readonly options: AgentOptions;
  private readonly traces: SpanExporter;
  private readonly logs: LogRecordExporter;
  private readonly sending = new Set<Promise<void>>();
  private failure: unknown;

  constructor(collector: CollectorProcess, protocol: Protocol, options: AgentOptions = {}) {
    this.options = options;
    const { grpcUrl, httpUrl } = collector;
    const timeoutMillis = EXPORT_TIMEOUT_MS;
    const isGrpc = protocol === 'grpc';
    this.traces = isGrpc
      ? new GrpcTraces({ url: grpcUrl, timeoutMillis })
      : new HttpTraces({ url: `${httpUrl}/v1/traces`, timeoutMillis });
    this.logs = isGrpc
      ? new GrpcLogs({ url: grpcUrl, timeoutMillis })
      : new HttpLogs({ url: `${httpUrl}/v1/logs`, timeoutMillis });
  }

  /** Runs agents until the work beside it is done, or has failed; resolves when all was confirmed. */
  async runWhile(work: () => Promise<void>): Promise<void> {
    const ending = new AbortController();
    await Promise.all([work().finally(() => ending.abort()), this.runUntil(ending.signal)]);
    await this.confirmed();
  }

  private async runUntil(end: AbortSignal): Promise<void> {
    while (!end.aborted) {
      this.send(runAgent(this.options));
      await setTimeout(RUN_PAUSE_MS);
    }
  }

  /** All that was sent so far has been confirmed by the Collector. */
  async confirmed(): Promise<void> {
    await Promise.all(this.sending);
    assert.equal(this.failure, undefined);
  }

  async shutdown(): Promise<void> {
    await Promise.all([this.traces.shutdown(), this.logs.shutdown()]);
  }

  /**
   * In pieces, as a batch processor would cut them: logs before their spans and after, children before the root.
   * The tokens of one thought stay together: what a restart of the service cuts in two becomes two lines.
   */
  private send(run: AgentRun): void {
    this.runs.push(run);
    const { spans, logs } = run;
    this.deliver(this.logs, logs.slice(0, 1));
    this.deliver(this.traces, spans.slice(0, 3));
    this.deliver(this.logs, logs.slice(1));
    this.deliver(this.traces, spans.slice(3));
  }

  private deliver<T>(exporter: Export<T>, items: readonly T[]): void {
    const delivery = untilConfirmed(exporter, items)
      .catch((error: unknown) => void (this.failure ??= error))
      .finally(() => this.sending.delete(delivery));
    this.sending.add(delivery);
  }
}

async function untilConfirmed<T>(exporter: Export<T>, items: readonly T[]): Promise<void> {
  const deadline = performance.now() + GIVE_UP_MS;
  for (;;) {
    const { code } = await new Promise<{ readonly code: number }>((resolve) =>
      exporter.export([...items], resolve),
    );
    if (code === 0) return;
    assert.ok(performance.now() < deadline, `the Collector confirmed nothing for ${GIVE_UP_MS} ms`);
    await setTimeout(RETRY_PAUSE_MS);
  }
}
