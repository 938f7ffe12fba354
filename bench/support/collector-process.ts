import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'node:net';
import { buildCollector } from '../../test/integration/collector/build-collector.ts';
import { freePorts } from '../../test/integration/collector/free-ports.ts';
import { cpuSecondsOf } from './cpu-seconds.ts';
import { residentBytesOf } from './resident-bytes.ts';

const CONFIG = new URL('../collector/collector.yaml', import.meta.url).pathname;
const MANIFEST = new URL('../collector/builder.yaml', import.meta.url).pathname;
const START_TIMEOUT_MS = 20_000;
const WAIT_MS = 100;

/** A Collector of OpenTelemetry in a process of its own, whose processor time is counted. */
export interface CollectorProcess {
  readonly grpcPort: number;
  /** Seconds of processor time of all its threads until now. */
  cpuSeconds(): number;
  residentBytes(): number;
  stop(): Promise<void>;
}

/** @returns undefined where Go is not installed, with which it is built */
export async function startCollector(): Promise<CollectorProcess | undefined> {
  const built = await buildCollector(MANIFEST, console.log);
  if (!built) return undefined;
  const [grpcPort = 0] = await freePorts(1);
  const child = spawn(built.binary, [`--config=${CONFIG}`], {
    env: { COLLECTOR_GRPC_PORT: String(grpcPort) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-2000)));
  const ended = once(child, 'exit');
  const { pid = 0 } = child;
  for (let waited = 0; !(await listens(grpcPort)); waited += WAIT_MS) {
    if (child.exitCode !== null || waited > START_TIMEOUT_MS)
      throw new Error(`the Collector did not start:\n${log}`);
    await sleep(WAIT_MS);
  }
  return {
    grpcPort,
    cpuSeconds: () => cpuSecondsOf(pid),
    residentBytes: () => residentBytesOf(pid),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function listens(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
