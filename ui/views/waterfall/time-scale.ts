import type { ExplanationNode } from '../../../src/client/browser.ts';

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
    const begin = Date.parse(node.timestamp);
    start = Math.min(start, begin);
    end = Math.max(end, begin + lengthOf(node, begin, now));
  }
  return { start: Number.isFinite(start) ? start : 0, ms: Math.max(1, end - start) };
}

export function barOf(node: ExplanationNode, { start, ms }: TimeScale, now: number): Bar {
  const begin = Date.parse(node.timestamp);
  const left = ((begin - start) / ms) * 100;
  return { left, width: Math.max(0, Math.min(100 - left, (lengthOf(node, begin, now) / ms) * 100)) };
}

function lengthOf({ state, latencyMs = 0 }: ExplanationNode, begin: number, now: number): number {
  return state === 'RUNNING' ? Math.max(latencyMs, now - begin) : latencyMs;
}
