import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { test, type TestContext } from 'node:test';
import { RealService } from '../e2e/real-service.ts';
import { until } from '../support/until.ts';
import { NOBODYS_ENV } from '../support/nobodys-env.ts';

const MAIN = resolve(import.meta.dirname, '../../src/main.ts');
/** Of util-linux: runs a program in a terminal of its own. */
const SCRIPT = 'script';
const HAS_SCRIPT = spawnSync(SCRIPT, ['--version']).stdout?.toString().includes('util-linux') ?? false;
const SKIP = HAS_SCRIPT ? false : 'needs the program script (util-linux)';
const TAKEN = '\u001b[?1049h';
const RESTORED = '\u001b[?25h\u001b[?1049l';

class Terminal {
  output = '';
  private readonly process: ChildProcessWithoutNullStreams;

  constructor(t: TestContext, args: readonly string[]) {
    // Its size is set, as a terminal without a window has none.
    const line = `stty rows 40 cols 70; exec '${process.execPath}' '${MAIN}' ${args.join(' ')}`;
    const env = { ...NOBODYS_ENV, TERM: 'xterm', SHELL: '/bin/sh' };
    this.process = spawn(SCRIPT, ['-qec', line, '/dev/null'], { env });
    this.process.stdout.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    t.after(() => this.process.kill('SIGKILL'));
  }

  press(keys: string): void {
    this.process.stdin.write(keys);
  }

  /** Resolves when this was written since the last call. */
  async shows(pattern: RegExp): Promise<void> {
    await until(`the terminal shows ${String(pattern)}`, () => pattern.test(this.output));
    this.output = this.output.slice((pattern.exec(this.output)?.index ?? 0) + 1);
  }

  async exit(): Promise<number | null> {
    await once(this.process, 'close');
    return this.process.exitCode;
  }
}

async function started(t: TestContext): Promise<RealService> {
  const service = await RealService.of(t);
  const body = JSON.stringify([
    {
      requestId: 'term-1',
      timestamp: 1_750_000_000_000,
      text: 'First the title.',
      final: true,
      taskId: 'term',
    },
  ]);
  const headers = { 'content-type': 'application/json' };
  assert.equal((await fetch(`${service.readers}/api/cot`, { method: 'POST', headers, body })).status, 202);
  return service;
}

test(
  '[CLI48] in a terminal: the tree, details, help, and the terminal as it was before',
  { skip: SKIP },
  async (t) => {
    const service = await started(t);
    const terminal = new Terminal(t, ['watch', '--all', '--url', service.readers]);
    await until('the terminal is taken', () => terminal.output.includes(TAKEN));
    // In either order, and not again what has not changed.
    await until('the tree', () => [/● live/, /▾ term/].every((pattern) => pattern.test(terminal.output)));
    terminal.press('j');
    await terminal.shows(/2\/\d/);
    terminal.press('d');
    await terminal.shows(/First the title\./);
    terminal.press('q?');
    await terminal.shows(/follow the newest step/);
    terminal.press('qw');
    await terminal.shows(/No other step is named\.|Unexplained\.|candidates?: where to look first/);
    terminal.press('qe');
    await terminal.shows(/only errors and warnings/);
    await terminal.shows(/Nothing failed\./);
    const ended = terminal.exit();
    terminal.press('q');
    assert.equal(await ended, 0);
    assert.ok(terminal.output.includes(RESTORED), JSON.stringify(terminal.output.slice(-200)));
  },
);

test(
  '[CLI48] [CLI49] Esc and a key that come together are two keys; Ctrl-C ends it, and the terminal is given back',
  { skip: SKIP },
  async (t) => {
    const service = await started(t);
    const terminal = new Terminal(t, ['watch', '--all', '--url', service.readers]);
    await terminal.shows(/▾ term/);
    terminal.press('?');
    await terminal.shows(/follow the newest step/);
    terminal.press('\u001bj');
    await terminal.shows(/2\/\d/);
    const ended = terminal.exit();
    terminal.press('\u001b\u0003');
    assert.equal(await ended, 0);
    assert.ok(terminal.output.includes(RESTORED));
  },
);

test('[CLI48] with nobody there it never takes the terminal', { skip: SKIP }, async (t) => {
  const terminal = new Terminal(t, ['watch', '--url', 'http://127.0.0.1:2']);
  assert.equal(await terminal.exit(), 1);
  assert.match(terminal.output, /Nothing answers at/);
  assert.ok(!terminal.output.includes(TAKEN));
});
