import type { CotText, SpanFacts } from '../model/facts.ts';

/**
 * Which of two different records of the same span counts: the ended one, else the one that ended later, else
 * the greater by its JSON. A total order, so that redelivery and arrival order do not matter.
 */
export function preferSpan(held: SpanFacts, arrived: SpanFacts): SpanFacts {
  const byEnd = (arrived.end ?? -Infinity) - (held.end ?? -Infinity);
  if (byEnd > 0) return arrived;
  if (byEnd < 0) return held;
  return JSON.stringify(arrived) > JSON.stringify(held) ? arrived : held;
}

/** Of two states of the same part of a chain of thought: the one that joined more entries. */
export function preferCot(held: CotText, arrived: CotText): CotText {
  if (arrived.revision !== held.revision) return arrived.revision > held.revision ? arrived : held;
  if (arrived.final !== held.final) return arrived.final ? arrived : held;
  return arrived.text.length >= held.text.length ? arrived : held;
}
