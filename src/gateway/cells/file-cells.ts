import { watch, type FSWatcher } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parse, printParseErrorCode, type ParseError } from 'jsonc-parser';
import type { Clock, Timer } from '../../base/clock.ts';
import { cellsSchema } from '../../config/cells-schema.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { completeCells, type CellAddresses, type GivenCell } from './cell-addresses.ts';
import { CellList } from './cell-list.ts';
import { SaidOnce } from './said-once.ts';

export interface FileCellsOptions {
  readonly path: string;
  readonly otlpPort: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of `node:fs`; another in tests. */
  readonly watch?: typeof watch;
}

/** A hundred cells with the longest names; what is larger is the wrong file. */
const MAX_BYTES = 256 * 1024;
/** A change that no event told of is seen after this: a link further up that was turned, a folder on a network. */
const LOOK_EVERY_MS = 2000;
/** Events come one by one while a file is written: it is read when they stop. */
const SETTLE_MS = 50;
/** More of what is wrong helps nobody. */
const MAX_ISSUES = 5;

/** Cells as a file lists them, read again when it changes. A file that cannot be used changes nothing. */
export class FileCells extends CellList implements CellAddresses {
  private readonly options: FileCellsOptions;
  private readonly said: SaidOnce;
  private watcher: FSWatcher | undefined;
  private timer: Timer | undefined;
  private isLooking = false;
  /** Something happened during a look. */
  private isStale = false;
  private isStopped = false;

  constructor(options: FileCellsOptions) {
    super();
    this.options = options;
    this.said = new SaidOnce(options.logger, `the cells in ${options.path} can be read again`);
  }

  get problem(): string | undefined {
    return this.said.problem;
  }

  async start(): Promise<void> {
    this.watcher = this.watchFolder();
    await this.look();
  }

  stop(): void {
    this.isStopped = true;
    this.timer?.cancel();
    this.watcher?.close();
  }

  /** The folder and not the file: a file that takes the name of another is another file. */
  private watchFolder(): FSWatcher | undefined {
    const { path, watch: watchOf = watch } = this.options;
    try {
      const watcher = watchOf(dirname(path), { persistent: false }, () => this.onEvent());
      // Without it the file is looked at as often as before.
      return watcher.on('error', () => watcher.close());
    } catch {
      return undefined;
    }
  }

  private onEvent(): void {
    if (this.isLooking) this.isStale = true;
    else this.lookAfter(SETTLE_MS);
  }

  private lookAfter(delayMs: number): void {
    if (this.isStopped) return;
    this.timer?.cancel();
    this.timer = this.options.clock.after(delayMs, () => void this.look());
  }

  private async look(): Promise<void> {
    this.isLooking = true;
    this.isStale = false;
    const { path, otlpPort } = this.options;
    const found = await readCells(path);
    this.isLooking = false;
    if (this.isStopped) return;
    this.said.now(found.problem === undefined ? undefined : `${path} ${found.problem}: ${this.whatStays}`);
    if (found.cells) this.take(completeCells(found.cells, otlpPort));
    this.lookAfter(this.isStale ? SETTLE_MS : LOOK_EVERY_MS);
  }
}

interface ReadCells {
  readonly cells?: readonly GivenCell[];
  /** What is wrong, behind the path of the file. */
  readonly problem?: string;
}

async function readCells(path: string): Promise<ReadCells> {
  let text: string | undefined;
  try {
    text = await readText(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no reason given';
    return { problem: code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})` };
  }
  if (text === undefined) return { problem: `is no file of at most ${MAX_BYTES} bytes` };
  return cellsOf(text);
}

async function readText(path: string): Promise<string | undefined> {
  const file = await open(path);
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > MAX_BYTES) return undefined;
    // Some editors begin a file with a byte order mark.
    return (await file.readFile('utf8')).replace(/^\uFEFF/, '');
  } finally {
    await file.close();
  }
}

function cellsOf(text: string): ReadCells {
  const errors: ParseError[] = [];
  const value = parsed(text, errors);
  const [error] = errors;
  if (error) {
    const before = text.slice(0, error.offset);
    const column = error.offset - before.lastIndexOf('\n');
    const place = `line ${before.split('\n').length}, column ${column}`;
    return { problem: `is not valid JSON (${place}: ${printParseErrorCode(error.error)})` };
  }
  const { data, error: wrong } = cellsSchema.safeParse(value);
  if (data) return { cells: data };
  const issues = wrong.issues.slice(0, MAX_ISSUES).map(({ path, message }) => {
    const place = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
    return `${place} ${message}`.trim();
  });
  return { problem: `is no list of cells (${issues.join('; ')})` };
}

/** The parser calls itself for each bracket: a text of brackets alone ends it. */
function parsed(text: string, errors: ParseError[]): unknown {
  try {
    return parse(text, errors, { allowTrailingComma: true }) as unknown;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
