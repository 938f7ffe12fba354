import type { Clock, Timer } from '../base/clock.ts';
import type { CotText } from '../model/facts.ts';

/** Ends that are shown in one turn of the event loop. */
const MAX_AT_ONCE = 500;

interface HeldEnd {
  readonly state: CotText;
  /** Clock.monotonic(). */
  readonly due: number;
}

/** Thoughts whose end is still held back while their stream is not open: a restart closed it, or it had to make room. */
export class HeldEnds {
  private readonly clock: Clock;
  private readonly onDue: (states: readonly CotText[]) => void;
  /** By redacted request id. */
  private readonly held = new Map<string, HeldEnd>();
  private timer: Timer | undefined;
  /** Clock.monotonic() at which the timer fires. */
  private nextLook = Infinity;

  /** @param onDue given the states whose time has come; they are no longer held */
  constructor(clock: Clock, onDue: (states: readonly CotText[]) => void) {
    this.clock = clock;
    this.onDue = onDue;
  }

  has(requestId: string): boolean {
    return this.held.has(requestId);
  }

  /** @param due Clock.monotonic(); Infinity: not before `dueAfter` */
  hold(state: CotText, due: number): void {
    this.held.set(state.requestId, { state, due });
    this.lookAt(due);
  }

  /** From now on, all that are held have this long. */
  dueAfter(delayMs: number): void {
    const due = this.clock.monotonic() + delayMs;
    for (const { state } of this.held.values()) this.hold(state, due);
  }

  delete(requestId: string): void {
    this.held.delete(requestId);
  }

  forget(isMeant: (requestId: string) => boolean): void {
    for (const requestId of this.held.keys()) if (isMeant(requestId)) this.held.delete(requestId);
  }

  stop(): void {
    this.timer?.cancel();
    this.held.clear();
  }

  /** One timer for all of them. */
  private lookAt(due: number): void {
    if (due >= this.nextLook) return;
    this.timer?.cancel();
    this.nextLook = due;
    this.timer = this.clock.after(due - this.clock.monotonic(), () => this.look());
  }

  private look(): void {
    this.nextLook = Infinity;
    const now = this.clock.monotonic();
    const due: CotText[] = [];
    let next = Infinity;
    for (const [requestId, end] of this.held) {
      if (end.due > now) {
        next = Math.min(next, end.due);
        continue;
      }
      this.held.delete(requestId);
      due.push(end.state);
      if (due.length < MAX_AT_ONCE) continue;
      // The others in the next turn.
      next = now;
      break;
    }
    this.lookAt(next);
    if (due.length > 0) this.onDue(due);
  }
}
