import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { serve, FREE_PORTS } from '../steps/serve.ts';
import { blocksOf, type Block } from './page.ts';
import { isSame } from './same.ts';

export const ROOT = resolve(import.meta.dirname, '../../..');
const HOW_TO = join(ROOT, 'docs/how-to/README.md');
/** What is shown follows what was acknowledged by a moment; a thought without an end by two seconds. */
const SHOWN_LIMIT_MS = 8_000;
const PAUSE_MS = 50;
const RUN_LIMIT_MS = 60_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
/** A clone, as far as commands need it. */
const CLONE = ['package.json', 'src', 'dist', 'proto', 'config', 'examples'];

export interface Stage {
  /** Of the environment, beside the path and a home folder. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs what a page says to install. @returns where its programs are, to come first in the path */
  readonly install?: (command: string, folder: string) => Promise<string>;
}

/** What a block shows and what came of it. */
export interface Outcome {
  readonly block: Block;
  readonly printed: string;
  readonly same: boolean;
}

/** Plays pages in folders that look like a clone, against a service of its own on free ports. */
export class Player {
  private readonly folder = mkdtempSync(join(tmpdir(), 'pages-'));
  private readonly service: Awaited<ReturnType<typeof serve>>;
  private readonly preamble: string;
  private readonly adaptations: string;
  private pages = 0;

  private constructor(
    service: Awaited<ReturnType<typeof serve>>,
    preamble: string,
    /** Where the service looks for its adaptations. */
    adaptations: string,
  ) {
    this.service = service;
    this.preamble = preamble;
    this.adaptations = adaptations;
  }

  static async start(): Promise<Player> {
    // What the how-to pages have in common: the function by which they look at results.
    const preamble = blocksOf(await readFile(HOW_TO, 'utf8')).find(({ verb }) => verb === 'run')?.text;
    if (preamble === undefined) throw new Error(`${HOW_TO} has no block that is run`);
    const args = [join(ROOT, 'src/main.ts'), 'serve', ...FREE_PORTS, '--durability', 'memory'];
    const home = mkdtempSync(join(tmpdir(), 'pages-home-'));
    const adaptations = join(home, 'adaptations.json');
    const service = await serve(process.execPath, [...args, '--data-dir', home], {
      env: { PATH: process.env['PATH'], HOME: home },
    });
    return new Player(service, preamble, adaptations);
  }

  async stop(): Promise<void> {
    await this.service.child.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** @param page text of the page @returns of each block that shows an output, whether it is what was printed */
  async play(page: string, stage: Stage): Promise<readonly Outcome[]> {
    this.pages += 1;
    const folder = mkdtempSync(join(this.folder, `${this.pages}-`));
    for (const name of CLONE) symlinkSync(join(ROOT, name), join(folder, name));
    if (stage.install === undefined) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    let path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
    writeFileSync(join(folder, '.state'), this.placed(this.preamble.replace(/^look T012$/m, '')));
    const shell = (code: string): Promise<string> => this.shell(code, folder, { ...stage.env, PATH: path });
    const outcomes: Outcome[] = [];
    let printed = '';
    for (const block of blocksOf(page)) {
      if (block.verb === 'file') writeFileSync(join(folder, block.what), this.placed(block.text));
      else if (block.verb === 'install') {
        if (stage.install !== undefined) path = `${await stage.install(block.text, folder)}:${path}`;
      } else if (block.verb === 'run') printed = await shell(block.what || block.text);
      else if (block.verb === 'output') {
        if (block.what !== '') printed = await this.awaited(block, () => shell(block.what));
        outcomes.push({ block, printed, same: isSame(block.text, printed) });
      }
    }
    return outcomes;
  }

  /** What a command prints when it is what the page shows, or in the end. Until then it may fail. */
  private async awaited({ text }: Block, ask: () => Promise<string>): Promise<string> {
    const deadline = performance.now() + SHOWN_LIMIT_MS;
    for (;;) {
      const isLast = performance.now() > deadline;
      const printed = await ask().catch((error: unknown) => {
        if (isLast) throw error;
      });
      if (printed !== undefined && (isLast || isSame(text, printed))) return printed;
      await setTimeout(PAUSE_MS);
    }
  }

  /** Runs code with what the blocks before it set. @returns standard output, with the addresses of the pages */
  private async shell(code: string, folder: string, env: Readonly<Record<string, string>>): Promise<string> {
    const script = `set -e\n. ./.state\nexport PATH=$1\n${this.placed(code)}\n{ export -p; declare -f; } > .state`;
    const { readers } = this.service;
    const own = { HOME: folder, EXPLAINABILITY_AGENT_URL: `http://${readers}` };
    return new Promise((done, fail) => {
      execFile(
        'bash',
        ['-c', script, 'page', env['PATH'] ?? ''],
        { cwd: folder, env: { ...own, ...env }, timeout: RUN_LIMIT_MS, maxBuffer: MAX_OUTPUT_BYTES },
        (error, stdout, stderr) => {
          if (error) fail(new Error(`${code}\n${stdout}${stderr}`, { cause: error }));
          else done(this.onPage(stdout));
        },
      );
    });
  }

  private get ports(): readonly (readonly [string, string])[] {
    const { readers, otlpHttp, otlpGrpc } = this.service;
    return [
      ['127.0.0.1:9000', readers],
      ['127.0.0.1:4318', otlpHttp],
      ['127.0.0.1:4317', otlpGrpc],
    ];
  }

  private placed(text: string): string {
    return this.ports
      .reduce((result, [shown, real]) => result.replaceAll(shown, real), text)
      .replaceAll('~/.nootropic-cache/adaptations.json', this.adaptations);
  }

  private onPage(text: string): string {
    return this.ports.reduce((result, [shown, real]) => result.replaceAll(real, shown), text);
  }
}
