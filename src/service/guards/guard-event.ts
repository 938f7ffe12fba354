import { createHash } from 'node:crypto';
import { isInterrupting, type Firing } from '../../guards/guards.ts';
import { GUARD_LIMITS, type GuardLimit } from '../../guards/guard.ts';
import type { Reason } from '../../guards/cool-downs.ts';
import { eventNodeId, isOwnEventId } from '../../model/ids.ts';
import type { ExplanationNode } from '../../model/node.ts';
import type { EventRecord } from '../../model/records.ts';
import { epochMs, parseTime } from '../../model/time.ts';
import { eventOf } from '../own-events.ts';

/** How a guard that fires stands on the graph, and is read from there again. */

const FIRED = 'GuardFired';

/** What is limited, for people: `figure` is put before it. */
const WORDS: Readonly<Record<GuardLimit, string>> = {
  runningSeconds: 'seconds since the first step',
  tokens: 'tokens',
  costUsd: 'US dollars',
  depth: 'steps below one another',
  handovers: 'agents that call one another',
  sameStep: 'steps that do the same',
  stepsPerMinute: 'steps within a minute',
  nothingNewSeconds: 'seconds without anything new',
};

export function guardEventId({ guard, taskId, agent, limit, at }: Firing): string {
  const what = [guard, taskId, agent ?? '', limit, at].join('\0');
  return `guard:${createHash('sha256').update(what).digest('hex').slice(0, 32)}`;
}

/** In one line: what was counted, and what the bound is. */
export function wordsOf({ limit, figure, bound }: Firing): string {
  return `${readable(figure)} ${WORDS[limit]}, the limit is ${readable(bound)}`;
}

function readable(figure: number): string {
  return String(Number(figure.toPrecision(6)));
}

/** @param asked is somebody asked to stop? */
export function guardEvent(firing: Firing, asked: boolean): EventRecord {
  const { by, guard, taskId, agent, limit, figure, bound, at, step } = firing;
  const outcome = isInterrupting(by)
    ? asked
      ? 'interrupted'
      : 'nothing to interrupt'
    : by.dryRun
      ? 'dry run'
      : 'warned';
  return eventOf(guardEventId(firing), FIRED, 'Guard', epochMs(at), {
    summary: `${guard}: ${wordsOf(firing)} (${outcome})`,
    guard,
    limit,
    figure,
    bound,
    action: by.action,
    dryRun: by.dryRun,
    outcome,
    taskId,
    guardedAgent: agent,
    nodeId: step?.id,
    status: 'WARNING',
  });
}

/** What a node says of an earlier firing; undefined for others, and for what is only called so. */
export function firingIn({
  id,
  taskId,
  timestamp,
  details = {},
}: ExplanationNode): (Reason & { readonly at: number }) | undefined {
  const { eventId, eventType, guard, limit: named, guardedAgent } = details;
  if (eventType !== FIRED || typeof eventId !== 'string' || !isOwnEventId(eventId)) return undefined;
  const limit = GUARD_LIMITS.find((one) => one === named);
  const at = parseTime(timestamp);
  if (id !== eventNodeId(eventId) || typeof guard !== 'string' || !limit || at === undefined)
    return undefined;
  return { guard, taskId, limit, at, ...(typeof guardedAgent === 'string' && { agent: guardedAgent }) };
}
