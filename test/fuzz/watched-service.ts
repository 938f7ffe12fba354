import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { endWithUs } from '../integration/collector/end-with-us.ts';
import { FREE_PORTS } from '../integration/steps/serve.ts';
import { HostileAgent } from './hostile-agent.ts';
import { ADAPTATIONS } from './questions-channel.ts';
import type { Addresses } from './talk.ts';

const MAIN = resolve(import.meta.dirname, '../../src/main.ts');
/** Two seconds on two idle cores. */
const START_MS = 30_000;
/** After 200,000 inputs a stop takes half a minute on two idle cores: what hangs is waited for part by part (LC5). */
const STOP_MS = 60_000;
const MAX_LINES = 50;
/** A reader who floods is a warning; an error is nobody's right to cause. */
const FAILURE = /"level":"(?:error|fatal)"/;

/**
 * The service in a process of its own, with what goes wrong in it; on defaults but for its ports and folder, some
 * adaptations, and an agent that it may run.
 */
export class WatchedService {
  readonly addresses: Addresses;
  /** Log lines that no input may cause, and whatever is no log line at all: the first ones. */
  readonly failures: readonly string[];
  private readonly process: ChildProcess;
  private readonly home: string;
  private readonly ended: Promise<string>;
  private readonly agent: HostileAgent;
  private isTold = false;
  /** It ended without having been told to. */
  hasCrashed = false;

  private constructor(
    process: ChildProcess,
    home: string,
    addresses: Addresses,
    failures: readonly string[],
    ended: Promise<string>,
    agent: HostileAgent,
  ) {
    this.process = process;
    this.home = home;
    this.addresses = addresses;
    this.failures = failures;
    this.ended = ended;
    this.agent = agent;
    void ended.then(() => (this.hasCrashed = !this.isTold));
  }

  /** @param seed of what its agent answers */
  static async start(seed: number): Promise<WatchedService> {
    const home = mkdtempSync(join(tmpdir(), 'fuzz-'));
    const agent = await HostileAgent.start(seed);
    const adaptations = join(home, 'adaptations.json');
    writeFileSync(adaptations, JSON.stringify({ adaptations: ADAPTATIONS.map(adaptation) }));
    const files = ['--data-dir', join(home, 'data'), '--adaptations-file', adaptations];
    const flags = [...files, '--ag-ui-agents', JSON.stringify([agent.url]), '--log-level', 'warn'];
    const child = spawn(process.execPath, [MAIN, 'serve', ...FREE_PORTS, ...flags], {
      env: { PATH: process.env['PATH'], HOME: home },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    endWithUs(child);
    const failures: string[] = [];
    createInterface(child.stderr).on('line', (line) => {
      const isFailure = FAILURE.test(line) || !line.startsWith('{');
      if (isFailure && failures.length < MAX_LINES) failures.push(line.slice(0, 2000));
    });
    const ended = once(child, 'close').then(
      ([code, signal]) => `exit code ${String(code)}, signal ${String(signal)}`,
    );
    try {
      const said = new Map<string, string>();
      const ready = new Promise<void>((done) =>
        createInterface(child.stdout).on('line', (line) => {
          const [, name = '', address = ''] = /^(\S+)\s+(?:http:\/\/)?([^\s/]+)/.exec(line) ?? [];
          said.set(name, address);
          if (line === 'ready') done();
        }),
      );
      const late = AbortSignal.timeout(START_MS);
      await Promise.race([ready, ended, once(late, 'abort')]);
      const addresses = {
        readers: said.get('readers'),
        otlpHttp: said.get('OTLP/HTTP'),
        otlpGrpc: said.get('OTLP/gRPC'),
      };
      const { readers, otlpHttp, otlpGrpc } = addresses;
      assert.ok(readers && otlpHttp && otlpGrpc, `the service did not start: ${failures.join('\n')}`);
      const all = { readers, otlpHttp, otlpGrpc, agent: agent.url };
      return new WatchedService(child, home, all, failures, ended, agent);
    } catch (error) {
      child.kill('SIGKILL');
      agent.stop();
      rmSync(home, { recursive: true, force: true });
      throw error;
    }
  }

  get pid(): number {
    assert.ok(this.process.pid, 'it was started');
    return this.process.pid;
  }

  get isAlive(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  /** Resident memory in MiB as the kernel counts it: now and at most. Linux only; undefined elsewhere. */
  memory(): { readonly now: number; readonly peak: number } | undefined {
    try {
      const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
      const mib = (name: string): number =>
        Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
      return { now: mib('VmRSS'), peak: mib('VmHWM') };
    } catch {
      return undefined;
    }
  }

  /** How it ended after SIGTERM. */
  async stop(): Promise<string> {
    const timer = setTimeout(() => this.process.kill('SIGKILL'), STOP_MS);
    this.isTold = this.isAlive;
    this.process.kill('SIGTERM');
    const how = await this.ended;
    clearTimeout(timer);
    return how;
  }

  /** At once, its folder with it. */
  async remove(): Promise<void> {
    this.isTold ||= this.isAlive;
    this.process.kill('SIGKILL');
    await this.ended;
    this.agent.stop();
    rmSync(this.home, { recursive: true, force: true });
  }
}

function adaptation(id: string): object {
  return { id, title: id, content: `What ${id} adds.`, scope: { agent: 'Coder*' }, tags: ['a'] };
}
