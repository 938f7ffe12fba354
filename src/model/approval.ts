import type { Decision } from './annotation.ts';
import type { EventFacts } from './facts.ts';
import type { ExplanationNode } from './node.ts';

/** So long an agent may wait for an approval, in seconds. */
export const APPROVAL_SECONDS = { least: 5, most: 7 * 24 * 3600, default: 3600 };

/** How it ended. */
export type ApprovalOutcome = Decision | 'expired';

/** How it stands with what an agent asked, for the agent. */
export interface ApprovalState {
  readonly id: string;
  /** The node that shows it: what comes of the answer may depend on that. */
  readonly nodeId: string;
  readonly state: 'pending' | ApprovalOutcome;
  /** ISO 8601. */
  readonly expiresAt: string;
  readonly text?: string;
  /** Of the options, where there were any. */
  readonly option?: string;
  /** Who answered, for people to read. */
  readonly by?: string;
}

export const APPROVAL_ASKED = 'ApprovalRequested';
export const APPROVAL_EXPIRED = 'ApprovalExpired';

/** Does an agent wait for a person's answer to this step? */
export function waitsForApproval({ details }: Pick<ExplanationNode, 'details'>): boolean {
  return details?.['outcome'] === 'pending';
}

export function approvalEventId(id: string): string {
  return `approval:${id}`;
}

export function expiryEventId(id: string): string {
  return `approval:${id}:expired`;
}

/** Of an event by which an agent asks, under an id that only the service gives; undefined for others. */
export function approvalIdOf({ eventId }: Pick<EventFacts, 'eventId'>): string | undefined {
  return /^approval:([0-9a-f]{32})$/.exec(eventId)?.[1];
}

/** Of the event that says that nobody answered in time. */
export function approvalIdOfExpiry({ eventId }: Pick<EventFacts, 'eventId'>): string | undefined {
  return /^approval:([0-9a-f]{32}):expired$/.exec(eventId)?.[1];
}
