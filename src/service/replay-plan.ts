import { ownerOf } from '../exporters/otlp/replayed-graph.ts';
import type { ExplanationNode } from '../model/node.ts';
import { startOf } from '../model/in-time.ts';

/** One thing that happens in a replay. */
export interface PlannedStep {
  /** After the beginning of the replay. */
  readonly atMs: number;
  readonly node: ExplanationNode;
  /** It begins; a piece of its thought comes; it is over, and all that is known of it is told. */
  readonly what: 'begin' | 'piece' | 'end';
  /** Of a piece: which of how many. */
  readonly piece?: { readonly index: number; readonly of: number };
}

export interface ReplayPlan {
  readonly steps: readonly PlannedStep[];
  readonly durationMs: number;
  /** When the recorded task ended. */
  readonly recordedEndMs: number;
}

/** A reader sees text flow; more often would cost more than it shows. */
const PIECE_EVERY_MS = 250;
const MAX_PIECES = 100;

/**
 * When what happens, in the order of the recording.
 * @param nodes by start
 * @param speed 0: all at once
 */
export function replayPlan(nodes: readonly ExplanationNode[], speed: number): ReplayPlan {
  const begin = Math.min(...nodes.map(startOf));
  const recordedEndMs = Math.max(...nodes.map((node) => startOf(node) + (node.latencyMs ?? 0)));
  const scaled = (recordedMs: number): number => (speed === 0 ? 0 : (recordedMs - begin) / speed);
  const withThought = new Set(nodes.map(({ id }) => ownerOf(id)));
  const ids = new Set(nodes.map(({ id }) => id));
  const steps: PlannedStep[] = [];
  const closing = new Set<PlannedStep>();
  for (const node of nodes) {
    // The steps of a thought are told with the one that had it.
    if (ids.has(ownerOf(node.id) ?? '')) continue;
    const start = scaled(startOf(node));
    // Of what had no end it is told at the end that it had none.
    const end = scaled(node.state === 'ENDED' ? startOf(node) + (node.latencyMs ?? 0) : recordedEndMs);
    const takesTime = end > start;
    if (takesTime) {
      steps.push({ atMs: start, node, what: 'begin' });
      if (withThought.has(node.id)) steps.push(...piecesOf(node, start, end));
    }
    const step: PlannedStep = { atMs: end, node, what: 'end' };
    steps.push(step);
    if (takesTime) closing.add(step);
  }
  // What ends then was there before what begins then.
  const rank = (step: PlannedStep): number => (closing.has(step) ? 0 : step.what === 'piece' ? 2 : 1);
  steps.sort((a, b) => a.atMs - b.atMs || rank(a) - rank(b));
  return { steps, durationMs: scaled(recordedEndMs), recordedEndMs };
}

function* piecesOf(node: ExplanationNode, start: number, end: number): Generator<PlannedStep> {
  const of = Math.max(1, Math.min(MAX_PIECES, Math.floor((end - start) / PIECE_EVERY_MS)));
  for (let index = 0; index < of; index++)
    yield { atMs: start + ((end - start) * index) / of, node, what: 'piece', piece: { index, of } };
}
