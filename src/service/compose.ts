import { BusReceiver } from '../receivers/bus/bus-receiver.ts';
import type { EventBus } from '../receivers/bus/event-bus.ts';
import { RxBus } from '../receivers/bus/rx-bus.ts';
import type { ContextCanceller } from '../receivers/mew/stop-requests.ts';
import { DEFAULT_PROJECT } from '../model/project-name.ts';
import { eraseTarget } from '../servers/http/erase-route.ts';
import type { ReaderApi } from '../subscriptions/reader-api.ts';
import type { OwnListeners } from '../telemetry/own-endpoint.ts';
import type { Erased } from './eraser.ts';
import { KafkaStage } from './kafka-stage.ts';
import { MewStage } from './mew/mew-stage.ts';
import type { ListenersOptions } from './listeners.ts';
import { openAccess } from './open-access.ts';
import { Projects } from './project/projects.ts';
import { openShared, type ServiceOptions } from './shared-parts.ts';
import { shownSettings } from './shown-settings.ts';
import { isLate, sideBySide, Stages, type Stage } from './stages.ts';

/** What listens for senders and readers, where anything does. */
export interface Ports extends Stage {
  readonly ownListeners: OwnListeners;
  /** Receivers refuse what comes, and finish what they have. */
  refuse(): Promise<void>;
}

export type OpenPorts<P extends Ports | undefined> = (options: ListenersOptions) => P;

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
  const { config } = options;
  const stages = new Stages();
  try {
    const shared = await openShared(options, stages);
    const { clock, logger, telemetry } = shared;
    let ports: P | undefined;
    let canceller: ContextCanceller | undefined;
    const projects = new Projects({
      config,
      shared,
      ownListeners: () => ports?.ownListeners,
      canceller: () => canceller,
      hasPorts: openPorts !== undefined,
    });
    const main = await projects.openDefault(stages);
    const bus = new RxBus();
    const busReceiver = new BusReceiver({ consumer: main.consumer, metrics: telemetry, logger, clock, bus });
    const kafka = new KafkaStage(config, {
      consumer: projects.consumerOf(config.kafka?.project ?? DEFAULT_PROJECT),
      metrics: telemetry,
      logger,
      clock,
    });
    shared.ownMessages.open(config.dataDir, config.mew?.emit !== undefined);
    const mew = new MewStage(config, projects, shared);
    ({ canceller } = mew);
    const problems = (): readonly string[] => [...main.problems(), ...kafka.problems, ...mew.problems];
    telemetry.observe({
      ...projects.gauges,
      memoryLimitBytes: () => config.maxMemoryBytes,
      updateLatencySlaMs: () => config.updateLatencySlaMs,
    });
    const entrance = await openAccess(config, shared, projects, main);
    const identity = {
      version: options.version,
      data: main.dataId,
      startedAt: clock.now(),
      settings: shownSettings(config),
    };
    ports = openPorts?.({
      ...shared,
      config,
      entrance,
      projects,
      problems,
      identity,
      taskCounts: () => projects.taskCounts(),
    });
    await kafka.load();
    // Stopped in reverse: own spans are exported no more, Kafka is read no more, receivers refuse, the bus and the
    // projects run dry, ports close, the last snapshots are written; what was opened before is closed after that.
    await stages.start(
      main.files,
      { stop: (reason) => projects.close(reason), isComposed: true },
      entrance,
      ports ?? {},
      sideBySide(main.work, projects),
      { start: () => busReceiver.start(), stop: () => busReceiver.drain() },
      {
        stop: () => {
          projects.hurry();
          return ports?.refuse();
        },
      },
      kafka,
      mew,
      { start: async () => void (ports && (await telemetry.startExport(ports.ownListeners))) },
    );
    return {
      ports: ports as P,
      bus,
      reader: main.reader,
      erase: async (target) => main.erase(eraseTarget(target)),
      problems,
      metricsText: () => telemetry.metricsText(),
      stop: (reason) =>
        stages.stop(reason).catch((failure: unknown) => {
          if (!isLate(failure)) throw failure;
          logger.warn({}, 'a part of the service did not stop in time and was not waited for');
        }),
    };
  } catch (error) {
    await stages.stop('not started');
    throw error;
  }
}
