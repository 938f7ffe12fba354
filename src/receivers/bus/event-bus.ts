import type { TelemetryRecord } from '../../model/records.ts';

/**
 * Events from the same process, or from a broker that implements this interface. Values are what the POST
 * endpoints take, unchecked; `record` is for those who have records already.
 */
export type BusMessage =
  | { readonly topic: 'cot'; readonly value: unknown }
  | { readonly topic: 'reflexion'; readonly value: unknown }
  | { readonly topic: 'record'; readonly record: TelemetryRecord };

/** A message that was taken. */
export interface Taken {
  /**
   * Resolves when it is where the service keeps it (`durability`). Rejects with a BoundaryError when it is lost after
   * all; nobody has to listen.
   */
  readonly stored: Promise<void>;
}

export interface EventBus {
  /**
   * Resolves when every subscriber has taken the message.
   * @throws BoundaryError INVALID_ARGUMENT (naming the field), RESOURCE_EXHAUSTED (a subscriber is full),
   *   UNAVAILABLE (a subscriber is shutting down, or nobody listens): the message was refused
   */
  publish(message: BusMessage): Promise<Taken>;

  /**
   * `take` gets every message from now on; what it throws refuses the message, and what it promises is when it is stored.
   * Ends when the result is called.
   */
  subscribe(take: (message: BusMessage) => Promise<void>): () => void;
}
