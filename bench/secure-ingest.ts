import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from '../src/base/x509.ts';
import { MeasuredLoad } from './ingest.ts';
import { keysIn } from './support/keys.ts';
import { startServer } from './support/server-process.ts';

const TOKEN = 'token-of-the-bench';
/** Few enough that nothing leaves memory. */
const REQUESTS = 20;
/** The services have the load in turn: whatever else the machine does then slows all alike. */
const ROUNDS = 5;

export interface SecureIngestResult {
  /** Spans per CPU-second. */
  readonly plain: number;
  readonly withToken: number;
  readonly withKey: number;
  /** With TLS and a token, or a key, against without. */
  readonly tokenShare: number;
  readonly keyShare: number;
}

/** The same spans to a service without, to one with TLS and a token, and to one with TLS and a key. */
export async function benchSecureIngest(): Promise<SecureIngestResult> {
  const folder = await mkdtemp(join(tmpdir(), 'explain-bench-tls-'));
  const { ca, files } = await certificates(folder);
  const tls = ['--tls', JSON.stringify({ otlpGrpc: files })];
  let key = '';
  const servers = [
    await startServer(),
    await startServer([...tls, '--auth', JSON.stringify({ token: TOKEN })]),
    await startServer(tls, [], async (dataDir) => {
      [key = ''] = await keysIn(dataDir, ['bench']);
    }),
  ];
  const senders = [undefined, { ca, token: TOKEN }, { ca, token: key }];
  const loads = servers.map((server, n) => new MeasuredLoad(server, senders[n]));
  try {
    for (const load of loads) await load.warmUp();
    for (let round = 0; round < ROUNDS; round++) for (const load of loads) await load.send(REQUESTS);
    const [plain = NaN, withToken = NaN, withKey = NaN] = loads.map((load) => load.spansPerCpuSecond);
    return { plain, withToken, withKey, tokenShare: withToken / plain, keyShare: withKey / plain };
  } finally {
    for (const load of loads) load.close();
    await Promise.all(servers.map((server) => server.stop()));
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
