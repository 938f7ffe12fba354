import type { TaskHint } from '../model/facts.ts';
import type { Resource } from '../model/records.ts';
import { resourceKeyOf } from '../model/resource-key.ts';
import { firstId, firstText } from './read.ts';
import { conversation, task } from './task.ts';
import { userOf } from './user.ts';
import { MAX_NAME_CHARS, clip } from '../model/one-line.ts';

/** What a process says of all its spans; names and ids are bounded. */
export interface ResourceFacts {
  /** Stands in for an agent's name where nothing else names one. */
  readonly serviceName: string | undefined;
  readonly task: TaskHint | undefined;
  readonly sessionId: string | undefined;
  readonly user: ReturnType<typeof userOf>;
  /** By which metrics find its spans (model/resource-key.ts). */
  readonly resourceKey: string | undefined;
}

const TASK_ID = ['taskID', 'taskId', 'task_id', 'task.id'];
const SESSION_ID = ['session.id', 'gen_ai.conversation.id', 'langfuse.session.id'];

/** A resource is shared by all records of one request, so it is read once. */
const known = new WeakMap<Resource, ResourceFacts>();

export function resourceFacts(resource: Resource): ResourceFacts {
  const before = known.get(resource);
  if (before !== undefined) return before;
  const a = resource.attributes;
  const named = firstText(a, ['gen_ai.agent.name', 'agent.name', 'app.name']);
  const service = firstText(a, ['service.name']);
  const sessionId = clipped(firstId(a, SESSION_ID));
  const facts = {
    sessionId,
    serviceName: clipped(named ?? (service?.startsWith('unknown_service') === true ? undefined : service)),
    task: task(clipped(firstId(a, TASK_ID))) ?? conversation(sessionId),
    user: userOf(a),
    resourceKey: resourceKeyOf(a) || undefined,
  };
  known.set(resource, facts);
  return facts;
}

function clipped(name: string | undefined): string | undefined {
  return name === undefined ? undefined : clip(name, MAX_NAME_CHARS);
}
