import type { ServerResponse } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Counter, Histogram, Meter } from '@opentelemetry/api';
import { parseKeyPairsIntoRecord } from '@opentelemetry/core';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { defaultResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import {
  CELL_STATES,
  type CellCounts,
  CELLS_GAUGE,
  COUNTERS,
  DELETION_REASONS,
  EVICTION_REASONS,
  FORWARD_DROPS,
  MEW_UNSAID,
  LIMITED,
  type GuardAction,
  HISTOGRAMS,
  INTERRUPT_REFUSALS,
  type Instrument,
  type InterruptRefusal,
  LATENCY_BUCKETS,
  PART_GAUGES,
  PROCESS_GAUGES,
  SIGNALS,
} from './instruments.ts';
import type { Logger } from './logger.ts';
import type { Lookup, OwnListeners } from './own-endpoint.ts';
import type { OwnMetrics } from './own-metrics.ts';
import { OwnSpans } from './own-spans.ts';
import type { Environment } from './span-target.ts';
import { PROMETHEUS_CONTENT_TYPE, prometheusText } from './prometheus-text.ts';

export interface OwnTelemetryOptions {
  /** `OTEL_*` of the standard: service name, resource attributes, endpoint. */
  readonly env: Environment;
  readonly logger: Logger;
  readonly version: string;
  /** Names of all redaction rules: each is counted from 0. */
  readonly redactionRules: readonly string[];
  /** Answers for DNS in tests. */
  readonly lookup?: Lookup;
}

/** Values that other parts know. They are read at every scrape, so they must be cheap. */
export type GaugeSources = { readonly [name in keyof typeof PART_GAUGES]: () => number } & {
  /** Of a gateway. */
  readonly cells?: () => CellCounts;
};

/** A shutdown must not hold up the drain: what cannot be sent in this time is lost. */
const SHUTDOWN_TIMEOUT_MS = 3000;
/** Fine enough for a delay that matters (tens of milliseconds), coarse enough to cost nothing. */
const DELAY_RESOLUTION_MS = 10;
const NS_PER_MS = 1e6;

/**
 * The service's own metrics and spans (spec section 7). Nothing is registered globally, so that several services
 * live in one process. Metrics are always there as Prometheus text; spans go out once `startExport` has found
 * an endpoint.
 */
export class OwnTelemetry implements OwnMetrics {
  private readonly logger: Logger;
  private readonly reader = new PrometheusExporter({ preventServerStart: true });
  private readonly provider: MeterProvider;
  private readonly counters: Readonly<Record<keyof typeof COUNTERS, Counter>>;
  private readonly latency: Histogram;
  private readonly spans: OwnSpans;
  private readonly eventLoopDelay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  private gauges: Partial<GaugeSources> = {};

  constructor({ env, logger, version, redactionRules, lookup }: OwnTelemetryOptions) {
    this.logger = logger;
    const resource = ownResource(env, version);
    this.provider = new MeterProvider({ resource, readers: [this.reader] });
    const meter = this.provider.getMeter('explainability-agent', version);
    this.counters = createCounters(meter);
    const { graphUpdateLatency } = HISTOGRAMS;
    this.latency = meter.createHistogram(graphUpdateLatency.name, {
      unit: graphUpdateLatency.unit,
      description: graphUpdateLatency.description,
      advice: { explicitBucketBoundaries: [...LATENCY_BUCKETS] },
    });
    this.createGauges(meter);
    this.spans = new OwnSpans({ env, logger, resource, ...(lookup && { lookup }) });
    this.eventLoopDelay.enable();

    for (const rule of redactionRules) this.redactions(rule, 0);
    for (const signal of SIGNALS) {
      this.recordsAccepted(signal, 0);
      this.textsCut(signal, 0);
    }
    for (const reason of EVICTION_REASONS) this.nodesEvicted(reason, 0);
    for (const reason of FORWARD_DROPS) this.forwardDropped(reason, 0);
    for (const reason of MEW_UNSAID) this.mewUnsaid(reason, 0);
    this.mewSaid(0);
    for (const what of LIMITED) this.limitsRefused(what, 0);
    this.spansForwarded(0);
    // It is there also where no guard is.
    this.counters.guardsFired.add(0);
    for (const why of INTERRUPT_REFUSALS) this.interruptRefused(why, 0);
    for (const reason of DELETION_REASONS) this.tasksDeleted(reason, 0);
  }

  /** Connects the gauges of parts that are built later; until then they read 0. */
  observe(sources: GaugeSources): void {
    this.gauges = sources;
  }

  /** To be called when the listeners' real ports are known. @returns whether spans are exported */
  startExport(own: OwnListeners): Promise<boolean> {
    return this.spans.start(own);
  }

  /** Answers `GET /metrics`. Never rejects. @param textOf these instruments if absent */
  async answerMetrics(
    response: ServerResponse,
    textOf: () => Promise<string> = () => this.metricsText(),
  ): Promise<void> {
    try {
      const text = await textOf();
      response.writeHead(200, { 'content-type': PROMETHEUS_CONTENT_TYPE }).end(text);
    } catch (error) {
      this.logger.error({ err: error }, 'metrics cannot be collected');
      response.writeHead(500, { 'content-type': 'text/plain' }).end('metrics cannot be collected\n');
    }
  }

  /** Every instrument in Prometheus text format 0.0.4. */
  async metricsText(): Promise<string> {
    const { resourceMetrics, errors } = await this.reader.collect();
    for (const error of errors) this.logger.warn({ err: error }, 'a metric cannot be collected');
    this.eventLoopDelay.reset();
    return prometheusText(resourceMetrics);
  }

  /** Span `explain.ingest`. `errors`: something in the batch was refused. */
  recordIngest(batch: {
    readonly batchSize: number;
    readonly latencyMs: number;
    readonly errors: boolean;
  }): void {
    const { batchSize, latencyMs, errors } = batch;
    this.spans.record('explain.ingest', latencyMs, { batchSize, ingestLatencyMs: latencyMs, errors }, errors);
  }

  /** Span `explain.prune`. */
  recordPrune(prune: {
    readonly nodesPrunedCount: number;
    readonly edgesPrunedCount: number;
    readonly latencyMs: number;
  }): void {
    const { nodesPrunedCount, edgesPrunedCount, latencyMs } = prune;
    this.spans.record('explain.prune', latencyMs, {
      nodesPrunedCount,
      edgesPrunedCount,
      pruneLatencyMs: latencyMs,
    });
  }

  /** Span `explain.persist_snapshot`. */
  recordSnapshot(snapshot: { readonly fileSizeBytes: number; readonly latencyMs: number }): void {
    const { fileSizeBytes, latencyMs } = snapshot;
    this.spans.record('explain.persist_snapshot', latencyMs, {
      persistFileSizeBytes: fileSizeBytes,
      persistLatencyMs: latencyMs,
    });
  }

  nodesCreated(count: number): void {
    this.counters.nodesCreated.add(count);
  }

  edgesCreated(count: number): void {
    this.counters.edgesCreated.add(count);
  }

  redactions(rule: string, count: number): void {
    this.counters.redactions.add(count, { rule });
  }

  redactionErrors(count: number): void {
    this.counters.redactionErrors.add(count);
  }

  recordsAccepted(signal: string, count: number): void {
    this.counters.recordsAccepted.add(count, { signal });
  }

  recordsRejected(signal: string, reason: string, count: number): void {
    this.counters.recordsRejected.add(count, { signal, reason });
  }

  textsCut(signal: string, count: number): void {
    this.counters.textsCut.add(count, { signal });
  }

  graphUpdateLatency(ms: number): void {
    this.latency.record(ms);
  }

  cyclesAvoided(count: number): void {
    this.counters.cyclesAvoided.add(count);
  }

  nodesEvicted(reason: string, count: number): void {
    this.counters.nodesEvicted.add(count, { reason });
  }

  updatesMerged(count: number): void {
    this.counters.updatesMerged.add(count);
  }

  snapshotsNeeded(count: number): void {
    this.counters.snapshotsNeeded.add(count);
  }

  /** Tasks left the store for good, by reason: limit, retention. */
  tasksDeleted(reason: string, count: number): void {
    this.counters.tasksDeleted.add(count, { reason });
  }

  spansForwarded(count: number): void {
    this.counters.spansForwarded.add(count);
  }

  forwardDropped(reason: (typeof FORWARD_DROPS)[number], count: number): void {
    this.counters.forwardDropped.add(count, { reason });
  }

  mewSaid(count: number): void {
    this.counters.mewSaid.add(count);
  }

  mewUnsaid(reason: (typeof MEW_UNSAID)[number], count: number): void {
    this.counters.mewUnsaid.add(count, { reason });
  }

  /** An OTLP request did not fit into `maxInflightBytes`; how many records it had is not known. */
  requestsRefused(count: number): void {
    this.counters.requestsRefused.add(count);
  }

  /** @param guard of the configuration: there are few */
  guardFired(guard: string, action: GuardAction, count: number): void {
    this.counters.guardsFired.add(count, { guard, action });
  }

  interruptRefused(reason: InterruptRefusal, count: number): void {
    this.counters.interruptsRefused.add(count, { reason });
  }

  /** Somebody asked for more than their limits: requests, bytes, spans, thoughts, subscriptions or connections. */
  limitsRefused(what: (typeof LIMITED)[number], count: number): void {
    this.counters.limitsRefused.add(count, { what });
  }

  /** Sends the last spans, within a bounded time. Never rejects. */
  async shutdown(): Promise<void> {
    this.eventLoopDelay.disable();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.logger.warn({}, 'own telemetry is not sent in time: what is left is lost');
        resolve();
      }, SHUTDOWN_TIMEOUT_MS);
    });
    const done = Promise.allSettled([this.spans.shutdown(), this.provider.shutdown()]);
    await Promise.race([done, timeout]);
    clearTimeout(timer);
  }

  private createGauges(meter: Meter): void {
    const read: Record<string, () => number> = {
      [PROCESS_GAUGES.heapUsed.name]: () => process.memoryUsage().heapUsed,
      [PROCESS_GAUGES.eventLoopDelay.name]: () =>
        // What is measured holds the interval of the measurement itself.
        Math.max(0, this.eventLoopDelay.percentile(99) / NS_PER_MS - DELAY_RESOLUTION_MS),
    };
    for (const key of Object.keys(PART_GAUGES) as (keyof typeof PART_GAUGES)[])
      read[PART_GAUGES[key].name] = () => this.gauges[key]?.() ?? 0;
    for (const { name, unit, description } of [
      ...Object.values(PART_GAUGES),
      ...Object.values(PROCESS_GAUGES),
    ])
      meter
        .createObservableGauge(name, { unit, description })
        .addCallback((result) => result.observe(read[name]?.() ?? 0));
    const { name, unit, description } = CELLS_GAUGE;
    meter.createObservableGauge(name, { unit, description }).addCallback((result) => {
      const counts = this.gauges.cells?.();
      for (const state of CELL_STATES) result.observe(counts?.[state] ?? 0, { state });
    });
  }
}

function createCounters(meter: Meter): Readonly<Record<keyof typeof COUNTERS, Counter>> {
  const entries = Object.entries<Instrument>(COUNTERS).map(([key, { name, unit, description }]) => {
    const counter = meter.createCounter(name, { unit, description });
    return [key, counter] as const;
  });
  return Object.fromEntries(entries) as Record<keyof typeof COUNTERS, Counter>;
}

/** `OTEL_SERVICE_NAME` wins over the name in `OTEL_RESOURCE_ATTRIBUTES`, as the standard has it. */
function ownResource(env: Environment, version: string): Resource {
  const named = parseKeyPairsIntoRecord(env['OTEL_RESOURCE_ATTRIBUTES']);
  const serviceName = env['OTEL_SERVICE_NAME'] || named['service.name'] || 'explainability-agent';
  return defaultResource().merge(
    resourceFromAttributes({ 'service.version': version, ...named, 'service.name': serviceName }),
  );
}
