import type { CotRecord } from '../model/records.ts';

/** A piece of a thought's text; `onNewLine`: a line break goes before it. */
export interface Piece {
  readonly text: string;
  readonly onNewLine: boolean;
}

/** Deltas since the last whole text: how long they are, and what they hash to. */
interface Run {
  readonly length: number;
  readonly high: number;
  readonly low: number;
}

/** Where a joiner is; plain JSON. */
export interface JoinState {
  readonly isEmpty: boolean;
  /** Undefined when the last entry was a whole text. */
  readonly run?: Run | undefined;
}

export const JOIN_START: JoinState = { isEmpty: true };
const EMPTY_RUN: Run = { length: 0, high: 0x811c9dc5, low: 0x1b873593 };

/**
 * Joins entries to one text. Deltas follow each other without a separator; whole texts are steps on lines of
 * their own; a whole text that equals or extends the deltas directly before it stands for them.
 */
export class Joiner {
  state: JoinState;

  constructor(state: JoinState = JOIN_START) {
    this.state = state;
  }

  /** @returns what the entry adds to the end of the text so far */
  add(entry: CotRecord): readonly Piece[] {
    const pieces: Piece[] = [];
    if (entry.tokens !== undefined && entry.tokens.length > 0) {
      const { run, isEmpty } = this.state;
      const delta = entry.tokens.join('');
      pieces.push({ text: delta, onNewLine: run === undefined && !isEmpty });
      this.state = { isEmpty: false, run: extended(run ?? EMPTY_RUN, delta, 0, delta.length) };
    }
    if (entry.text !== undefined) {
      const { run, isEmpty } = this.state;
      pieces.push(
        run !== undefined && begins(entry.text, run)
          ? { text: entry.text.slice(run.length), onNewLine: false }
          : { text: entry.text, onNewLine: !isEmpty },
      );
      this.state = { isEmpty: false };
    }
    return pieces;
  }
}

/** Two FNV-1a hashes side by side: a run may be longer than what is kept of it. */
function extended(run: Run, text: string, from: number, to: number): Run {
  let { high, low } = run;
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul(low ^ unit, 0x85ebca6b) + 0x7ed55d16;
  }
  return { length: run.length + to - from, high, low };
}

function begins(text: string, run: Run): boolean {
  if (text.length < run.length) return false;
  const same = extended(EMPTY_RUN, text, 0, run.length);
  return same.high === run.high && same.low === run.low;
}
