import { once } from 'node:events';
import { emitKeypressEvents, type Interface } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import { keysOf, type Key } from './keys.ts';
import type { Size } from './state.ts';

const ALTERNATE = '\u001b[?1049h\u001b[?25l';
/** Styles off, cursor shown, the screen as it was before. */
const RESTORE = '\u001b[0m\u001b[?25h\u001b[?1049l';
const CLEAR = '\u001b[2J';
/** The terminal's own wrapping is off while a line is written: a character that it takes for wider stays in its line. */
const NO_WRAP = '\u001b[?7l';
const WRAP = '\u001b[?7h';

/** Smaller terminals get a picture of this size, of which they show a part. */
const MIN_SIZE: Size = { columns: 20, rows: 6 };

/**
 * How long an Esc may be the beginning of a sequence. The bytes of one come together, over a slow line as well; half a
 * second, which is the default, is felt. All that node:readline reads of the interface here is this.
 */
const ESCAPE_TIMEOUT = { escapeCodeTimeout: 50 } as unknown as Interface;

/** The terminal, taken over until it is given back. */
export class Screen {
  private readonly input: ReadStream;
  private readonly output: WriteStream;
  private shown: readonly string[] = [];
  private blocked = false;
  private isOpen = false;
  private readonly giveBack = (): void => this.close();

  constructor(input: ReadStream, output: WriteStream) {
    this.input = input;
    this.output = output;
  }

  get size(): Size {
    return {
      columns: Math.max(MIN_SIZE.columns, this.output.columns || 80),
      rows: Math.max(MIN_SIZE.rows, this.output.rows || 24),
    };
  }

  open(listener: {
    readonly key: (key: Key) => void;
    readonly resize: () => void;
    readonly hangup: () => void;
  }): void {
    this.isOpen = true;
    // Whatever ends the process: nobody wants a terminal without a cursor.
    process.once('exit', this.giveBack);
    emitKeypressEvents(this.input, ESCAPE_TIMEOUT);
    this.input.setRawMode(true);
    this.input.on('keypress', (_: string | undefined, key: Key) => {
      for (const one of keysOf(key)) listener.key(one);
    });
    this.input.on('end', listener.hangup);
    this.input.on('error', listener.hangup);
    this.input.resume();
    this.output.on('resize', () => {
      this.shown = [];
      listener.resize();
    });
    this.output.write(ALTERNATE + CLEAR);
  }

  /** Writes the lines that differ. While the terminal is behind, frames are left out. @returns whether it was shown */
  show(lines: readonly string[]): boolean {
    if (this.blocked || !this.isOpen) return false;
    let text = this.shown.length === lines.length ? '' : CLEAR;
    for (const [index, line] of lines.entries()) {
      if (line !== this.shown[index]) text += `\u001b[${index + 1};1H${line}`;
    }
    this.shown = lines;
    if (text === '') return true;
    if (!this.output.write(NO_WRAP + text + WRAP)) {
      this.blocked = true;
      once(this.output, 'drain').then(
        () => (this.blocked = false),
        () => undefined,
      );
    }
    return true;
  }

  /** What is on the screen is not trusted any more. */
  forget(): void {
    this.shown = [];
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    process.off('exit', this.giveBack);
    this.output.write(RESTORE);
    this.input.setRawMode(false);
    this.input.pause();
  }
}
