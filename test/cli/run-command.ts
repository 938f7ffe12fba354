import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { until } from '../support/until.ts';
import { NOBODYS_ENV } from '../support/nobodys-env.ts';

const MAIN = resolve(import.meta.dirname, '../../src/main.ts');

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

export interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program to its end. */
export async function run(
  t: Pick<TestContext, 'after'>,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<Result> {
  const command = new Command(t, args, options);
  const code = await command.exit();
  return { code, stdout: command.stdout, stderr: command.stderr };
}
