import { endOf } from './failure.ts';
import type { ExplanationNode } from './node.ts';
import { parseTime } from './time.ts';

/** Epoch ms; without an end while it lasts. */
export interface Times {
  readonly start: number;
  readonly end?: number | undefined;
}

/** Epoch ms. */
export function startOf({ timestamp }: Pick<ExplanationNode, 'timestamp'>): number {
  return parseTime(timestamp) ?? 0;
}

export function timesOf(node: ExplanationNode): Times {
  return { start: startOf(node), end: node.state === 'RUNNING' ? undefined : endOf(node) };
}

/** In ms, as exactly as a clock tells this start. Some cut it to milliseconds; a start and a length are each cut to microseconds here. */
export function resolutionOf(start: number): number {
  return Number.isInteger(start) ? 1 : 0.002;
}

/** Of two that began then, is the order not known by their clocks? */
export function isOneTime(a: number, b: number): boolean {
  return Math.abs(a - b) < Math.max(resolutionOf(a), resolutionOf(b));
}

/** Had `one` ended when `next` began, as exactly as the clock of `next` tells? Of two that began at one time both may have. */
export function hadEnded(one: Times, next: Times): boolean {
  return one.end !== undefined && one.end < next.start + resolutionOf(next.start);
}

/**
 * Did `next` begin when `one` had ended? Of two that began at one time neither did: their order is not known, but where one
 * led to the other.
 */
export function isAfter(next: Times, one: Times): boolean {
  return next.start > one.start && hadEnded(one, next);
}
