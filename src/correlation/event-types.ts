import type { EventFacts } from '../model/facts.ts';
import type { EdgeRelation, NodeStatus, NodeType } from '../model/node.ts';

interface EventClass {
  readonly type: NodeType;
  /** The edge from what the event refers to. */
  readonly relation: EdgeRelation;
  readonly status: NodeStatus;
}

/** What the ReflexionAdapter's events become (public contract, section 2). */
const KNOWN: Readonly<Record<string, Omit<EventClass, 'status'>>> = {
  ModelSwitched: { type: 'MODEL_SWITCH', relation: 'REFLECTED' },
  CodeFixApplied: { type: 'REFLEXION_ACTION', relation: 'TRIGGERED' },
  PatchApplied: { type: 'REFLEXION_ACTION', relation: 'TRIGGERED' },
  PlanUpdated: { type: 'REFLEXION_ACTION', relation: 'TRIGGERED' },
  TaskRetryInitiated: { type: 'REFLEXION_ACTION', relation: 'TRIGGERED' },
};
const ESCALATION = /escalat/i;
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
  return { type: 'OTHER', relation: 'OTHER', status: status ?? 'OK' };
}

/** What an event points at, read from its payload: the first spelling that is present counts. */
export interface EventRefs {
  readonly taskId: string | undefined;
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;
  readonly nodeId: string | undefined;
  readonly requestId: string | undefined;
}

export function eventRefs(event: EventFacts): EventRefs {
  const text = (...keys: string[]): string | undefined => {
    for (const key of keys) {
      const value = Object.hasOwn(event.payload, key) ? event.payload[key] : undefined;
      if (typeof value === 'string' && value !== '') return value;
    }
    return undefined;
  };
  return {
    taskId: text('taskId', 'taskID', 'task_id'),
    traceId: text('traceId', 'traceID', 'trace_id')?.toLowerCase(),
    spanId: text('spanId', 'spanID', 'span_id')?.toLowerCase(),
    nodeId: text('nodeId', 'nodeID', 'node_id'),
    requestId: text('requestId', 'requestID', 'request_id'),
  };
}
