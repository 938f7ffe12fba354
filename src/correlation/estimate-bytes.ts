import type { NodeEntry } from './node-entry.ts';

/** Measured on Node 24: the objects, map entries and graph edges of one node without its strings, in bytes. */
const BYTES_PER_SPAN = 2300;
const BYTES_PER_DETAIL = 80;

/**
 * Roughly how much memory a node and its sources take. Strings are counted with one byte a character: nearly
 * all telemetry is Latin-1, which V8 stores so.
 */
export function estimateBytes(entry: NodeEntry): number {
  let bytes = 0;
  for (const { facts } of entry.spans) {
    bytes += BYTES_PER_SPAN + facts.name.length + (facts.step.promptSummary?.length ?? 0);
    bytes += 100 * (facts.links?.length ?? 0);
    for (const key in facts.step.details) {
      const value = facts.step.details[key];
      bytes += BYTES_PER_DETAIL + (typeof value === 'string' ? value.length : 0);
    }
  }
  for (const part of entry.request?.parts.values() ?? []) bytes += BYTES_PER_SPAN + part.text.length;
  if (entry.event) bytes += BYTES_PER_SPAN + JSON.stringify(entry.event.payload).length;
  return bytes;
}
