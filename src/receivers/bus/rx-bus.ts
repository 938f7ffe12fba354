import type { Subscription } from 'rxjs';
// The whole of RxJS is 220 modules, which took a tenth of a start.
import { Subject } from 'rxjs/internal/Subject';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { BusMessage, EventBus } from './event-bus.ts';

/** A message and the errors of its subscribers: RxJS carries none back to the publisher. */
interface Delivery {
  readonly message: BusMessage;
  refusal: unknown;
}

/** The embedded bus: delivers at once, in the order of publishing, and keeps nothing. */
export class RxBus implements EventBus {
  private readonly subject = new Subject<Delivery>();

  async publish(message: BusMessage): Promise<void> {
    if (!this.subject.observed) {
      throw new BoundaryError(
        'UNAVAILABLE',
        'nobody listens on the bus; publish after the service has started',
      );
    }
    const delivery: Delivery = { message, refusal: undefined };
    this.subject.next(delivery);
    if (delivery.refusal !== undefined) throw BoundaryError.from(delivery.refusal);
  }

  subscribe(take: (message: BusMessage) => void): () => void {
    const subscription: Subscription = this.subject.subscribe((delivery) => {
      try {
        take(delivery.message);
      } catch (error) {
        delivery.refusal ??= error;
      }
    });
    return () => subscription.unsubscribe();
  }
}
