import { cutToWidth, plainText } from '../terminal/plain-text.ts';

/** On a terminal: often enough to see that it moves. */
const TERMINAL_MS = 200;
/** In a file or a pipe: a long run leaves few lines, a short one none. */
const LINES_MS = 10_000;
const MIB = 1024 * 1024;
const TO_BEGINNING = '\r\u001b[2K';

/** What of standard error is used. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** How far a file is sent: one line that is kept current on a terminal, a line now and then elsewhere. */
export class Progress {
  private readonly name: string;
  private readonly size: number | undefined;
  private readonly output: ProgressOutput;
  private readonly now: () => number;
  private nextAt: number;
  private isShown = false;
  private bytes = 0;

  /**
   * @param size in bytes; undefined where it cannot be known, as of a pipe
   * @param now milliseconds of any beginning
   */
  constructor(
    name: string,
    size: number | undefined,
    output: ProgressOutput = process.stderr,
    now: () => number = () => performance.now(),
  ) {
    this.name = plainText(name);
    this.size = size;
    this.output = output;
    this.now = now;
    this.nextAt = now() + this.interval;
  }

  /** @param n bytes that were sent since the last call @param summary what became of all so far */
  advance(n: number, summary: () => string): void {
    this.bytes += n;
    if (this.now() < this.nextAt) return;
    this.nextAt = this.now() + this.interval;
    const text = `${this.name}: ${this.share()}, ${summary()}`;
    if (this.output.isTTY !== true) {
      this.output.write(`${text}\n`);
      return;
    }
    this.output.write(TO_BEGINNING + cutToWidth(text, (this.output.columns ?? 80) - 1));
    this.isShown = true;
  }

  /** A line that stays. */
  tell(text: string): void {
    this.clear();
    this.output.write(`${this.name}: ${plainText(text)}\n`);
  }

  /** Leaves the terminal as it was. */
  clear(): void {
    if (this.isShown) this.output.write(TO_BEGINNING);
    this.isShown = false;
  }

  private get interval(): number {
    return this.output.isTTY === true ? TERMINAL_MS : LINES_MS;
  }

  private share(): string {
    const { bytes, size } = this;
    const sent = (bytes / MIB).toFixed(1);
    if (size === undefined || size === 0) return `${sent} MiB`;
    return `${Math.min(100, Math.floor((bytes / size) * 100))} % (${sent} of ${(size / MIB).toFixed(1)} MiB)`;
  }
}
