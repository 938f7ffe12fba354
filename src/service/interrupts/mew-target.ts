import { BoundaryError } from '../../base/boundary-error.ts';
import type { Delivering, Interrupt, InterruptTarget } from '../../model/interrupt.ts';
import type { ContextCanceller } from '../../receivers/mew/stop-requests.ts';

/** Agents of the space that the service has joined for this project: they are asked there, each once. */
export class MewTarget implements InterruptTarget {
  readonly way = 'mew';
  private readonly canceller: () => ContextCanceller | undefined;

  /** @param canceller undefined while nothing is joined */
  constructor(canceller: () => ContextCanceller | undefined) {
    this.canceller = canceller;
  }

  /** What a sender says to itself is not said for it by somebody else. */
  canReach({ about, onlyOf }: Pick<Interrupt, 'about' | 'onlyOf'>): boolean {
    if (onlyOf !== undefined || about.mew === undefined) return false;
    const { space, path: contextId, agent: to } = about.mew;
    return this.canceller()?.mayReach({ space, contextId, to }) === true;
  }

  /** While the gateway is away nobody is told; if it comes back in time, they are. */
  send(interrupt: Interrupt, delivering: Delivering): void {
    const { about, reason, message } = interrupt;
    const canceller = this.canceller();
    if (!about.mew || !canceller) return;
    const { space, path: contextId, agent: to } = about.mew;
    const { told, over } = delivering;
    let take: ReturnType<Delivering['told']> | undefined;
    try {
      canceller.cancelContext(
        { space, contextId, to, reason, message },
        { answered: (answer) => void take?.(answer), over },
      );
      take = told(to);
    } catch (error) {
      if (BoundaryError.from(error).code === 'UNAVAILABLE')
        canceller.onceBack(() => this.send(interrupt, delivering), over);
    }
  }
}
