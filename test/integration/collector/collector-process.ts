import assert from 'node:assert/strict';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { endWithUs } from './end-with-us.ts';
import { freePorts } from './free-ports.ts';
import { scrape, type Samples } from './prometheus-samples.ts';
import { waitFor } from './wait.ts';

const START_LIMIT_MS = 20_000;
/** It waits for requests under way (`timeout` of the exporters) when it is stopped. */
const STOP_LIMIT_MS = 40_000;
const ANSWER_LIMIT_MS = 5_000;
/** The end of its log that is kept. */
const LOG_CHARS = 4 * 1024 * 1024;

export type Protocol = 'grpc' | 'http';

export interface CollectorOptions {
  readonly binary: string;
  /** Files that are one configuration together. */
  readonly configs: readonly string[];
  /** Its working folder; the queue is below it. */
  readonly folder: string;
  /** What the configuration takes from the environment, but its own ports. */
  readonly env: Readonly<Record<string, string>>;
  /** A command that becomes the Collector, which its arguments start. */
  readonly through?: readonly [string, ...string[]];
}

/** Where one service is, for collector.yaml. */
export interface Target {
  /** How the Collector sends to the service. */
  readonly protocol: Protocol;
  /** `host:port` of the service. */
  readonly otlpGrpc: string;
  readonly otlpHttp: string;
  /** What it sends as the bearer token. */
  readonly token?: string;
}

/** What collector.yaml takes from the environment to send to this service. */
export function toService({ protocol, otlpGrpc, otlpHttp, token }: Target): Record<string, string> {
  return {
    EXPLAIN_EXPORTER: exporterOf(protocol),
    EXPLAIN_ENDPOINT: otlpGrpc,
    EXPLAIN_HTTP_ENDPOINT: `http://${otlpHttp}`,
    ...(token !== undefined && { EXPLAIN_TOKEN: token }),
  };
}

/** `otelcol validate`. @throws Error with what it says when it refuses the configuration */
export async function validateConfig(
  binary: string,
  configs: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const run = promisify(execFile);
  await run(binary, ['validate', ...configs.map((config) => `--config=${config}`)], {
    cwd: folder,
    env,
    timeout: START_LIMIT_MS,
  });
}

/**
 * The Collector with the configuration as users have it: what is different here comes from the environment. It
 * keeps its ports and its folder when it is started again.
 */
export class CollectorProcess {
  /** What it wrote, over all its lives. */
  log = '';
  private readonly options: CollectorOptions;
  private readonly ports: readonly number[];
  private process: ChildProcess | undefined;
  private exited: Promise<unknown> = Promise.resolve();

  private constructor(options: CollectorOptions, ports: readonly number[]) {
    this.options = options;
    this.ports = ports;
  }

  static async start(options: CollectorOptions): Promise<CollectorProcess> {
    const collector = new CollectorProcess(options, await freePorts(4));
    await collector.start();
    return collector;
  }

  /** `http://host:port` where it takes OTLP. */
  get grpcUrl(): string {
    return `http://127.0.0.1:${this.ports[0]}`;
  }

  get httpUrl(): string {
    return `http://127.0.0.1:${this.ports[1]}`;
  }

  async start(): Promise<void> {
    const { binary, configs, folder, through = [] } = this.options;
    const [command, ...args] = [...through, binary, ...configs.map((file) => `--config=${file}`)];
    const child = spawn(command, args, {
      cwd: folder,
      env: this.environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    endWithUs(child);
    this.process = child;
    this.exited = once(child, 'close');
    const keep = (chunk: Buffer): void => void (this.log = (this.log + chunk.toString()).slice(-LOG_CHARS));
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    await waitFor('the Collector is healthy', START_LIMIT_MS, async () => {
      assert.equal(child.exitCode, null, `the Collector ended:\n${this.log.slice(-2_000)}`);
      return answersOk(`http://127.0.0.1:${this.ports[3]}/`);
    });
  }

  /** As an operator stops it: what is queued stays on disk. */
  async stop(): Promise<void> {
    const child = this.running();
    child.kill('SIGTERM');
    await waitFor('the Collector has stopped', STOP_LIMIT_MS, () => child.exitCode !== null);
    await this.exited;
    assert.equal(child.exitCode, 0, `the Collector's exit code:\n${this.log.slice(-2_000)}`);
    this.process = undefined;
  }

  /** As a machine that runs out of memory stops it. Does nothing when it does not run. */
  async kill(): Promise<void> {
    this.process?.kill('SIGKILL');
    await this.exited;
    this.process = undefined;
  }

  metrics(): Promise<Samples> {
    return scrape(`http://127.0.0.1:${this.ports[2]}/metrics`, ANSWER_LIMIT_MS);
  }

  private running(): ChildProcess {
    assert.ok(this.process, 'the Collector runs');
    return this.process;
  }

  private environment(): Record<string, string> {
    const [grpc, http, metrics, health] = this.ports;
    return {
      ...this.options.env,
      COLLECTOR_GRPC_PORT: String(grpc),
      COLLECTOR_HTTP_PORT: String(http),
      COLLECTOR_METRICS_PORT: String(metrics),
      COLLECTOR_HEALTH_PORT: String(health),
    };
  }
}

export function exporterOf(protocol: Protocol): string {
  return protocol === 'grpc' ? 'otlp_grpc/explain' : 'otlp_http/explain';
}

async function answersOk(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) })).ok;
  } catch {
    return false;
  }
}
