import type { EventBus } from '../receivers/bus/event-bus.ts';
import { eraseTarget } from '../servers/http/erase-route.ts';
import type { ReaderApi } from '../subscriptions/reader-api.ts';
import type { Erased } from './eraser.ts';
import { openResources, type ServiceOptions } from './open-resources.ts';
import { buildPipeline, type OpenPorts, type Ports } from './pipeline.ts';
import { Stages } from './stages.ts';

/** A running service, as whoever started it sees it: with or without ports. */
export interface ComposedService<P extends Ports | undefined> {
  readonly ports: P;
  readonly bus: EventBus;
  readonly reader: ReaderApi;
  /**
   * Removes everything of a task or a user for good, and puts it on record.
   * @param target unchecked @throws BoundaryError INVALID_ARGUMENT, UNAVAILABLE
   */
  erase(target: { readonly [key: string]: unknown }): Promise<Erased>;
  /** What keeps the service from doing all it should. */
  problems(): readonly string[];
  /** Every instrument in Prometheus text format. */
  metricsText(): Promise<string>;
  /**
   * Receivers refuse, what was accepted is processed and stored, readers are told, everything is closed.
   * A second call waits for the first.
   */
  stop(reason: string): Promise<void>;
}

/**
 * Opens the folder, builds the stages and starts them in order.
 * @param openPorts makes the ports that the service listens on; absent: it opens none
 * @throws BoundaryError FAILED_PRECONDITION when the data folder or what `kafka` needs cannot be used, Error when a
 *   port cannot be had: the message says which and what to do
 */
export async function composeService<P extends Ports | undefined = undefined>(
  options: ServiceOptions,
  openPorts?: OpenPorts<P>,
): Promise<ComposedService<P>> {
  const stages = new Stages();
  try {
    const resources = await openResources(options, stages);
    const pipeline = buildPipeline(options, resources, openPorts);
    const { ports, kafka } = pipeline;
    await kafka.load();
    // Stopped in reverse: own spans are exported no more, Kafka is read no more, receivers refuse, readers that are away
    // are forgotten, replays end, bus and intake run dry, thoughts are flushed, what has ended is forwarded, the
    // graph settles, ports close, the last snapshot is written; what `openResources` started is closed after that.
    await stages.start(
      pipeline.snapshots,
      pipeline.adaptations,
      ports ?? {},
      pipeline.graph,
      pipeline.forward,
      pipeline.door,
      pipeline.intake,
      pipeline.bus,
      pipeline.replays,
      pipeline.readers,
      { stop: () => ports?.refuse() },
      kafka,
      { start: async () => void (ports && (await resources.telemetry.startExport(ports.ownListeners))) },
    );
    return {
      ports: ports as P,
      bus: pipeline.bus.events,
      reader: pipeline.reader,
      erase: async (target) => pipeline.erase(eraseTarget(target)),
      problems: pipeline.problems,
      metricsText: () => resources.telemetry.metricsText(),
      stop: (reason) => stages.stop(reason),
    };
  } catch (error) {
    await stages.stop('not started');
    throw error;
  }
}
