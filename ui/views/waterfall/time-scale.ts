import type { ExplanationNode } from '../../../src/client/browser.ts';
import { endOf, startOf } from '../../state/node-times.ts';

/** From the first start to the last end. */
export interface TimeScale {
  readonly start: number;
  /** Never 0. */
  readonly ms: number;
}

export interface Bar {
  /** Shares of the whole, in percent. */
  readonly left: number;
  readonly width: number;
}

/** @param now until when running steps go */
export function timeScale(nodes: Iterable<ExplanationNode>, now: number): TimeScale {
  let start = Infinity;
  let end = -Infinity;
  for (const node of nodes) {
    start = Math.min(start, startOf(node));
    end = Math.max(end, shownEnd(node, now));
  }
  return { start: Number.isFinite(start) ? start : 0, ms: Math.max(1, end - start) };
}

export function barOf(node: ExplanationNode, { start, ms }: TimeScale, now: number): Bar {
  const begin = startOf(node);
  const left = ((begin - start) / ms) * 100;
  const width = ((shownEnd(node, now) - begin) / ms) * 100;
  return { left, width: Math.max(0, Math.min(100 - left, width)) };
}

function shownEnd(node: ExplanationNode, now: number): number {
  return endOf(node) ?? Math.max(now, startOf(node) + (node.latencyMs ?? 0));
}
