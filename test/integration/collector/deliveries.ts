import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { recordedSpans, type RecordedSpan } from '../recordings/recording-spans.ts';
import type { Recording } from '../recordings/load-recordings.ts';
import { Application } from './application.ts';
import { whatIsWrong } from './check-delivery.ts';
import type { CollectorProcess, Protocol } from './collector-process.ts';
import { sendMetric, sendTraces } from './otlp-request.ts';
import type { Stage } from './stage.ts';
import type { Report } from './report.ts';
import { waitForNone } from './wait.ts';

/** Longer than the longest pause between two attempts of the Collector (max_interval, 10 s), twice. */
const ARRIVAL_LIMIT_MS = 40_000;
/** How long agents run before, in and after each restart. */
const ACT_MS = 2_000;

/**
 * What must come through whole, while both ends are restarted. The application speaks the same protocol to the
 * Collector as the Collector to the service; the recordings go in by both.
 */
export async function checkDeliveries(
  { service, collector }: Stage,
  protocol: Protocol,
  recordings: readonly Recording[],
  report: Report,
): Promise<void> {
  const spans: RecordedSpan[] = [];
  const arrived = (application?: Application): Promise<void> =>
    waitForNone(ARRIVAL_LIMIT_MS, () => whatIsWrong(service, { spans, runs: application?.runs ?? [] }));

  await report.test(
    `[CT3] ${recordings.length} recordings arrive whole, and nothing of them twice`,
    async () => {
      let sent = 0;
      for (const [index, { requests }] of recordings.entries()) {
        const found = recordedSpans(requests);
        sent += found.length;
        spans.push(...found);
        for (const request of requests)
          await sendTraces(collector, index % 2 === 0 ? 'http' : 'grpc', request);
      }
      await sendMetric(collector);
      await arrived();
      const graph = await service.graph();
      const counted = await service.metrics();
      const accepted = (signal: string): number => counted.sum('explain_records_accepted_total', { signal });
      assert.deepEqual([accepted('span'), accepted('metric')], [sent, 1], 'records accepted');
      // Records of one call may be nodes of their own until it is known that they are one.
      assert.ok(counted.sum('explain_node_created_total') >= graph.nodes.length, 'nodes created');
      const counts = await collector.metrics();
      assert.equal(counts.sum('otelcol_exporter_sent_spans'), sent, 'spans sent by the Collector');
      await nothingRefused({ service, collector });
    },
  );

  const application = new Application(collector, protocol);
  await report.test(
    '[CT2] the service is restarted under a stream: nothing is lost, or there twice',
    async () => {
      await application.runWhile(async () => {
        await setTimeout(ACT_MS);
        await nothingRefused({ service, collector });
        await service.stop();
        await setTimeout(ACT_MS);
        await service.start();
        await setTimeout(ACT_MS);
      });
      await arrived(application);
      await nothingRefused({ service, collector });
      await sameCounts(collector);
    },
  );

  await report.test(
    '[CT2] the Collector is stopped, and killed, while the service is away: its queue survives',
    async () => {
      await application.runWhile(async () => {
        await nothingRefused({ service, collector });
        await service.stop();
        await setTimeout(ACT_MS);
        await nothingFailed(collector);
        await collector.stop();
        await setTimeout(ACT_MS / 2);
        await collector.start();
        await setTimeout(ACT_MS);
        await nothingFailed(collector);
        await collector.kill();
        await collector.start();
      });
      // The application is content: from here on all depends on what the Collector has on disk.
      await service.start();
      await arrived(application);
      await nothingRefused({ service, collector });
    },
  );
  await application.shutdown();
  const total = application.runs.flatMap((run) => run.recorded).length + spans.length;
  report.note(`${total} spans, ${application.runs.flatMap((run) => run.logs).length} log records`);
}

async function nothingRefused({ service, collector }: Stage): Promise<void> {
  const samples = await service.metrics();
  // A service that restores its graph asks to send again later, and that is what the Collector does.
  const later = samples.sum('explain_records_rejected_total', { reason: 'unavailable' });
  assert.equal(samples.sum('explain_records_rejected_total') - later, 0, 'records rejected for good');
  await nothingFailed(collector);
}

async function nothingFailed(collector: CollectorProcess): Promise<void> {
  const counts = await collector.metrics();
  for (const signal of ['spans', 'log_records', 'metric_points']) {
    for (const count of COUNTS) assert.equal(counts.sum(`${count}_${signal}`), 0, `${count}_${signal}`);
  }
}

const COUNTS = [
  'otelcol_receiver_refused',
  'otelcol_receiver_failed',
  'otelcol_exporter_send_failed',
  'otelcol_exporter_enqueue_failed',
];

/** In a life of the Collector in which nothing went wrong, it sent exactly what it took. */
async function sameCounts(collector: CollectorProcess): Promise<void> {
  const counts = await collector.metrics();
  for (const signal of ['spans', 'log_records'])
    assert.equal(
      counts.sum(`otelcol_exporter_sent_${signal}`),
      counts.sum(`otelcol_receiver_accepted_${signal}`),
      `${signal} sent and accepted by the Collector`,
    );
}
