import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buildCollector } from '../collector/build-collector.ts';
import { endWithUs } from '../collector/end-with-us.ts';
import { freePorts } from '../collector/free-ports.ts';
import type { Report } from '../collector/report.ts';
import { waitFor } from '../collector/wait.ts';

const MANIFEST = resolve(import.meta.dirname, '../../../config/otel-collector/builder.yaml');
const LIMIT_MS = 60_000;

interface CollectorOfTls {
  /** Files of certificates by name. */
  readonly at: (name: string) => string;
  /** Where the service takes OTLP/gRPC from who shows a certificate. */
  readonly port: number;
  /** What it sends along. */
  readonly key?: string;
  readonly report: Report;
}

/**
 * A Collector that shows a certificate to the service. Where Go is missing that is said, and nothing is done.
 * @param use given where the Collector takes OTLP/HTTP
 */
export async function withCollector(
  { at, port, key, report }: CollectorOfTls,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const built = await buildCollector(MANIFEST, (what) => report.note(what));
  if (built === undefined)
    return report.note('SKIPPED: Go is not installed, and the Collector is built with it');
  const [own = 0] = await freePorts(1);
  const config = at(`collector-${own}.yaml`);
  await writeFile(
    config,
    `receivers: { otlp: { protocols: { http: { endpoint: '127.0.0.1:${own}' } } } }
exporters:
  otlp_grpc:
    endpoint: localhost:${port}
    tls: { ca_file: ${at('ca.crt')}, cert_file: ${at('client.crt')}, key_file: ${at('client.key')} }
    ${key === undefined ? '' : `headers: { x-api-key: ${key} }`}
service:
  pipelines:
    traces: { receivers: [otlp], exporters: [otlp_grpc] }
    logs: { receivers: [otlp], exporters: [otlp_grpc] }
  telemetry: { metrics: { level: none } }
`,
    { mode: 0o600 },
  );
  const child = spawn(built.binary, [`--config=${config}`], { stdio: ['ignore', 'ignore', 'pipe'] });
  endWithUs(child);
  const closed = once(child, 'close');
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  try {
    const url = `http://127.0.0.1:${own}`;
    await waitFor('the Collector listens', LIMIT_MS, () => {
      assert.equal(child.exitCode, null, log.slice(-2000));
      return fetch(url).then(
        () => true,
        () => false,
      );
    });
    await use(url);
  } finally {
    child.kill('SIGTERM');
    await closed;
  }
}
