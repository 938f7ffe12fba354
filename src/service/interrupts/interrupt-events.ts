import type { Principal } from '../../access/principal.ts';
import { eventNodeId } from '../../model/ids.ts';
import type { Interrupt, InterruptAnswer, InterruptWay } from '../../model/interrupt.ts';
import type { EventRecord } from '../../model/records.ts';
import type { EpochMs } from '../../model/time.ts';
import { eventOf } from '../own-events.ts';

/** How an interrupt stands on the graph: three kinds of events, each of which refers to what came before it. */

const PREFIX = 'interrupt:';

export const ASKED = 'UserInterrupt';
export const ANSWERED = 'InterruptAnswered';
export const UNANSWERED = 'InterruptUnanswered';

export function interruptEventId(id: string): string {
  return PREFIX + id;
}

/** Of the event that says that it was asked; undefined for others. */
export function interruptIdOf(eventId: string): string | undefined {
  return /^interrupt:([0-9a-f]{32})$/.exec(eventId)?.[1];
}

/** The interrupt that an event of ours answers, or says to be unanswered. */
export function answeredIdOf(eventId: string): string | undefined {
  return /^interrupt:([0-9a-f]{32}):/.exec(eventId)?.[1];
}

export function askedEvent(
  { id, reason, message, about, by, at, after }: Interrupt,
  principal: Principal,
): EventRecord {
  const { nodeId, taskId, agent, traceIds } = about;
  return eventOf(interruptEventId(id), ASKED, principal.by === 'guard' ? 'Guard' : 'User', at, {
    summary: message === undefined ? reason : `${reason}: ${message}`,
    reason,
    message,
    askedBy: by,
    askedByKind: principal.by,
    askedByRoles: principal.roles.length === 0 ? undefined : principal.roles.join('+'),
    nodeId: after ?? nodeId,
    stepId: after === undefined ? undefined : nodeId,
    taskId,
    traceId: nodeId === undefined && taskId === undefined ? traceIds?.[0] : undefined,
    interruptedAgent: agent,
    interruptId: id,
  });
}

/** @param nth of those who were told of it */
export function answeredEvent(
  interrupt: Interrupt,
  {
    nth,
    way,
    agent,
  }: { readonly nth: number; readonly way: InterruptWay; readonly agent: string | undefined },
  { status, message }: InterruptAnswer,
  at: EpochMs,
): EventRecord {
  return eventOf(`${interruptEventId(interrupt.id)}:${nth}`, ANSWERED, agent ?? interrupt.about.agent, at, {
    ...ofInterrupt(interrupt),
    summary: message === undefined ? status : `${status}: ${message}`,
    answer: status,
    message,
    way,
    status: status === 'ignored' || status === 'continuing' ? 'WARNING' : 'OK',
  });
}

/** @param nth of those who were told of it; 0 where nobody was */
export function unansweredEvent(
  interrupt: Pick<Interrupt, 'id'> & { readonly about: Pick<Interrupt['about'], 'taskId' | 'agent'> },
  { nth, agent, why }: { readonly nth: number; readonly agent?: string | undefined; readonly why: string },
  at: EpochMs,
): EventRecord {
  return eventOf(`${interruptEventId(interrupt.id)}:${nth}`, UNANSWERED, agent ?? interrupt.about.agent, at, {
    ...ofInterrupt(interrupt),
    summary: why,
    why,
    status: 'WARNING',
  });
}

function ofInterrupt({
  id,
  about,
}: {
  readonly id: string;
  readonly about: { readonly taskId?: string | undefined };
}): { readonly [key: string]: string | undefined } {
  return { nodeId: eventNodeId(interruptEventId(id)), taskId: about.taskId, interruptId: id };
}
