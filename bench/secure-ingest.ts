import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from '../src/base/x509.ts';
import { MeasuredLoad } from './ingest.ts';
import { startServer } from './support/server-process.ts';

const TOKEN = 'token-of-the-bench';
/** Few enough that nothing leaves memory. */
const REQUESTS = 20;
/** Both services have the load in turn: whatever else the machine does then slows both alike. */
const ROUNDS = 5;

export interface SecureIngestResult {
  readonly plain: number;
  readonly secure: number;
  /** Spans per CPU-second with TLS and a token, against without. */
  readonly share: number;
}

/** The same spans to a service without and to one with TLS and a token. */
export async function benchSecureIngest(): Promise<SecureIngestResult> {
  const folder = await mkdtemp(join(tmpdir(), 'explain-bench-tls-'));
  const { ca, files } = await certificates(folder);
  const [plain, secure] = await Promise.all([
    startServer(),
    startServer(['--tls', JSON.stringify({ otlpGrpc: files }), '--auth', JSON.stringify({ token: TOKEN })]),
  ]);
  const without = new MeasuredLoad(plain);
  const withTls = new MeasuredLoad(secure, { ca, token: TOKEN });
  try {
    for (const load of [without, withTls]) await load.warmUp();
    for (let round = 0; round < ROUNDS; round++)
      for (const load of [without, withTls]) await load.send(REQUESTS);
    return {
      plain: without.spansPerCpuSecond,
      secure: withTls.spansPerCpuSecond,
      share: withTls.spansPerCpuSecond / without.spansPerCpuSecond,
    };
  } finally {
    for (const load of [without, withTls]) load.close();
    await Promise.all([plain.stop(), secure.stop()]);
    await rm(folder, { recursive: true });
  }
}

async function certificates(
  folder: string,
): Promise<{ ca: string; files: Record<'certFile' | 'keyFile', string> }> {
  const HOUR_MS = 3_600_000;
  const validity = {
    validFrom: new Date(Date.now() - HOUR_MS),
    validTo: new Date(Date.now() + 24 * HOUR_MS),
  };
  const ca = makeCertificate({ use: 'authority', commonName: 'bench', ...validity });
  const pair = makeCertificate({
    use: 'server',
    commonName: 'localhost',
    names: ['localhost'],
    signedBy: ca,
    ...validity,
  });
  const files = { certFile: join(folder, 'server.crt'), keyFile: join(folder, 'server.key') };
  await writeFile(files.certFile, pair.cert);
  await writeFile(files.keyFile, pair.key, { mode: 0o600 });
  return { ca: ca.cert, files };
}
