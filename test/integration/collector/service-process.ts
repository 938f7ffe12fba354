import assert from 'node:assert/strict';
import type { ExplanationGraph } from '../../../src/model/node.ts';
import type { NodeDetail } from '../../../src/model/reader-messages.ts';
import { SpawnedService } from '../../e2e/spawned-service.ts';
import { endWithUs } from './end-with-us.ts';
import { freePorts } from './free-ports.ts';
import type { OtlpUrls } from './otlp-request.ts';
import { scrape, type Samples } from './prometheus-samples.ts';
import { waitFor } from './wait.ts';

const START_LIMIT_MS = 30_000;
/** It ends its work and writes a snapshot. */
const STOP_LIMIT_MS = 30_000;
const ANSWER_LIMIT_MS = 20_000;

export interface Place {
  /** Of its data. */
  readonly folder: string;
  /** An address of this machine; 127.0.0.1 without it. */
  readonly host?: string;
  /** For readers, OTLP/gRPC and OTLP/HTTP. */
  readonly ports: readonly number[];
}

/** The service in a process of its own; it keeps its ports and its data folder when it is started again. */
export class ServiceProcess {
  readonly otlpGrpc: string;
  readonly otlpHttp: string;
  private readonly readers: string;
  private readonly flags: readonly string[];
  private readonly folder: string;
  private readonly token: string | undefined;
  private spawned: SpawnedService | undefined;

  private constructor(place: Place, flags: readonly string[], token?: string) {
    const { folder, host = '127.0.0.1', ports } = place;
    const [readers, otlpGrpc, otlpHttp] = ports;
    this.readers = `http://${host}:${readers}`;
    this.otlpGrpc = `${host}:${otlpGrpc}`;
    this.otlpHttp = `${host}:${otlpHttp}`;
    this.folder = folder;
    this.token = token;
    this.flags = [
      `--host=${host}`,
      `--port=${readers}`,
      `--otlp-grpc-port=${otlpGrpc}`,
      `--otlp-http-port=${otlpHttp}`,
      ...flags,
    ];
  }

  /** @param token the service's auth.token */
  static async start(folder: string, flags: readonly string[] = [], token?: string): Promise<ServiceProcess> {
    const auth = token === undefined ? [] : [`--auth=${JSON.stringify({ token })}`];
    const place = { folder, ports: await freePorts(3) };
    const service = new ServiceProcess(place, [...flags, ...auth], token);
    await service.start();
    return service;
  }

  static async startAt(place: Place, flags: readonly string[] = []): Promise<ServiceProcess> {
    const service = new ServiceProcess(place, flags);
    await service.start();
    return service;
  }

  async start(): Promise<void> {
    const args = ['serve', `--data-dir=${this.folder}`, ...this.flags];
    // `kill` ends it.
    const spawned = new SpawnedService({ after() {} }, this.folder, args);
    endWithUs(spawned.process);
    this.spawned = spawned;
    await waitFor('the service is ready', START_LIMIT_MS, () => {
      assert.equal(spawned.process.exitCode, null, spawned.stderr);
      return spawned.stdout.endsWith('ready\n');
    });
  }

  /** A clean stop: what was accepted is in the snapshot. */
  async stop(): Promise<void> {
    const { spawned } = this;
    assert.ok(spawned, 'the service runs');
    spawned.process.kill('SIGTERM');
    await waitFor('the service has stopped', STOP_LIMIT_MS, () => spawned.process.exitCode !== null);
    assert.equal(await spawned.exit(), 0, spawned.stderr);
    this.spawned = undefined;
  }

  /** Does nothing when it does not run. */
  async kill(): Promise<void> {
    this.spawned?.process.kill('SIGKILL');
    await this.spawned?.exit();
    this.spawned = undefined;
  }

  /** `host:port` for readers. */
  get address(): string {
    return new URL(this.readers).host;
  }

  /** Where it takes OTLP itself. */
  get urls(): OtlpUrls {
    return { grpcUrl: `http://${this.otlpGrpc}`, httpUrl: `http://${this.otlpHttp}` };
  }

  /** Everything; unfolded, if nothing else is said. */
  async graph(collapse: 'none' | 'auto' = 'none'): Promise<ExplanationGraph> {
    return (await this.get(`/api/graph?collapse=${collapse}`)) as ExplanationGraph;
  }

  /** The whole chain of thought behind a node. */
  async thought(nodeId: string): Promise<string | undefined> {
    const detail = (await this.get(`/api/nodes/${encodeURIComponent(nodeId)}`)) as NodeDetail;
    return detail.texts?.reasoning;
  }

  metrics(): Promise<Samples> {
    return scrape(`${this.readers}/metrics`, ANSWER_LIMIT_MS, this.headers());
  }

  private headers(): Record<string, string> {
    return this.token === undefined ? {} : { authorization: `Bearer ${this.token}` };
  }

  private async get(path: string): Promise<unknown> {
    const response = await fetch(this.readers + path, {
      headers: this.headers(),
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    if (!response.ok) throw new Error(`GET ${path} answered ${response.status}`);
    return response.json();
  }
}
