import type { KeptEvent } from '../../../model/ag-ui-events.ts';

const REASONING = /^REASONING_(MESSAGE_)?(START|CONTENT|END)$/;

/** Ids for reasoning that has none, as it was before 1.0: what goes on or ends is what began last of its kind and agent. */
export class ReasoningIds {
  private readonly open = new Map<string, string>();
  private fresh = 0;

  /** @returns the id that an event has to be given; undefined for one that needs none */
  idFor({ type, messageId, subagentRunId }: KeptEvent['event']): string | undefined {
    const [, message, does] = REASONING.exec(type) ?? [];
    if (does === undefined) return undefined;
    const key = JSON.stringify([message, subagentRunId]);
    const sent = typeof messageId === 'string' ? messageId : undefined;
    const given = sent ?? (does === 'START' ? undefined : this.open.get(key));
    const id = given ?? `unnamed-reasoning-${++this.fresh}`;
    if (does === 'END') this.open.delete(key);
    else this.open.set(key, id);
    return sent === undefined ? id : undefined;
  }

  /** Another run begins: nothing of the one before goes on, and its ids are not used again. */
  next(): void {
    this.open.clear();
  }
}
