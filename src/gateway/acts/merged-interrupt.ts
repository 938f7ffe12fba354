import { assert } from '../../base/assert.ts';
import type { InterruptState, ToldAgent } from '../../model/interrupt.ts';

/**
 * One interrupt as several cells tell it: over when it is over at all of them. An agent that waits at the gateway waits at
 * each cell, so of the same agent on the same way there are as many as the cell tells that tells most.
 * @param states at least one, in the order of the cells
 */
export function mergedInterrupt(states: readonly InterruptState[]): InterruptState {
  const [first] = states;
  assert(first, 'an interrupt that a cell tells');
  const most = new Map<string, readonly ToldAgent[]>();
  for (const { told } of states)
    for (const [who, of] of Map.groupBy(told, ({ way, agent }) => JSON.stringify([way, agent]))) {
      const before = most.get(who);
      if (!before || of.length > before.length || answers(of) > answers(before)) most.set(who, of);
    }
  return { ...first, isOver: states.every(({ isOver }) => isOver), told: [...most.values()].flat() };
}

function answers(told: readonly ToldAgent[]): number {
  return told.filter(({ status }) => status !== undefined).length;
}
