import type { ExplanationNode } from '../model/node.ts';
import { startOf } from '../model/in-time.ts';

/** A step as guards see it. */
export interface GuardedStep {
  readonly node: ExplanationNode;
  /** What it shares with the steps that do the same; undefined where nothing but its name is known of it. */
  readonly same: string | undefined;
  /** Epoch milliseconds, by its sender's clock. */
  readonly start: number;
  /** The same; its start while it runs. */
  readonly end: number;
  /** Steps on the way down to it, itself among them. */
  depth: number;
  /** Changes of the agent on that way. */
  handovers: number;
}

/** @param said what it said or was given to do, whole or by a name for it */
export function guardedStep(node: ExplanationNode, said: string | undefined): GuardedStep {
  const start = startOf(node);
  return {
    node,
    same: said === undefined ? undefined : [node.type, node.agent, node.name, said].join('\n'),
    start,
    end: start + Math.max(0, node.latencyMs ?? 0),
    depth: 1,
    handovers: 0,
  };
}
