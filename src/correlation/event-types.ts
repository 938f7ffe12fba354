import type { EventFacts } from '../model/facts.ts';
import { EDGE_RELATIONS, type EdgeRelation, type NodeStatus, type NodeType } from '../model/node.ts';

interface EventClass {
  readonly type: NodeType;
  /** The edge from what the event refers to. */
  readonly relation: EdgeRelation;
  readonly status: NodeStatus;
}

/** What the ReflexionAdapter's events become (public contract, section 2), what was answered to who interrupted, and what agents ask people. */
const KNOWN: Readonly<Record<string, Omit<EventClass, 'status'>>> = {
  ModelSwitched: { type: 'MODEL_SWITCH', relation: 'REFLECTED' },
  CodeFixApplied: { type: 'REFLEXION_ACTION', relation: 'TRIGGERED' },
  PatchApplied: { type: 'REFLEXION_ACTION', relation: 'TRIGGERED' },
  PlanUpdated: { type: 'REFLEXION_ACTION', relation: 'TRIGGERED' },
  TaskRetryInitiated: { type: 'REFLEXION_ACTION', relation: 'TRIGGERED' },
  ApprovalRequested: { type: 'REFLEXION_ACTION', relation: 'ESCALATED' },
  ApprovalExpired: { type: 'REFLEXION_ACTION', relation: 'TRIGGERED' },
  InterruptAnswered: { type: 'REFLEXION_ACTION', relation: 'TRIGGERED' },
  InterruptUnanswered: { type: 'REFLEXION_ACTION', relation: 'TRIGGERED' },
  GuardFired: { type: 'REFLEXION_ACTION', relation: 'TRIGGERED' },
};
const ESCALATION = /escalat/i;
/** What a user did: an interruption, feedback, an approval. */
const BY_USER = /^(?:user|human)|^(?:interrupt|feedback|approval)/i;
const RELATIONS: ReadonlySet<string> = new Set<EdgeRelation>(EDGE_RELATIONS);
const STATUSES: ReadonlySet<string> = new Set<NodeStatus>(['OK', 'ERROR', 'WARNING', 'SKIPPED']);

export function classifyEvent(event: EventFacts): EventClass {
  const said = event.payload['status'];
  const status = typeof said === 'string' && STATUSES.has(said) ? (said as NodeStatus) : undefined;
  if (Object.hasOwn(KNOWN, event.eventType)) {
    const known = KNOWN[event.eventType];
    if (known) return { ...known, status: status ?? 'OK' };
  }
  if (ESCALATION.test(event.eventType)) {
    return { type: 'REFLEXION_ACTION', relation: 'ESCALATED', status: status ?? 'WARNING' };
  }
  if (BY_USER.test(event.eventType))
    return { type: 'REFLEXION_ACTION', relation: 'USER_ACTION', status: status ?? 'OK' };
  // Any other transition is kept with the relation that its sender gives it.
  const named = event.payload['relation'];
  const relation = typeof named === 'string' && RELATIONS.has(named) ? (named as EdgeRelation) : 'OTHER';
  return { type: 'OTHER', relation, status: status ?? 'OK' };
}
