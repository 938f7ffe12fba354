import { isObject } from '../../base/json.ts';
import type { Envelope } from './envelope.ts';
import { opens } from './kinds.ts';
import type { MewPlace } from './mew-ids.ts';

/** Contexts that have begun and not ended; the oldest goes. A busy space has some dozens. */
const MAX_OPEN = 10_000;

export interface OpenContext {
  /** By place and id. */
  readonly key: string;
  /** By place and id. */
  readonly owner: string;
  readonly path: readonly string[];
}

/** Who reasons in which contexts, so that those of an agent who leaves are over. */
export class OpenContexts {
  /** By place and context; the oldest first. */
  private readonly open = new Map<string, OpenContext>();
  private readonly byOwner = new Map<string, Set<string>>();

  note(envelope: Envelope, place: MewPlace): void {
    const { kind, from, context } = envelope;
    const inner = context.at(-1);
    if (kind === 'reasoning/conclusion' && inner !== undefined) this.close(keyOf(place, inner));
    const opened = opens(envelope);
    if (opened === undefined || from === undefined) return;
    const key = keyOf(place, opened);
    this.close(key);
    const path = opened === inner ? context : [...context, opened];
    this.begin({ key, owner: keyOf(place, from), path });
    if (this.open.size <= MAX_OPEN) return;
    for (const oldest of this.open.keys()) return void this.close(oldest);
  }

  /** @returns the contexts that end because a participant leaves */
  leave(participant: string, place: MewPlace): readonly OpenContext[] {
    const keys = [...(this.byOwner.get(keyOf(place, participant)) ?? [])];
    return keys.flatMap((key) => this.close(key) ?? []);
  }

  /** What ended because of a message that was refused has not ended: it may be sent again. */
  reopen(contexts: readonly OpenContext[]): void {
    for (const context of contexts) this.begin(context);
  }

  /** What was erased is not told of again. */
  forgetAll(): void {
    this.open.clear();
    this.byOwner.clear();
  }

  private begin(context: OpenContext): void {
    const { key, owner } = context;
    this.open.set(key, context);
    this.byOwner.set(owner, (this.byOwner.get(owner) ?? new Set()).add(key));
  }

  private close(key: string): OpenContext | undefined {
    const context = this.open.get(key);
    if (!context) return undefined;
    this.open.delete(key);
    const owned = this.byOwner.get(context.owner);
    owned?.delete(key);
    if (owned?.size === 0) this.byOwner.delete(context.owner);
    return context;
  }
}

/** Who has left, if that is what a message says. */
export function leaverIn({ kind, payload }: Envelope): string | undefined {
  if (kind !== 'system/presence' || payload['event'] !== 'leave') return undefined;
  const { participant } = payload;
  const id: unknown = isObject(participant) ? participant['id'] : participant;
  return typeof id === 'string' ? id : undefined;
}

function keyOf({ namedTask, space }: MewPlace, id: string): string {
  return JSON.stringify([namedTask, space, id]);
}
