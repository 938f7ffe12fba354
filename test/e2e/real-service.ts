import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { loadConfig } from '../../src/config/load-config.ts';
import type { ExplanationGraph } from '../../src/model/node.ts';
import type { TelemetryRecord } from '../../src/model/records.ts';
import { BUILTIN_RULES } from '../../src/redaction/rules/builtin.ts';
import { checkUserPattern } from '../../src/redaction/user-patterns.ts';
import { startService, type Service } from '../../src/service/service.ts';
import { createPinoLogger } from '../../src/telemetry/pino-logger.ts';

export interface RealServiceOptions {
  readonly dataDir: string;
  /** Flags as on the command line. */
  readonly flags?: readonly string[];
  /** `OTEL_*`. */
  readonly env?: { readonly [name: string]: string };
  /** Of the program; `0.0.0-test` if absent. */
  readonly version?: string;
}

/** The service as `serve` starts it, in this process, on free ports. */
export class RealService {
  readonly service: Service;
  private readonly lines: readonly string[];
  /** What was fed and is not known to be taken over. */
  private fed: Promise<void>[] = [];

  private constructor(service: Service, lines: readonly string[]) {
    this.service = service;
    this.lines = lines;
  }

  /** One in a folder of its own, which stops after the test. */
  static async of(t: Pick<TestContext, 'after'>, flags: readonly string[] = []): Promise<RealService> {
    const service = await RealService.start({ dataDir: await temporaryFolder(t), flags });
    t.after(() => service.stop());
    return service;
  }

  static async start({
    dataDir,
    flags = [],
    env = {},
    version = '0.0.0-test',
  }: RealServiceOptions): Promise<RealService> {
    const ports = ['--port', '--otlp-grpc-port', '--otlp-http-port'].flatMap((flag) =>
      flags.includes(flag) ? [] : [flag, '0'],
    );
    const loaded = loadConfig({
      argv: [...ports, '--data-dir', dataDir, '--log-level', 'debug', ...flags],
      env: {},
      // Nobody's own configuration is looked at.
      homeDir: dataDir,
      checkPattern: checkUserPattern,
      ruleNames: BUILTIN_RULES.map((rule) => rule.id),
    });
    assert.ok(loaded.ok, loaded.ok ? '' : JSON.stringify(loaded.problems));
    const lines: string[] = [];
    const logger = createPinoLogger({
      level: loaded.config.logLevel,
      stream: { write: (line) => lines.push(line) },
    });
    const service = await startService({ config: loaded.config, env, version, logger });
    return new RealService(service, lines);
  }

  /** `http://host:port` of the readers' port. */
  get readers(): string {
    return urlOf(this.service.addresses.readers);
  }

  get otlpHttp(): string {
    return urlOf(this.service.addresses.otlpHttp);
  }

  /** `host:port`. */
  get otlpGrpc(): string {
    const { host, port } = this.service.addresses.otlpGrpc;
    return `${host}:${port}`;
  }

  /** Everything logged until now: JSON lines. */
  get log(): string {
    return this.lines.join('');
  }

  /** Puts records in without a receiver. */
  async feed(records: readonly TelemetryRecord[]): Promise<void> {
    for (const record of records)
      this.fed.push((await this.service.bus.publish({ topic: 'record', record })).stored);
  }

  /** Resolves when what was fed is in the graph and readers have been told. */
  async flush(): Promise<void> {
    await Promise.all(this.fed.splice(0));
    // It takes nothing, and its answer is preceded by what has not been published yet.
    const response = await fetch(`${this.readers}/api/prune`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ olderThanMinutes: 1e9 }),
    });
    assert.equal(response.status, 200, await response.text());
  }

  async graph(query = 'collapse=none'): Promise<ExplanationGraph> {
    return (await this.json(`/api/graph?${query}`)) as ExplanationGraph;
  }

  async metrics(): Promise<string> {
    return (await fetch(`${this.readers}/metrics`)).text();
  }

  async json(path: string): Promise<unknown> {
    const response = await fetch(this.readers + path);
    assert.equal(response.status, 200, path);
    return response.json();
  }

  stop(): Promise<void> {
    return this.service.stop('the test is over');
  }
}

function urlOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return `http://${host}:${port}`;
}

const folders: string[] = [];
// Hooks of a test run in the order in which they came: a folder would be gone before the service in it has stopped.
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder; with a test, one that is gone after the tests of the process. */
export async function temporaryFolder(t?: Pick<TestContext, 'after'>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'explainability-e2e-'));
  if (t) folders.push(folder);
  return folder;
}
