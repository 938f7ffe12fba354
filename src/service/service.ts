import type { EventBus } from '../receivers/bus/event-bus.ts';
import type { Addresses } from './listeners.ts';
import { openResources, type ServiceOptions } from './open-resources.ts';
import { buildPipeline } from './pipeline.ts';
import { Stages } from './stages.ts';

/** A running service. */
export interface Service {
  readonly addresses: Addresses;
  /** For senders in the same process. */
  readonly bus: EventBus;
  /**
   * Receivers refuse, what was accepted is processed and stored, readers are told, everything is closed.
   * A second call waits for the first.
   */
  stop(reason: string): Promise<void>;
}

/**
 * Opens the folder, builds the stages and starts them in order.
 * @throws BoundaryError FAILED_PRECONDITION when the data folder cannot be used, Error when a port cannot be had: the
 * message says which and what to do
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const stages = new Stages();
  try {
    const resources = await openResources(options, stages);
    const pipeline = buildPipeline(options, resources);
    const { listeners } = pipeline;
    // Stopped in reverse: own spans are exported no more, receivers refuse, readers that are away are
    // forgotten, bus and intake run dry, thoughts are flushed, the graph settles, ports close, the last snapshot is written; what `openResources` started is closed after that.
    await stages.start(
      pipeline.snapshots,
      listeners,
      pipeline.graph,
      pipeline.door,
      pipeline.intake,
      pipeline.bus,
      pipeline.readers,
      { stop: () => listeners.refuse() },
      { start: async () => void (await resources.telemetry.startExport(listeners.ownListeners)) },
    );
    return {
      addresses: listeners.addresses,
      bus: pipeline.bus.events,
      stop: (reason) => stages.stop(reason),
    };
  } catch (error) {
    await stages.stop('not started');
    throw error;
  }
}
