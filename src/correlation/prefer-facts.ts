import type { CotText, EventFacts, SpanFacts } from '../model/facts.ts';

/**
 * Which of two different records of the same span counts: its own before one that only another span implies (of
 * these the earliest), what its sender says before what another service tells of it, the ended one, else the one that ended later, else the one that says more, else the greater by
 * its JSON. A total order, so that redelivery and arrival order do not matter.
 */
export function preferSpan(held: SpanFacts, arrived: SpanFacts): SpanFacts {
  if (held.implied !== arrived.implied) return held.implied === true ? arrived : held;
  if ((held.step.retold === undefined) !== (arrived.step.retold === undefined))
    return held.step.retold === undefined ? held : arrived;
  if (held.implied === true && held.start !== arrived.start)
    return held.start < arrived.start ? held : arrived;
  const byEnd = (arrived.end ?? -Infinity) - (held.end ?? -Infinity);
  if (byEnd > 0) return arrived;
  if (byEnd < 0) return held;
  const [a, b] = [JSON.stringify(held), JSON.stringify(arrived)];
  if (a.length !== b.length && held.end === undefined) return b.length > a.length ? arrived : held;
  return b > a ? arrived : held;
}

/** Of two states of the same part of a chain of thought: the one that joined more entries. */
export function preferCot(held: CotText, arrived: CotText): CotText {
  if (arrived.revision !== held.revision) return arrived.revision > held.revision ? arrived : held;
  if (arrived.final !== held.final) return arrived.final ? arrived : held;
  return arrived.text.length >= held.text.length ? arrived : held;
}

/** Of two contents of one event: the first by its JSON. */
export function preferEvent(held: EventFacts, arrived: EventFacts): EventFacts {
  return JSON.stringify(arrived) < JSON.stringify(held) ? arrived : held;
}
