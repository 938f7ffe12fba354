import type { CauseQuote } from '../model/why.ts';
import { cutBefore } from '../model/marker.ts';
import type { Place } from './said.ts';

/** Of the line around a place so much is quoted on each side. */
const AROUND_CHARS = 80;
const MAX_QUOTE_CHARS = 300;

/** The place with what stands around it in its line. */
function quoteOf({ piece: { nodeId, field, text }, start, end }: Place): CauseQuote {
  const lineStart = start === 0 ? 0 : text.lastIndexOf('\n', start - 1) + 1;
  const from = wholeCharacter(text, Math.max(lineStart, start - AROUND_CHARS));
  const line = text.indexOf('\n', end);
  const lineEnd = line < 0 ? text.length : line;
  const last = Math.min(lineEnd, end + AROUND_CHARS, from + MAX_QUOTE_CHARS);
  const to = last >= lineEnd ? last : Math.max(cutBefore(text, last), end);
  return { nodeId, field, start: from, end: to, text: text.slice(from, to) };
}

/** Not in the middle of a pair of units. */
function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}

/** Each place once: a quote holds what stands beside it in its line. */
export function quotesOf(places: readonly Place[]): CauseQuote[] {
  const quotes: CauseQuote[] = [];
  for (const place of places) {
    const { piece, start, end } = place;
    const isQuoted = quotes.some(
      (held) =>
        held.nodeId === piece.nodeId && held.field === piece.field && held.start <= start && end <= held.end,
    );
    if (!isQuoted) quotes.push(quoteOf(place));
  }
  return quotes;
}
