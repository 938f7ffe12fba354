import type { CotText, StepTexts } from './facts.ts';
import { shownLength } from './marker.ts';
import type { ExplanationNode } from './node.ts';

/**
 * Of one thought readers are given so much, about a million tokens: it is made, searched and sent as one string, and one
 * sender may make it hundreds of MB long.
 */
export const MAX_READ_CHARS = 4 * 1024 * 1024;

/**
 * The texts of a request's thoughts: each begins on a line of its own, of parts that go on from one another.
 * @param enough so many characters of the beginning of each will do
 */
export function thoughtsOf(parts: readonly CotText[], enough = Infinity): readonly string[] {
  const begins = [...parts.keys()].filter((i) => i === 0 || parts[i]?.follows === undefined);
  return begins
    .map((from, i) => thoughtOf(parts.slice(from, begins[i + 1]), enough))
    .filter((text) => text !== '');
}

/** Which text of its step the parts of a request are. */
export function textFieldOf(parts: readonly CotText[]): 'reasoning' | 'completion' | 'prompt' {
  const of = parts.find((part) => part.of !== undefined)?.of;
  return of === 'completion' || of === 'prompt' ? of : 'reasoning';
}

/**
 * The text of a thought, of its parts in their order.
 * @param enough so many characters of its beginning will do; there may be more
 */
export function thoughtOf(parts: readonly CotText[], enough = Infinity): string {
  let whole = '';
  for (const [i, part] of parts.entries()) {
    const text = countingOf(part, parts[i + 1]);
    if (text !== '') whole += whole === '' || part.follows !== undefined ? text : `\n${text}`;
    if (whole.length >= enough) break;
  }
  return whole;
}

/** The same as a text of its step; nothing where it is empty. Of a longer one than readers are given its beginning. */
export function thoughtTexts(parts: readonly CotText[], enough = MAX_READ_CHARS): StepTexts {
  // Of whole parts, since a tag may not be cut.
  const text = thoughtOf(parts, enough);
  if (text === '') return {};
  const left = text.length < enough ? 0 : lengthOf(parts) - text.length;
  return { [textFieldOf(parts)]: left > 0 ? `${text}…[cut ${left} chars]` : text };
}

function lengthOf(parts: readonly CotText[]): number {
  return parts.reduce((sum, part, i) => sum + countingOf(part, parts[i + 1]).length, 0);
}

/** The thought of a node that was made from the records of another: what it shows of it. */
export function derivedThought({ type, promptSummary }: ExplanationNode): StepTexts {
  return type === 'REASONING' && promptSummary !== undefined && promptSummary !== ''
    ? { reasoning: promptSummary }
    : {};
}

/** Characters of all parts as they are shown, without the line breaks between thoughts. */
export function thoughtLength(parts: readonly CotText[]): number {
  return parts.reduce((sum, part, i) => sum + shownLength(countingOf(part, parts[i + 1])), 0);
}

/** What the graph holds of a part: what only the disk needs is left out. */
export function shownThought(cot: CotText): CotText {
  const { tail: _tail, context: _context, seen: _seen, requests: _requests, ...shown } = cot;
  return shown;
}

/** The same state with its end shown: only for a thought that has been silent for long enough. */
export function withTail({ tail = '', ...cot }: CotText): CotText {
  return { ...cot, text: cot.text + tail };
}

function countingOf({ text }: CotText, next: CotText | undefined): string {
  return next?.follows === undefined ? text : text.slice(0, next.follows);
}
