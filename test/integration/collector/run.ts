import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildCollector } from './build-collector.ts';
import { checkCells } from './cells.ts';
import { exporterOf, validateConfig, type Protocol } from './collector-process.ts';
import { checkDeliveries } from './deliveries.ts';
import { Report } from './report.ts';
import { onStage } from './stage.ts';
import { checkTroubles } from './troubles.ts';
import { loadRecordings, type Recording } from '../recordings/load-recordings.ts';

/**
 * Builds a real OpenTelemetry Collector, puts it with our example configuration in front of the real service, and
 * sends recordings and a stream of agent runs through both while they are restarted. Then with three cells and a gateway.
 * The Collector for cells has clients of Kubernetes and AWS in it: on two cores the first build takes more than four
 * minutes, one with the compiler's cache six seconds.
 * Usage: npm run test:collector -- [FOLDER OF RECORDINGS]
 */
const ROOT = resolve(import.meta.dirname, '../../..');
const MANIFEST = join(ROOT, 'config/otel-collector/builder.yaml');
const CELLS_MANIFEST = join(ROOT, 'config/otel-collector/builder-cells.yaml');
const CONFIG = join(ROOT, 'config/otel-collector/collector.yaml');
const PROTOCOLS: readonly Protocol[] = ['grpc', 'http'];

const folder = resolve(process.argv[2] ?? join(ROOT, 'test/fixtures/telemetry'));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.exitCode = await run();

async function run(): Promise<number> {
  if (!existsSync(folder)) {
    console.error(`no recordings: there is no folder ${folder}`);
    return 1;
  }
  const report = new Report();
  let binary: string | undefined;
  await report.test('[CT1] the Collector is built from builder.yaml', async () => {
    const built = await buildCollector(MANIFEST, (what) => report.note(what));
    if (built === undefined) throw new Error('Go is not installed, and the Collector is built with it');
    binary = built.binary;
    report.note(built.isNew ? `built: ${binary}` : `from the cache: ${binary}`);
  });
  if (binary !== undefined) {
    const recordings = await loadRecordings(folder);
    await runWith(binary, recordings, report);
    await runCells(recordings, report);
  }
  return report.end() ? 0 : 1;
}

async function runCells(recordings: readonly Recording[], report: Report): Promise<void> {
  report.start('cells');
  let binary: string | undefined;
  await report.test('[CT8] the Collector for cells is built from builder-cells.yaml', async () => {
    const built = await buildCollector(CELLS_MANIFEST, (what) => report.note(what));
    if (built === undefined) throw new Error('Go is not installed, and the Collector is built with it');
    binary = built.binary;
    report.note(built.isNew ? `built: ${binary}` : `from the cache: ${binary}`);
  });
  if (binary !== undefined) await checkCells(binary, recordings, report);
}

async function runWith(binary: string, recordings: readonly Recording[], report: Report): Promise<void> {
  for (const protocol of PROTOCOLS) {
    report.start(exporterOf(protocol));
    await report.test('[CT1] the configuration is valid', () => validate(binary, protocol));
    const options = { binary, config: CONFIG, protocol };
    await report.test('both ends start, stop and start again', () =>
      onStage(options, (stage) => checkDeliveries(stage, protocol, recordings, report)),
    );
    await checkTroubles(options, report);
  }
}

async function validate(binary: string, protocol: Protocol): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'test-collector-'));
  try {
    await validateConfig(binary, [CONFIG], work, { EXPLAIN_EXPORTER: exporterOf(protocol) });
  } finally {
    await rm(work, { recursive: true });
  }
}
