import type { Facts, SpanFacts, StepLogFacts } from '../model/facts.ts';

/** Gives what is hidden in an id a marker of ids. */
export type OwnId = (id: string) => string;

/** Members of details, and of an event's payload, that name a task, a session, a request, an event or a node. */
const ID_NAMES = [
  'taskId',
  'taskID',
  'task_id',
  'sessionId',
  'requestId',
  'requestID',
  'request_id',
  'nodeId',
  'nodeID',
  'node_id',
  'dependsOn',
  'partId',
] as const;

/**
 * Facts whose ids have markers of their own, which are the same in every task: they join, they name nodes and tasks for
 * readers, and they say nothing of what texts hide. Ids of thoughts and events have them from the door on.
 */
export function withOwnIds<T extends Facts>(facts: T, ownId: OwnId): T;
export function withOwnIds(facts: Facts, ownId: OwnId): Facts {
  switch (facts.kind) {
    case 'span':
      return withStepIds(facts, ownId);
    case 'log': {
      const log = withStepIds(facts, ownId);
      if (!log.causes?.some(({ stepId }) => stepId.includes('['))) return log;
      return { ...log, causes: log.causes.map((cause) => ({ ...cause, stepId: ownId(cause.stepId) })) };
    }
    case 'cot':
      return facts.taskId?.includes('[') === true ? { ...facts, taskId: ownId(facts.taskId) } : facts;
    case 'event': {
      const payload = membersWithIds(facts.payload, ownId);
      return payload === facts.payload ? facts : { ...facts, payload };
    }
    case 'metric':
    case 'override':
      return facts;
  }
}

function withStepIds<T extends SpanFacts | StepLogFacts>(facts: T, ownId: OwnId): T {
  const { task, requestId, stepId, retold } = facts.step;
  const details = membersWithIds(facts.step.details, ownId);
  const isSame = details === facts.step.details;
  const ids = [task?.id, requestId, stepId, retold?.nodeId];
  if (isSame && !ids.some((id) => id?.includes('[') === true)) return facts;
  const step = {
    ...facts.step,
    ...(task && { task: { ...task, id: ownId(task.id) } }),
    ...(requestId !== undefined && { requestId: ownId(requestId) }),
    ...(stepId !== undefined && { stepId: ownId(stepId) }),
    ...(retold && { retold: { ...retold, nodeId: ownId(retold.nodeId) } }),
    details,
  };
  return { ...facts, step };
}

type Members = { readonly [key: string]: unknown };

function membersWithIds(members: Members, ownId: OwnId): Members {
  let copy: { [key: string]: unknown } | undefined;
  for (const name of ID_NAMES) {
    const id = members[name];
    if (id === undefined) continue;
    const own = Array.isArray(id) ? id.map((one) => ownIn(one, ownId)) : ownIn(id, ownId);
    if (own !== id) (copy ??= { ...members })[name] = own;
  }
  return copy ?? members;
}

function ownIn(id: unknown, ownId: OwnId): unknown {
  return typeof id === 'string' ? ownId(id) : id;
}
