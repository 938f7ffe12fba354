import type { Span } from './rule.ts';

/** A text with some of its pieces rewritten, that remembers where each of its characters was written. */
export class View {
  readonly text: string;
  private readonly edits: Edits;

  constructor(text: string, edits: Edits) {
    this.text = text;
    this.edits = edits;
  }

  /** The place in the original of a place in this text: rewritten pieces are taken whole. */
  toOrigin({ start, end }: Span): Span {
    const from = this.originOf(start).start;
    return { start: from, end: end > start ? this.originOf(end - 1).end : from };
  }

  private originOf(at: number): Span {
    const { viewStart, viewEnd, originStart, originEnd } = this.edits;
    let low = 0;
    let high = viewStart.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((viewStart[middle] as number) <= at) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return { start: at, end: at + 1 };
    const edit = low - 1;
    const after = at - (viewEnd[edit] as number);
    const end = originEnd[edit] as number;
    if (after < 0) return { start: originStart[edit] as number, end };
    return { start: end + after, end: end + after + 1 };
  }
}

interface Edits {
  readonly viewStart: readonly number[];
  readonly viewEnd: readonly number[];
  readonly originStart: readonly number[];
  readonly originEnd: readonly number[];
}

/**
 * Rewrites what `pattern` (global) matches.
 * @param rewrite returns the piece itself to leave it
 * @returns undefined when the text reads as it is written
 */
export function rewritten(
  text: string,
  pattern: RegExp,
  rewrite: (piece: string, at: number) => string,
): View | undefined {
  const edits: { readonly [side in keyof Edits]: number[] } = {
    viewStart: [],
    viewEnd: [],
    originStart: [],
    originEnd: [],
  };
  let result = '';
  let copied = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const piece = match[0];
    const plain = rewrite(piece, match.index);
    if (plain === piece) continue;
    result += text.slice(copied, match.index);
    edits.viewStart.push(result.length);
    result += plain;
    copied = match.index + piece.length;
    edits.viewEnd.push(result.length);
    edits.originStart.push(match.index);
    edits.originEnd.push(copied);
  }
  return copied === 0 ? undefined : new View(result + text.slice(copied), edits);
}
