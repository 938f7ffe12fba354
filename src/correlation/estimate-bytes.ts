import type { NodeEntry } from './node-entry.ts';

/** Measured on Node 24: the objects, map entries and graph edges of one node without its strings, in bytes. */
const BYTES_PER_STEP = 1750;
const BYTES_PER_DETAIL = 80;
/** The maps and sets of a request, by which its spans and the parts of its thought are found. */
const BYTES_PER_REQUEST = 900;
/** A node that is made from another's records: one thought, one switch of model. */
export const BYTES_PER_DERIVED = 1200;

/**
 * Roughly how much memory a node and its sources take. Strings are counted with one byte a character: nearly
 * all telemetry is Latin-1, which V8 stores so. A summary that was cut is not, for the sign at its end.
 */
export function estimateBytes(entry: NodeEntry): number {
  let bytes = BYTES_PER_DERIVED * entry.derived.length;
  for (const { facts } of entry.steps) {
    bytes += BYTES_PER_STEP + facts.name.length + summaryBytes(facts.step.promptSummary ?? '');
    bytes += facts.step.title?.length ?? 0;
    if (facts.kind === 'span') bytes += 100 * (facts.links?.length ?? 0);
    for (const thought of facts.step.thoughts ?? []) bytes += BYTES_PER_DETAIL + thought.length;
    for (const key in facts.step.details) {
      const value = facts.step.details[key];
      bytes += BYTES_PER_DETAIL + (typeof value === 'string' ? value.length : 0);
    }
  }
  if (entry.request) bytes += BYTES_PER_REQUEST;
  for (const part of entry.request?.parts.values() ?? []) bytes += BYTES_PER_STEP + part.text.length;
  if (entry.event) bytes += BYTES_PER_STEP + JSON.stringify(entry.event.payload).length;
  return bytes;
}

function summaryBytes(summary: string): number {
  return summary.endsWith('…') ? 2 * summary.length : summary.length;
}
