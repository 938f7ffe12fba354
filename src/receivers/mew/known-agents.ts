import { isObject, type JsonObject } from '../../base/json.ts';
import type { Envelope } from './envelope.ts';
import { opens } from './kinds.ts';

/** Contexts, and participants, of a busy space are some hundreds; the oldest goes. */
const MAX_KNOWN = 10_000;
/** Who works in one context. */
const MAX_AGENTS = 16;

/** Who reasons in which context of a space, by what came through its gateway; and who the gateway says is there. */
export class KnownAgents {
  private readonly inContext = new Map<string, Set<string>>();
  /** Who said first that a context begins. */
  private readonly beganBy = new Map<string, string>();
  private participants = new Set<string>();

  heard(envelope: Envelope): void {
    const { from, context } = envelope;
    const opened = opens(envelope);
    const inner = opened ?? context.at(-1);
    if (from === undefined || inner === undefined) return;
    if (opened !== undefined && !this.beganBy.has(opened)) {
      this.beganBy.set(opened, from);
      forgetOldest(this.beganBy);
    }
    const agents = this.inContext.get(inner) ?? new Set<string>();
    if (agents.size < MAX_AGENTS) agents.add(from);
    this.inContext.delete(inner);
    this.inContext.set(inner, agents);
    forgetOldest(this.inContext);
  }

  /** The gateway says who is there. */
  welcomed({ payload }: JsonObject): void {
    const all: unknown = isObject(payload) ? payload['participants'] : undefined;
    this.participants = new Set();
    for (const one of Array.isArray(all) ? all.slice(0, MAX_KNOWN) : []) this.add(idOf(one));
  }

  /** Somebody came, or left. */
  changed({ payload }: Pick<Envelope, 'payload'>): void {
    const id = idOf(payload['participant']);
    if (id === undefined) return;
    if (payload['event'] === 'leave') this.participants.delete(id);
    else if (payload['event'] === 'join') this.add(id);
  }

  /** What was posted to this service alone names anybody. */
  knows(agent: string, contextId: string): boolean {
    return this.participants.has(agent) || this.inContext.get(innermost(contextId))?.has(agent) === true;
  }

  /** Undefined where that was not heard. */
  whoBegan(contextId: string): string | undefined {
    return this.beganBy.get(innermost(contextId));
  }

  private add(id: string | undefined): void {
    if (id === undefined) return;
    this.participants.add(id);
    forgetOldest(this.participants);
  }
}

function innermost(contextId: string): string {
  return contextId.split('/').at(-1) ?? contextId;
}

function idOf(participant: unknown): string | undefined {
  const id = isObject(participant) ? participant['id'] : participant;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

function forgetOldest(known: Set<string> | Map<string, unknown>): void {
  if (known.size <= MAX_KNOWN) return;
  for (const oldest of known.keys()) return void known.delete(oldest);
}
