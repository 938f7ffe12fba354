import { isObject } from '../../base/json.ts';
import { TOLD, TOLD_KEY } from '../../model/mew.ts';
import type { Envelope } from './envelope.ts';

/** What asks an agent to stop reasoning: today's word, and that of the proposal before it. */
export const STOPS: ReadonlySet<string> = new Set(['reasoning/cancel', 'reasoning/interrupt']);

/** Kinds that make a node wherever they stand; of all others only those within a context. */
const SHOWN = /^(?:reasoning\/.+|chat|mcp\/(?:request|response|proposal|withdraw|reject))$/;
/** Those that tell of the gateway and who is there, not of what agents do. */
const PLUMBING = /^(?:system|space|participant|stream|capability)\/|^chat\/|^join$/;

export function isShown({ kind, context }: Pick<Envelope, 'kind' | 'context'>): boolean {
  return SHOWN.test(kind) || (context.length > 0 && !PLUMBING.test(kind));
}

export function isPlumbing(kind: string): boolean {
  return PLUMBING.test(kind);
}

/**
 * The context that a message opens. A start opens one by its own id, within that in which it stands; one with a goal, as the
 * rich kinds of the first proposal have it, begins the one in which it stands.
 */
export function opens({ kind, id, context, payload }: Envelope): string | undefined {
  if (kind !== 'reasoning/start') return undefined;
  return 'goal' in payload ? (context.at(-1) ?? id) : id;
}

/** How reasoning ended, where it was not by itself. */
export function isOver({ payload }: Envelope): string | undefined {
  return payload['cancelled'] === true ? 'cancelled' : undefined;
}

/** Does a conclusion say nothing but that the step around it is over? So a service says it that tells of a step by MEW. */
export function isOnlyEnd({ kind, payload }: Envelope): boolean {
  const told = payload[TOLD_KEY];
  return kind === 'reasoning/conclusion' && isObject(told) && told[TOLD.ends] === true;
}
