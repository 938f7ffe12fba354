import type { Timer } from '../../base/clock.ts';
import { eventNodeId } from '../../model/ids.ts';
import {
  INTERRUPT_REASONS,
  type Interrupt,
  type InterruptAnswer,
  type InterruptState,
  type InterruptWay,
} from '../../model/interrupt.ts';
import type { ExplanationNode } from '../../model/node.ts';
import { toIso } from '../../model/time.ts';
import { interruptEventId } from './interrupt-events.ts';

/** One who was told, and what they answered. */
export interface Told {
  readonly nth: number;
  readonly way: InterruptWay;
  readonly agent: string | undefined;
  answer?: InterruptAnswer;
}

/** An interrupt that is under way, or was lately. */
export interface Asked {
  readonly interrupt: Interrupt;
  readonly told: Told[];
  /** Aborted when no answer is taken any more. */
  readonly ending: AbortController;
  timer?: Timer;
}

/** How it stands, for who asked. @param redact for what agents, and senders, said of themselves */
export function stateOf(
  { interrupt, told, ending }: Asked,
  redact: (text: string) => string,
): InterruptState {
  const { id, reason, about, by, at, onlyOf } = interrupt;
  // What a sender says of itself is none of the graph's own.
  const shown = (name: string): string => (onlyOf === undefined ? name : redact(name));
  return {
    id,
    nodeId: eventNodeId(interruptEventId(id)),
    reason,
    ...(about.nodeId !== undefined && { stepId: shown(about.nodeId) }),
    ...(about.taskId !== undefined && { taskId: shown(about.taskId) }),
    by,
    askedAt: toIso(at),
    isOver: ending.signal.aborted || (told.length > 0 && told.every(({ answer }) => answer !== undefined)),
    told: told.map(({ way, agent, answer }) => ({
      way,
      ...(agent !== undefined && { agent: redact(agent) }),
      ...(answer && { status: answer.status }),
      ...(answer?.message !== undefined && { message: redact(answer.message) }),
    })),
  };
}

/** Of one that was asked before the last start, or long ago: what the graph has of it. The answers are nodes of their own. */
export function stateOfNode(
  id: string,
  { taskId, timestamp, details = {} }: ExplanationNode,
): InterruptState {
  const { reason, askedBy } = details;
  return {
    id,
    nodeId: eventNodeId(interruptEventId(id)),
    reason: INTERRUPT_REASONS.find((one) => one === reason) ?? 'other',
    taskId,
    by: typeof askedBy === 'string' ? askedBy : '',
    askedAt: timestamp,
    isOver: true,
    told: [],
  };
}
