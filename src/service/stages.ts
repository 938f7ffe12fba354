import { BoundaryError } from '../base/boundary-error.ts';
import { systemClock, type Clock } from '../base/clock.ts';

/**
 * What stages that stop one after the other have together: what came before is through in a fraction of it. A process that
 * is told to end has half a minute on many systems.
 */
export const STOP_MS = 10_000;
/** Which each has in any case, however much others before it took. */
const LEAST_STOP_MS = 3_000;

/** One part of the service that starts and stops. */
export interface Stage {
  start?(): void | Promise<void>;
  /**
   * Also called when `start` failed halfway; releases what there is.
   * @param reason for readers that are still connected
   */
  stop?(reason: string): void | Promise<void>;
  /** It is made of stages, each of which is waited for only so long. */
  readonly isComposed?: true;
}

/** Starts stages in order and stops them in reverse. */
export class Stages {
  private readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  private readonly started: Stage[] = [];
  private stopping: Promise<void> | undefined;

  constructor(clock: Pick<Clock, 'monotonic' | 'after'> = systemClock) {
    this.clock = clock;
  }

  /** @throws what `start` of a stage throws; the later ones are not started then */
  async start(...stages: readonly Stage[]): Promise<void> {
    for (const stage of stages) {
      this.started.push(stage);
      await stage.start?.();
    }
  }

  /**
   * Stops every stage that was started, also when one of them fails to stop, or hangs. A second call waits for the first.
   * @throws the first failure, else BoundaryError DEADLINE_EXCEEDED when one was not waited for any longer
   */
  stop(reason: string): Promise<void> {
    return (this.stopping ??= this.stopAll(reason));
  }

  private async stopAll(reason: string): Promise<void> {
    const failures: unknown[] = [];
    const deadline = this.clock.monotonic() + STOP_MS;
    for (const stage of this.started.toReversed()) {
      try {
        await this.waitFor(stage, Promise.resolve(stage.stop?.(reason)), deadline);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures.find((failure) => !isLate(failure)) ?? failures[0];
  }

  private async waitFor({ isComposed }: Stage, stopped: Promise<void>, deadline: number): Promise<void> {
    if (isComposed) return stopped;
    const late = Promise.withResolvers<never>();
    const timer = this.clock.after(Math.max(LEAST_STOP_MS, deadline - this.clock.monotonic()), () =>
      late.reject(new BoundaryError('DEADLINE_EXCEEDED', 'a part of the service did not stop in time')),
    );
    try {
      await Promise.race([stopped, late.promise]);
    } finally {
      timer.cancel();
    }
  }
}

/** Was a stage not waited for any longer? */
export function isLate(failure: unknown): boolean {
  return failure instanceof BoundaryError && failure.code === 'DEADLINE_EXCEEDED';
}

/** Stages as one, which start in order and stop in reverse. */
export function inOrder(...parts: readonly Stage[]): Stage {
  const stages = new Stages();
  return { start: () => stages.start(...parts), stop: (reason) => stages.stop(reason), isComposed: true };
}

/** Stages as one, of which none waits for another. Its failure is that of the first, when all are through. */
export function sideBySide(...parts: readonly Stage[]): Stage {
  return {
    start: () => whenAll(parts, (part) => part.start?.()),
    stop: (reason) => whenAll(parts, (part) => part.stop?.(reason)),
    isComposed: true,
  };
}

/** @throws the first failure, when all are through */
export async function whenAll<T>(of: Iterable<T>, does: (one: T) => unknown): Promise<void> {
  const results = await Promise.allSettled(Array.from(of, async (one) => does(one)));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
