import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface ChildOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** What a program that has ended left behind. */
export interface Ended {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Reached only where something is broken: a service is there within seconds on two idle cores, and stops within half a minute. */
const DEADLINE_MS = 60_000;
/** An installation from the registry over a slow line. */
const RUN_DEADLINE_MS = 300_000;
/** What a program prints is kept up to here: enough to see what went wrong. */
const MAX_KEPT_CHARS = 1_000_000;

/** A program in a process of its own, with what it prints. Whoever starts one stops it or kills it. */
export class Child {
  stdout = '';
  stderr = '';
  private readonly name: string;
  private readonly process: ChildProcess;
  private readonly closed: Promise<number | null>;

  constructor(command: string, args: readonly string[], { cwd, env }: ChildOptions = {}) {
    this.name = [command, ...args].join(' ').slice(0, 100);
    this.process = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.process.stdout?.on('data', (chunk: Buffer) => (this.stdout = kept(this.stdout, chunk)));
    this.process.stderr?.on('data', (chunk: Buffer) => (this.stderr = kept(this.stderr, chunk)));
    // `close` comes when the output is complete, too; a program that is not there has an `error` instead.
    this.closed = once(this.process, 'close').then(
      ([code]) => code as number | null,
      (error: unknown) => {
        this.stderr += String(error);
        return null;
      },
    );
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  /** The first group of the pattern, when standard output has it. @throws AssertionError when the process ends before */
  async prints(pattern: RegExp): Promise<string> {
    return within(DEADLINE_MS, `${this.name} prints ${pattern.source}`, () => {
      const match = pattern.exec(this.stdout);
      if (match) return match[1] ?? match[0];
      assert.equal(this.process.exitCode, null, `${this.name} ended:\n${this.stdout}${this.stderr}`);
      return undefined;
    });
  }

  /** Sends a signal and gives the exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.process.kill(signal);
    return this.ended(DEADLINE_MS);
  }

  kill(): void {
    this.process.kill('SIGKILL');
  }

  /** The exit code; a process that does not end in time is killed. */
  async ended(deadlineMs: number): Promise<number | null> {
    const timer = setTimeout(() => this.kill(), deadlineMs);
    const code = await this.closed;
    clearTimeout(timer);
    return code;
  }
}

/** Runs a program to its end. */
export async function run(
  command: string,
  args: readonly string[],
  options: ChildOptions = {},
): Promise<Ended> {
  const child = new Child(command, args, options);
  const code = await child.ended(RUN_DEADLINE_MS);
  return { code, stdout: child.stdout, stderr: child.stderr };
}

/** Runs a program that is to succeed. @returns its standard output */
export async function succeed(
  command: string,
  args: readonly string[],
  options: ChildOptions = {},
): Promise<string> {
  const { code, stdout, stderr } = await run(command, args, options);
  assert.equal(code, 0, `${[command, ...args].join(' ')} ended with ${code}:\n${stdout}${stderr}`);
  return stdout;
}

/** Asks again until there is a value. @throws AssertionError after `deadlineMs`, naming `what` */
export async function within<T>(
  deadlineMs: number,
  what: string,
  ask: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const value = await ask();
    if (value !== undefined) return value;
    assert.ok(performance.now() < deadline, `waited ${deadlineMs} ms in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function kept(before: string, chunk: Buffer): string {
  return (before + chunk.toString()).slice(-MAX_KEPT_CHARS);
}
