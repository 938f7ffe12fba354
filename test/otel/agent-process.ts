import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { until } from '../support/until.ts';
import { NOBODYS_ENV } from '../support/nobodys-env.ts';

/** An agent in a process of its own, which does what it is told and no more. */
export class AgentProcess {
  private readonly process: ChildProcess;
  private readonly exited: Promise<number | null>;
  private output = '';
  private errors = '';

  private constructor(t: Pick<TestContext, 'after'>, program: string, otlpHttp: string) {
    const env = {
      ...NOBODYS_ENV,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://${otlpHttp}`,
      OTEL_METRICS_EXPORTER: 'none',
    };
    const path = join(import.meta.dirname, program);
    this.process = spawn(process.execPath, [path], { env, stdio: 'pipe' });
    this.process.stdout?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.process.stderr?.on('data', (chunk: Buffer) => (this.errors += chunk.toString()));
    // What it does not read any more is not missed.
    this.process.stdin?.on('error', () => {});
    this.exited = once(this.process, 'close').then(([code]) => code as number | null);
    t.after(() => this.process.kill('SIGKILL'));
  }

  /**
   * Resolves when it waits for its first order.
   * @param otlpHttp `host:port` that it exports to
   */
  static async up(t: Pick<TestContext, 'after'>, program: string, otlpHttp: string): Promise<AgentProcess> {
    const agent = new AgentProcess(t, program, otlpHttp);
    await agent.prints(/^up$/m);
    return agent;
  }

  /** @returns the id of the span's node, and performance.now() when the agent was told */
  async start(name: string): Promise<{ readonly nodeId: string; readonly toldAt: number }> {
    const toldAt = performance.now();
    this.tell(`start ${name}`);
    const line = new RegExp(`^started ${name} ([0-9a-f]{32}) ([0-9a-f]{16})$`, 'm');
    const [, traceId, spanId] = await this.prints(line);
    return { nodeId: `${traceId}:${spanId}`, toldAt };
  }

  end(name: string): void {
    this.tell(`end ${name}`);
  }

  /** Lets it shut its telemetry down and end. */
  async finish(): Promise<void> {
    this.process.stdin?.end();
    assert.equal(await this.exited, 0, this.errors);
    assert.equal(this.errors, '');
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.exited;
  }

  private async prints(line: RegExp): Promise<readonly string[]> {
    await until(`the agent prints ${line.source}`, () => {
      assert.equal(this.process.exitCode, null, this.errors);
      return line.test(this.output);
    });
    return line.exec(this.output) ?? [];
  }

  private tell(line: string): void {
    this.process.stdin?.write(`${line}\n`);
  }
}
