import { BoundaryError } from '../../base/boundary-error.ts';
import type { Delivering, Interrupt, InterruptTarget, MewContext } from '../../model/interrupt.ts';
import type { ContextCanceller, StopRequest } from '../../receivers/mew/stop-requests.ts';

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
    const canceller = this.canceller();
    return canceller?.mayReach(whomIn(about.mew, canceller)) === true;
  }

  /** While the gateway is away nobody is told; if it comes back in time, they are. */
  send(interrupt: Interrupt, delivering: Delivering): void {
    const { about, reason, message } = interrupt;
    const canceller = this.canceller();
    if (!about.mew || !canceller) return;
    const { space, contextId, to } = whomIn(about.mew, canceller);
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

/** A sender of this service may say of anybody that they began the context: whom the gateway was heard to name counts. */
function whomIn(
  { space, path: contextId, agent }: MewContext,
  canceller: ContextCanceller,
): Pick<StopRequest, 'space' | 'contextId' | 'to'> {
  return { space, contextId, to: canceller.whoBegan({ space, contextId }) ?? agent };
}
