import type { WayIn } from '../access/ways-in.ts';
import type { EventBus } from '../receivers/bus/event-bus.ts';
import { composeService } from './compose.ts';
import { Listeners, type Addresses } from './listeners.ts';
import type { ServiceOptions } from './shared-parts.ts';

/** A running service, or gateway, with its ports. */
export interface ServiceWithPorts {
  readonly addresses: Addresses;
  /** Every way in, with what it needs. */
  waysIn(): Promise<readonly WayIn[]>;
  /**
   * Receivers refuse, what was accepted is processed and stored, readers are told, everything is closed.
   * A second call waits for the first.
   */
  stop(reason: string): Promise<void>;
}

export interface Service extends ServiceWithPorts {
  /** For senders in the same process. */
  readonly bus: EventBus;
}

/**
 * Starts the service with all its ports.
 * @throws BoundaryError FAILED_PRECONDITION when the data folder or what `kafka` needs cannot be used, Error when a
 *   port cannot be had: the message says which and what to do
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const service = await composeService(options, (listening) => new Listeners(listening));
  return {
    addresses: service.ports.addresses,
    bus: service.bus,
    waysIn: () => service.ports.waysIn(),
    stop: (reason) => service.stop(reason),
  };
}
