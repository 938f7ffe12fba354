/** One part of the service that starts and stops. */
export interface Stage {
  start?(): void | Promise<void>;
  /**
   * Also called when `start` failed halfway; releases what there is.
   * @param reason for readers that are still connected
   */
  stop?(reason: string): void | Promise<void>;
}

/** Starts stages in order and stops them in reverse. */
export class Stages {
  private readonly started: Stage[] = [];
  private stopping: Promise<void> | undefined;

  /** @throws what `start` of a stage throws; the later ones are not started then */
  async start(...stages: readonly Stage[]): Promise<void> {
    for (const stage of stages) {
      this.started.push(stage);
      await stage.start?.();
    }
  }

  /**
   * Stops every stage that was started, also when one of them fails to stop. A second call waits for the first.
   * @throws the first failure
   */
  stop(reason: string): Promise<void> {
    return (this.stopping ??= this.stopAll(reason));
  }

  private async stopAll(reason: string): Promise<void> {
    const failures: unknown[] = [];
    for (const stage of this.started.toReversed()) {
      try {
        await stage.stop?.(reason);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

/** Stages as one, which start in order and stop in reverse. */
export function inOrder(...parts: readonly Stage[]): Stage {
  const stages = new Stages();
  return { start: () => stages.start(...parts), stop: (reason) => stages.stop(reason) };
}

/** Stages as one, of which none waits for another. Its failure is that of the first, when all are through. */
export function sideBySide(...parts: readonly Stage[]): Stage {
  return {
    start: () => whenAll(parts, (part) => part.start?.()),
    stop: (reason) => whenAll(parts, (part) => part.stop?.(reason)),
  };
}

/** @throws the first failure, when all are through */
export async function whenAll<T>(of: Iterable<T>, does: (one: T) => unknown): Promise<void> {
  const results = await Promise.allSettled(Array.from(of, async (one) => does(one)));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
