import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuSecondsOf, mainCpuSecondsOf } from './cpu-seconds.ts';
import { residentBytesOf } from './resident-bytes.ts';
import { waitedMsOf } from './waited.ts';

const START_TIMEOUT_MS = 20_000;

/** The service in a process of its own, whose processor time is counted. */
export interface ServerProcess {
  readonly grpcPort: number;
  readonly httpPort: number;
  readonly port: number;
  /** Seconds of processor time of all its threads until now. */
  cpuSeconds(): number;
  /** The same of its main thread alone. */
  mainCpuSeconds(): number;
  /** Milliseconds that its main thread has waited for a processor until now. */
  waitedMs(): number;
  /** Bytes of all files in its folder now. */
  diskBytes(): number;
  /** Bytes of resident memory now. */
  residentBytes(): number;
  metric(name: string): Promise<number>;
  metricsText(): Promise<string>;
  stop(): Promise<void>;
}

/**
 * @param flags more flags of the command line
 * @param nodeFlags flags of Node itself
 */
export async function startServer(
  flags: readonly string[] = [],
  nodeFlags: readonly string[] = [],
  prepare?: (dataDir: string) => Promise<void>,
): Promise<ServerProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), 'explain-bench-'));
  await prepare?.(dataDir);
  const main = new URL('../../src/main.ts', import.meta.url).pathname;
  const ports = ['--port', '0', '--otlp-grpc-port', '0', '--otlp-http-port', '0'];
  const child = spawn(
    process.execPath,
    [...nodeFlags, main, 'serve', ...ports, '--data-dir', dataDir, '--log-level', 'error', ...flags],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const text = await untilReady(child);
  const portOf = (label: string): number =>
    Number(new RegExp(`^${label}\\s+\\S*?:(\\d+)`, 'm').exec(text)?.[1]);
  const port = Number(/^readers\s+http:\/\/[^:]+:(\d+)/m.exec(text)?.[1]);
  const pid = child.pid ?? 0;
  const metricsText = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return {
    grpcPort: portOf('OTLP/gRPC'),
    httpPort: Number(/^OTLP\/HTTP\s+http:\/\/[^:]+:(\d+)/m.exec(text)?.[1]),
    port,
    cpuSeconds: () => cpuSecondsOf(pid),
    mainCpuSeconds: () => mainCpuSecondsOf(pid),
    waitedMs: () => waitedMsOf(pid),
    diskBytes: () => bytesIn(dataDir),
    residentBytes: () => residentBytesOf(pid),
    metricsText,
    async metric(name) {
      const line = (await metricsText()).split('\n').find((row) => row.startsWith(`${name} `));
      return Number(line?.split(' ')[1]);
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGTERM');
        await ended;
      }
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  // Files come and go meanwhile.
  const sizes = files.map((name) => statSync(join(folder, name), { throwIfNoEntry: false }));
  return sizes.reduce((sum, found) => sum + (found?.isFile() === true ? found.size : 0), 0);
}

function untilReady(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error('the service did not become ready')), START_TIMEOUT_MS);
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (!text.includes('\nready\n')) return;
      clearTimeout(timer);
      resolve(text);
    });
    child.once('exit', (code) => reject(new Error(`the service ended with code ${code}`)));
  });
}
