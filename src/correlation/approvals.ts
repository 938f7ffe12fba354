import { annotationIdOf } from '../model/annotation.ts';
import { approvalIdOf, approvalIdOfExpiry } from '../model/approval.ts';
import type { EventFacts } from '../model/facts.ts';

/** How it stands with what an agent asked people. */
export interface ApprovalOfNode {
  readonly isPending: boolean;
  /** Nobody answered in time. */
  readonly isExpired: boolean;
  /** What its node shows of the answer. */
  readonly details: { readonly [key: string]: unknown };
}

/** @param said of the event's node, in order: the first answer counts @returns undefined when it asks for nothing */
export function approvalOf(event: EventFacts, said: readonly EventFacts[]): ApprovalOfNode | undefined {
  if (approvalIdOf(event) === undefined) return undefined;
  const answer = said.find(
    (facts) => annotationIdOf(facts) !== undefined && facts.payload['kind'] === 'approval',
  );
  const end = answer ?? said.find((facts) => approvalIdOfExpiry(facts) !== undefined);
  if (!end) return { isPending: true, isExpired: false, details: { outcome: 'pending' } };
  const { decision = 'expired', option, saidBy, text } = end.payload;
  const waitedMs = Math.max(0, end.time - event.time);
  return {
    isPending: false,
    isExpired: !answer,
    details: {
      outcome: decision,
      ...(option !== undefined && { option }),
      ...(text !== undefined && { decisionText: text }),
      ...(saidBy !== undefined && { decidedBy: saidBy }),
      waitedMs,
    },
  };
}
