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

  /**
   * Where this text may say what the original does not: where it was rewritten and what was found there, which may go on.
   * @param found in the original @param within what of the original counts, if not all of it
   */
  changed(found: readonly Span[], within: readonly Span[] | undefined): readonly Span[] {
    const { viewStart, viewEnd } = this.edits;
    const changes = within
      ? this.inView(within)
      : viewStart.map((start, i) => ({ start, end: viewEnd[i] as number }));
    if (found.length === 0) return changes;
    return [...changes, ...this.inView(found)].sort((a, b) => a.start - b.start);
  }

  /** The places in this text of places in the original. */
  inView(places: readonly Span[]): readonly Span[] {
    return places.map(({ start, end }) => ({ start: this.placeOf(start), end: this.placeOf(end) }));
  }

  private placeOf(at: number): number {
    const { viewStart, viewEnd, originStart, originEnd } = this.edits;
    const edit = lastUpTo(originStart, at);
    if (edit < 0) return at;
    const after = at - (originEnd[edit] as number);
    return after < 0 ? (viewStart[edit] as number) : (viewEnd[edit] as number) + after;
  }

  private originOf(at: number): Span {
    const { viewStart, viewEnd, originStart, originEnd } = this.edits;
    const edit = lastUpTo(viewStart, at);
    if (edit < 0) return { start: at, end: at + 1 };
    const after = at - (viewEnd[edit] as number);
    const end = originEnd[edit] as number;
    if (after < 0) return { start: originStart[edit] as number, end };
    return { start: end + after, end: end + after + 1 };
  }
}

/** Of numbers in order, where the last one stands that is not above `limit`; -1 where there is none. */
function lastUpTo(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] as number) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
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
