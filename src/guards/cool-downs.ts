import type { Guard, GuardLimit } from './guard.ts';

/** For what a guard fires: within its cool-down once. */
export interface Reason {
  readonly guard: string;
  readonly taskId: string;
  /** Of guards per agent. */
  readonly agent?: string | undefined;
  readonly limit: GuardLimit;
}

/** So many firings are remembered, the latest: guards fire far less often in the longest cool-down that makes sense. */
const MAX_REMEMBERED = 10_000;

/** When guards fired last, for what. */
export class CoolDowns {
  /** By task, so that it can be forgotten; the one in which a guard fired longest ago first. */
  private readonly tasks = new Map<string, Map<string, number>>();
  private size = 0;

  /** @param at epoch milliseconds */
  fired(reason: Reason, at: number): void {
    const { taskId } = reason;
    const ofTask = this.tasks.get(taskId) ?? new Map<string, number>();
    const key = keyOf(reason);
    const before = ofTask.get(key);
    if (before === undefined) this.size++;
    ofTask.set(key, Math.max(at, before ?? at));
    this.tasks.delete(taskId);
    this.tasks.set(taskId, ofTask);
    for (const [first, times] of this.tasks) {
      if (this.size <= MAX_REMEMBERED || first === taskId) break;
      this.size -= times.size;
      this.tasks.delete(first);
    }
  }

  /** Until when it must not fire for this again; 0 where it may. */
  until(reason: Reason, { coolDownSeconds }: Guard, now: number): number {
    const firedAt = this.tasks.get(reason.taskId)?.get(keyOf(reason));
    const until = firedAt === undefined ? 0 : firedAt + coolDownSeconds * 1000;
    return until > now ? until : 0;
  }

  forget(taskId: string): void {
    this.size -= this.tasks.get(taskId)?.size ?? 0;
    this.tasks.delete(taskId);
  }
}

function keyOf({ guard, agent, limit }: Reason): string {
  return `${guard}\n${limit}\n${agent ?? ''}`;
}
