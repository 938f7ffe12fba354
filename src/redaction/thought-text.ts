import type { Redactor } from './redactor.ts';
import type { RedactionReport } from './report.ts';
import { LiveText, type LiveState } from './live-text.ts';

/** State of the text of a thought's part; plain JSON. */
export interface TextState {
  /** What is certain of the part, redacted. */
  readonly settled: string;
  /** Undefined where nothing is redacted. */
  readonly live?: LiveState | undefined;
}

/** The text of the open part of a thought: redacted while it grows, or as it is. */
export class ThoughtText {
  private settled: string;
  private readonly live: LiveText | undefined;

  /** @param redactor undefined: nothing is redacted and nothing held back */
  constructor(redactor: Redactor | undefined, report: RedactionReport, state: TextState) {
    this.settled = state.settled;
    this.live = redactor && new LiveText(redactor, report, state.live);
  }

  /** @param isCutOff the text before is unknown; its last word may continue here and is hidden */
  static start(isCutOff: boolean): TextState {
    return { settled: '', ...(isCutOff && { live: LiveText.cutOff }) };
  }

  get size(): number {
    return this.settled.length + (this.live?.size ?? 0);
  }

  /** Whether it ends inside a hidden value that may continue. */
  get isOpen(): boolean {
    return this.live?.isOpen ?? false;
  }

  get state(): TextState {
    return { settled: this.settled, live: this.live?.state };
  }

  append(raw: string, onNewLine: boolean): void {
    if (this.live) this.live.append(raw, onNewLine);
    else this.settled += onNewLine ? `\n${raw}` : raw;
  }

  /** Text of an entry whose neighbours are no longer held. */
  appendLate(raw: string): void {
    if (this.live) this.live.withhold(raw.length);
    else this.settled += raw;
  }

  settle(): void {
    if (this.live) this.settled += this.live.settle();
  }

  /** Drops the first characters: they belong to the previous part. */
  dropSettled(chars: number): void {
    this.settled = this.settled.slice(chars);
  }

  /**
   * `text`: the final text, with a note where a code block is being cut. `settled`: how much of it can no longer change.
   * `end`: what would follow if the text ended now.
   */
  shown(isFinal: boolean): { readonly text: string; readonly settled: number; readonly end: string } {
    return { text: this.settled, settled: this.settled.length, end: this.live?.ended(isFinal) ?? '' };
  }
}
