import { count } from '../../model/figures.ts';
import { KIND_NAMES, type Kind } from './classify.ts';

/** Reasons that are told of one file; the rest is counted. */
const MAX_REASONS = 20;

/** What became of one file. */
export class Tally {
  private readonly accepted = new Map<Kind, number>();
  private readonly tell: (reason: string) => void;
  private refused = 0;
  private reasons = 0;
  /** Where that begins in the file which was sent last. */
  line = 1;

  /** @param tell is given the first reasons, as they come */
  constructor(tell: (reason: string) => void) {
    this.tell = tell;
  }

  get hasRefusals(): boolean {
    return this.refused > 0;
  }

  /** Whether anything became of it at all. */
  get hasNews(): boolean {
    return this.refused > 0 || this.accepted.size > 0;
  }

  accept(kind: Kind, n: number): void {
    if (n > 0) this.accepted.set(kind, (this.accepted.get(kind) ?? 0) + n);
  }

  /** @param line where it stands in the file */
  refuse(line: number | undefined, n: number, reason: string): void {
    this.refused += n;
    this.reasons += 1;
    if (this.reasons <= MAX_REASONS) this.tell(`${line === undefined ? '' : `line ${line}: `}${reason}`);
  }

  /** One line: what was taken, and how much was not. */
  summary(): string {
    const taken = [...this.accepted].map(([kind, n]) => count(n, KIND_NAMES[kind])).join(', ');
    const hidden = this.reasons - MAX_REASONS;
    return [
      `${taken === '' ? 'nothing' : taken} accepted`,
      ...(this.refused > 0 ? [`${this.refused} refused`] : []),
      ...(hidden > 0 ? [`${count(hidden, 'more reason')} not shown`] : []),
    ].join('; ');
  }
}
