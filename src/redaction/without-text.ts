import type { CotText, EventFacts, Facts, SpanFacts, StepFacts } from '../model/facts.ts';
import { clip, MAX_SUMMARY_CHARS } from '../model/one-line.ts';
import type { CotRecord } from '../model/records.ts';

/**
 * What `zeroDataRetention` leaves: figures, ids, names, and the one-line summaries that a sender wrote as such.
 * A name is at most so long and has no blank in it: models, tools, files, error types and ids fit.
 */
const MAX_NAME_CHARS = 128;
const NAME = /^\S*$/;
/** Names under which conventions keep sentences: dropped even when they are one word long. */
const SENTENCES: ReadonlySet<string> = new Set([
  'errorMessage',
  'reason',
  'message',
  'text',
  'description',
  'why',
  'how',
]);

/** The entry with its times, ids and summary, and nothing of the thought itself. */
export function withoutThought(record: CotRecord): CotRecord {
  return { ...record, text: undefined, tokens: undefined, summary: summaryLine(record.summary) };
}

/** Facts without text. The graph that is made of them has the same nodes and edges. */
export function withoutText<T extends Facts>(facts: T): T;
export function withoutText(facts: Facts): Facts {
  switch (facts.kind) {
    case 'span':
      return spanWithoutText(facts);
    case 'log':
      return { ...facts, step: stepWithoutText(facts.step) };
    case 'cot':
      return cotWithoutText(facts);
    case 'event':
      return eventWithoutText(facts);
    case 'metric':
      return facts;
    case 'override':
      return { kind: facts.kind, nodeId: facts.nodeId };
  }
}

function spanWithoutText(facts: SpanFacts): SpanFacts {
  return { ...facts, step: stepWithoutText(facts.step) };
}

/** A summary that was cut out of a prompt or a thought is text, and so are thoughts. */
function stepWithoutText(facts: StepFacts): StepFacts {
  const { promptSummary, title: _title, thoughts: _thoughts, ...step } = facts;
  const line = step.ownSummary === true ? summaryLine(promptSummary) : undefined;
  return {
    ...step,
    details: namesOnly(step.details),
    ...(line !== undefined && { promptSummary: line }),
  };
}

function cotWithoutText(facts: CotText): CotText {
  const { summary, tail: _tail, context: _context, settled: _settled, follows: _follows, ...rest } = facts;
  const line = summaryLine(summary);
  return { ...rest, text: '', ...(line !== undefined && { summary: line }) };
}

function eventWithoutText(facts: EventFacts): EventFacts {
  return { ...facts, payload: namesOnly(facts.payload) };
}

function summaryLine(text: string | undefined): string | undefined {
  const line = text?.replace(/\s+/g, ' ').trim();
  if (line === undefined || line === '') return undefined;
  return clip(line, MAX_SUMMARY_CHARS);
}

/** Figures, and words that are ids or names. */
export function namesOnly(object: { readonly [key: string]: unknown }): { readonly [key: string]: unknown } {
  const kept = Object.entries(object).flatMap(([key, value]) => {
    if (!isName(key) || SENTENCES.has(key)) return [];
    const left = nameOnly(value);
    return left === undefined ? [] : [[key, left] as const];
  });
  return Object.fromEntries(kept);
}

/** undefined: it is text, and nothing of it stays. */
function nameOnly(value: unknown): unknown {
  if (typeof value === 'string') return isName(value) ? value : undefined;
  if (Array.isArray(value)) return value.map(nameOnly).filter((item) => item !== undefined);
  if (typeof value !== 'object' || value === null) return value;
  return namesOnly(value as { readonly [key: string]: unknown });
}

function isName(text: string): boolean {
  return text.length <= MAX_NAME_CHARS && NAME.test(text);
}
