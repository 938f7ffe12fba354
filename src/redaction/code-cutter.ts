/** A fenced block's opening line, and its fence. */
const OPENING = /^[ \t]{0,3}(`{3,16}|~{3,16})[^\r\n]{0,200}\r?$/;
/** A line that begins otherwise opens no block, whatever follows. */
const MAY_OPEN = /^[ \t]{0,3}(?:[`~]|$)/;
/** Stands for a line that opens no block. */
const OTHER_LINE = 'x';
/** A longer line opens no block. */
const MAX_OPENING = 224;
/** What says how much is missing, and the white space after it. */
const CUT = /\[CODE_CUT:\d{1,12}\]\s*$/;
const CUT_CHARS = 40;
/** Around the place of the cut so much is kept back: a marker is not cut in two. */
const AROUND = 64;

/** Where in the text a cutter is; plain JSON. */
export interface CutterState {
  /** Of the block that is open; undefined outside of one. */
  readonly fence?: string | undefined;
  /** The unfinished line outside of a block. */
  readonly line: string;
  /** Characters of the block that were given out. */
  readonly passed: number;
  /** Characters of the block that wait. */
  readonly held: string;
  /** Characters that were left out after those; undefined while nothing was. */
  readonly dropped?: number | undefined;
}

export const CUTTER_START: CutterState = { line: '', passed: 0, held: '' };

/**
 * Shortens fenced code blocks of a text that comes in pieces, as `cutCodeBlocks` does of one that is there. What was
 * given out stands; at most `max` and a few lines wait.
 */
export class CodeCutter {
  state: CutterState;
  private readonly max: number;

  constructor(max: number, state: CutterState = CUTTER_START) {
    this.max = max;
    this.state = state;
  }

  /** @returns what can be given out of the text up to here */
  add(text: string): string {
    let out = '';
    let rest = text;
    while (rest !== '') {
      const { fence } = this.state;
      if (fence === undefined) {
        const { line } = this.state;
        const end = rest.indexOf('\n') + 1;
        const piece = end === 0 ? rest : rest.slice(0, end);
        rest = rest.slice(piece.length);
        out += piece;
        const whole = line.length > MAX_OPENING ? line : line + piece;
        const opening = end === 0 ? null : OPENING.exec(whole.slice(0, -1));
        const open = MAY_OPEN.test(whole) ? whole.slice(0, MAX_OPENING + 1) : OTHER_LINE;
        this.state = { ...CUTTER_START, line: end === 0 ? open : '' };
        if (opening?.[1] !== undefined) this.state = { ...this.state, fence: opening[1] };
        continue;
      }
      const { held, passed, dropped } = this.state;
      const block = held + rest;
      rest = '';
      const isStart = passed === 0 && dropped === undefined;
      const close = closingAt(block, fence, isStart);
      if (close !== undefined) {
        out += this.closed(block.slice(0, close));
        rest = block.slice(close);
        this.state = { ...CUTTER_START, line: OTHER_LINE };
        continue;
      }
      out += this.within(block, fence.length + 1);
    }
    return out;
  }

  /** What is still to come if the text ends here. */
  end(): string {
    return this.state.fence === undefined ? '' : this.closed(this.state.held);
  }

  /** @param tail characters that may be the beginning of the closing line */
  private within(block: string, tail: number): string {
    const { passed, dropped } = this.state;
    if (dropped !== undefined) {
      const kept = block.slice(-Math.max(tail, CUT_CHARS));
      this.state = { ...this.state, held: kept, dropped: dropped + block.length - kept.length };
      return '';
    }
    if (passed + block.length > this.max + AROUND + tail) {
      const keep = wholeCharacters(block, this.max - passed);
      const kept = block.slice(Math.max(keep, block.length - Math.max(tail, CUT_CHARS)));
      this.state = {
        ...this.state,
        passed: passed + keep,
        held: kept,
        dropped: block.length - keep - kept.length,
      };
      return block.slice(0, keep);
    }
    const free = Math.min(block.length - tail, this.max - AROUND - passed);
    if (free <= 0) {
      this.state = { ...this.state, held: block };
      return '';
    }
    this.state = { ...this.state, passed: passed + free, held: block.slice(free) };
    return block.slice(0, free);
  }

  private closed(rest: string): string {
    const { passed, dropped } = this.state;
    if (dropped !== undefined) return `\n[CODE_CUT:${dropped + rest.length}]\n`;
    if (passed + rest.length <= this.max || CUT.test(rest.slice(-CUT_CHARS))) return rest;
    const keep = wholeCharacters(rest, this.max - passed);
    return `${rest.slice(0, keep)}\n[CODE_CUT:${rest.length - keep}]\n`;
  }
}

/** Where the line of the closing fence starts. */
function closingAt(block: string, fence: string, isStart: boolean): number | undefined {
  if (isStart && block.startsWith(fence)) return 0;
  const at = block.indexOf(`\n${fence}`);
  return at < 0 ? undefined : at + 1;
}

/** Cutting inside a surrogate pair or a marker would leave a broken one. */
export function wholeCharacters(text: string, at: number): number {
  const open = text.lastIndexOf('[', at - 1);
  if (open >= 0 && open >= at - 36 && /^\[[A-Z_]{2,16}:[^\]]{0,18}$/.test(text.slice(open, at))) return open;
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? at - 1 : at;
}
