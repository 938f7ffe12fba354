import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { NOBODYS_ENV } from '../support/nobodys-env.ts';
import { until } from '../support/until.ts';

const MAIN = resolve(import.meta.dirname, '../../src/main.ts');

/** `src/main.ts` in a process of its own. */
export class SpawnedService {
  readonly process: ChildProcess;
  stdout = '';
  stderr = '';
  private readonly exited: Promise<number | null>;

  /**
   * @param home stands in for the user's home folder, so that nobody's configuration is read
   * @param more of the environment
   * @param main the program's, if it is not this one
   */
  constructor(
    t: Pick<TestContext, 'after'>,
    home: string,
    args: readonly string[],
    more: Readonly<Record<string, string>> = {},
    main = MAIN,
  ) {
    const env = { ...NOBODYS_ENV, HOME: home, ...more };
    this.process = spawn(process.execPath, [main, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.process.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.process.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    // `close` comes when the output is complete, too.
    this.exited = once(this.process, 'close').then(([code]) => code as number | null);
    t.after(() => this.process.kill('SIGKILL'));
  }

  /** `serve`, on free ports where the flags name none; resolves when it is ready. */
  static async ready(
    t: Pick<TestContext, 'after'>,
    dataDir: string,
    flags: readonly string[] = [],
    more: Readonly<Record<string, string>> = {},
    main = MAIN,
  ): Promise<SpawnedService> {
    const ports = ['--port', '--otlp-grpc-port', '--otlp-http-port'].flatMap((flag) =>
      flags.includes(flag) ? [] : [flag, '0'],
    );
    const started = new SpawnedService(
      t,
      dataDir,
      ['serve', ...ports, '--data-dir', dataDir, ...flags],
      more,
      main,
    );
    await until('the service is ready', () => {
      assert.equal(started.process.exitCode, null, started.stderr);
      return started.stdout.endsWith('ready\n');
    });
    return started;
  }

  get readers(): string {
    return this.addressIn(/^readers\s+http:\/\/(\S+?)\//m);
  }

  get otlpHttp(): string {
    return this.addressIn(/^OTLP\/HTTP\s+http:\/\/(\S+?)\//m);
  }

  get otlpGrpc(): string {
    return this.addressIn(/^OTLP\/gRPC\s+(\S+)$/m);
  }

  /** The exit code, when its output is complete. */
  exit(): Promise<number | null> {
    return this.exited;
  }

  async get(path: string): Promise<unknown> {
    return (await fetch(`http://${this.readers}${path}`)).json();
  }

  async post(path: string, body: unknown): Promise<Response> {
    const [host, target] = path.startsWith('/v1/') ? [this.otlpHttp, path] : [this.readers, path];
    const headers = { 'content-type': 'application/json' };
    return fetch(`http://${host}${target}`, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  private addressIn(line: RegExp): string {
    const address = line.exec(this.stdout)?.[1];
    assert.ok(address, this.stdout);
    return address;
  }
}
