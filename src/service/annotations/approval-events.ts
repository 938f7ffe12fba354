import type { ApprovalState } from '../../model/approval.ts';
import {
  APPROVAL_ASKED,
  APPROVAL_EXPIRED,
  approvalEventId,
  approvalIdOf,
  expiryEventId,
} from '../../model/approval.ts';
import { eventNodeId } from '../../model/ids.ts';
import type { ExplanationNode } from '../../model/node.ts';
import type { EventRecord } from '../../model/records.ts';
import { startOf } from '../../model/in-time.ts';
import { parseTime, toIso, type EpochMs } from '../../model/time.ts';
import { eventOf } from '../own-events.ts';
import type { GivenApproval } from './given-approval.ts';

/** What an agent waits for. */
export interface PendingApproval {
  readonly id: string;
  readonly options: readonly string[];
  readonly expiresAt: EpochMs;
  readonly agent: string | undefined;
  readonly taskId: string | undefined;
  readonly traceId: string | undefined;
}

/** How it ended, for the agent. */
export type Ended = Pick<ApprovalState, 'text' | 'option' | 'by'> & {
  readonly state: Exclude<ApprovalState['state'], 'pending'>;
};

export function requestEvent(
  { id, expiresAt }: Pick<PendingApproval, 'id' | 'expiresAt'>,
  { question, options, agent, taskId, traceId, spanId, nodeId, requestId }: GivenApproval,
  at: EpochMs,
): EventRecord {
  return eventOf(approvalEventId(id), APPROVAL_ASKED, agent, at, {
    summary: question,
    options: options.length > 0 ? options : undefined,
    expiresAt: toIso(expiresAt),
    waitingAgent: agent,
    taskId,
    traceId,
    spanId,
    nodeId,
    requestId,
  });
}

export function expiryEvent({ id, agent, taskId }: PendingApproval, at: EpochMs): EventRecord {
  return eventOf(expiryEventId(id), APPROVAL_EXPIRED, agent, at, {
    summary: 'nobody answered in time',
    nodeId: eventNodeId(approvalEventId(id)),
    taskId,
    status: 'WARNING',
  });
}

function waitingIn(id: string, { taskId, details = {} }: ExplanationNode): PendingApproval {
  const { options, expiresAt, waitingAgent, traceId } = details;
  return {
    id,
    options: Array.isArray(options) ? options.filter((one) => typeof one === 'string') : [],
    expiresAt: parseTime(expiresAt) ?? (0 as EpochMs),
    agent: textOf(waitingAgent),
    taskId,
    traceId: textOf(traceId),
  };
}

/** What a node asks for, in memory or archived, and how it ended if it has. undefined where it asks for nothing. */
export function approvalIn(
  node: ExplanationNode,
):
  | { readonly waiting: PendingApproval; readonly ended: Ended | undefined; readonly endedAt: number }
  | undefined {
  const { eventId, outcome, option, decidedBy, decisionText, waitedMs } = node.details ?? {};
  if (typeof eventId !== 'string' || eventNodeId(eventId) !== node.id) return undefined;
  const id = approvalIdOf({ eventId });
  if (id === undefined) return undefined;
  const waiting = waitingIn(id, node);
  const state = (['approved', 'denied', 'expired'] as const).find((one) => one === outcome);
  return {
    waiting,
    ended: state && endedOf(state, { text: decisionText, option, by: decidedBy }),
    endedAt: startOf(node) + (typeof waitedMs === 'number' ? waitedMs : 0),
  };
}

export function endedOf(
  state: Ended['state'],
  said: { readonly text?: unknown; readonly option?: unknown; readonly by?: unknown },
): Ended {
  const [text, option, by] = [said.text, said.option, said.by].map(textOf);
  return {
    state,
    ...(text !== undefined && { text }),
    ...(option !== undefined && { option }),
    ...(by !== undefined && { by }),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
