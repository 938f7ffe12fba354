import { Subject } from 'rxjs/internal/Subject';
import type { Observable } from 'rxjs';
import { BoundaryError } from '../base/boundary-error.ts';
import type { BusMessage, EventBus } from '../receivers/bus/event-bus.ts';
import type { AgentEvent, Thought } from './messages.ts';

/** Something that came through a Subject and was not taken, or could not be kept. */
export interface Refusal {
  readonly input: 'thoughts' | 'events';
  readonly error: BoundaryError;
}

/**
 * An RxJS Subject that leads into the service. It has many sources: one that completes does not end it for the others,
 * and one that fails is told of as a refusal.
 */
class Input<T> extends Subject<T> {
  private readonly failed: (error: unknown) => void;

  constructor(failed: (error: unknown) => void) {
    super();
    this.failed = failed;
  }

  override error(error: unknown): void {
    const message = 'a source ended with an error: what it would have brought is missing';
    this.failed(new BoundaryError('UNAVAILABLE', message, { cause: error }));
  }

  override complete(): void {
    // Only `end` does.
  }

  end(): void {
    super.complete();
  }
}

/** All that a program can publish, and what becomes of it. */
export class Inputs {
  readonly thoughts: Input<Thought>;
  readonly events: Input<AgentEvent>;
  private readonly bus: EventBus;
  private readonly refused = new Subject<Refusal>();

  constructor(bus: EventBus) {
    this.bus = bus;
    this.thoughts = this.input('thoughts', 'cot');
    this.events = this.input('events', 'reflexion');
  }

  get refusals(): Observable<Refusal> {
    return this.refused.asObservable();
  }

  /** Resolves when the message is where the service keeps it. @throws BoundaryError */
  async publish(message: BusMessage): Promise<void> {
    const { stored } = await this.bus.publish(message);
    await stored;
  }

  /** Nothing is taken any more. */
  end(): void {
    this.thoughts.end();
    this.events.end();
    this.refused.complete();
  }

  private input<T>(name: Refusal['input'], topic: 'cot' | 'reflexion'): Input<T> {
    const failed = (error: unknown): void =>
      this.refused.next({ input: name, error: BoundaryError.from(error) });
    const input = new Input<T>(failed);
    input.subscribe((value) => void this.publish({ topic, value }).catch(failed));
    return input;
  }
}
