import assert from 'node:assert/strict';
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { until } from '../support/until.ts';
import { NOBODYS_ENV } from '../support/nobodys-env.ts';
import type { HostedCommand, Result } from './command-host.ts';

const MAIN = resolve(import.meta.dirname, '../../src/main.ts');
const HOST = resolve(import.meta.dirname, 'command-host.ts');

export type { Result };

export interface CommandOptions {
  readonly input?: string;
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
}

/** The program in a process of its own, with nobody's configuration. */
export class Command {
  readonly process: ChildProcess;
  stdout = '';
  stderr = '';
  private readonly closed: Promise<unknown>;

  constructor(t: Pick<TestContext, 'after'>, args: readonly string[], options: CommandOptions = {}) {
    const env = { ...NOBODYS_ENV, ...options.env };
    const { cwd } = options;
    this.process = spawn(process.execPath, [MAIN, ...args], { env, ...(cwd !== undefined && { cwd }) });
    this.process.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.process.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.closed = once(this.process, 'close');
    this.process.stdin?.on('error', () => undefined);
    this.process.stdin?.end(options.input ?? '');
    t.after(() => this.process.kill('SIGKILL'));
  }

  /** Resolves when its standard output, or its standard error, holds this. */
  async prints(pattern: RegExp): Promise<void> {
    await until(`it prints ${String(pattern)}`, () => pattern.test(this.stdout) || pattern.test(this.stderr));
  }

  async exit(): Promise<number | null> {
    await this.closed;
    return this.process.exitCode;
  }
}

/**
 * Runs a command to its end, in a process that runs all of them one after the other: loading the program for each would
 * take most of the time. What shows in a process of its own only (signals, pipes, that it ends by itself) is for
 * `Command`.
 */
export function run(args: readonly string[], options: CommandOptions = {}): Promise<Result> {
  const { input = '', env, cwd = process.cwd() } = options;
  const result = lastRun.then(() => inHost({ args, input, env: { ...NOBODYS_ENV, ...env }, cwd }));
  lastRun = result.catch(() => undefined);
  return result;
}

let host: ChildProcess | undefined;
let lastRun: Promise<unknown> = Promise.resolve();

async function inHost(command: HostedCommand): Promise<Result> {
  host ??= fork(HOST, { env: NOBODYS_ENV });
  const ended = new AbortController();
  const exit = once(host, 'exit', ended).then(() => assert.fail('the process that runs commands ended'));
  host.ref();
  host.channel?.ref();
  host.send(command);
  try {
    const [result] = (await Promise.race([once(host, 'message', ended), exit])) as [Result];
    return result;
  } finally {
    exit.catch(() => undefined);
    ended.abort();
    host.unref();
    host.channel?.unref();
  }
}
