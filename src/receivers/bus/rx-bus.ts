import type { Subscription } from 'rxjs';
// The whole of RxJS is 220 modules, which took a tenth of a start.
import { Subject } from 'rxjs/internal/Subject';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { BusMessage, EventBus, Taken } from './event-bus.ts';

/** A message and what its subscribers say: RxJS carries nothing back to the publisher. */
interface Delivery {
  readonly message: BusMessage;
  refusal: unknown;
  readonly stored: Promise<void>[];
}

/** The embedded bus: delivers at once, in the order of publishing, and keeps nothing. */
export class RxBus implements EventBus {
  private readonly subject = new Subject<Delivery>();

  async publish(message: BusMessage): Promise<Taken> {
    if (!this.subject.observed) {
      throw new BoundaryError(
        'UNAVAILABLE',
        'nobody listens on the bus; publish after the service has started',
      );
    }
    const delivery: Delivery = { message, refusal: undefined, stored: [] };
    this.subject.next(delivery);
    const stored = Promise.all(delivery.stored).then(() => undefined);
    // Who doesn't listen has it in the log.
    stored.catch(() => undefined);
    if (delivery.refusal !== undefined) throw BoundaryError.from(delivery.refusal);
    return { stored };
  }

  subscribe(take: (message: BusMessage) => Promise<void>): () => void {
    const subscription: Subscription = this.subject.subscribe((delivery) => {
      try {
        delivery.stored.push(take(delivery.message));
      } catch (error) {
        delivery.refusal ??= error;
      }
    });
    return () => subscription.unsubscribe();
  }
}
