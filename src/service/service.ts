import { systemClock } from '../base/clock.ts';
import { Pace } from '../base/pace.ts';
import type { ServiceConfig } from '../config/schema.ts';
import { nodeUi } from '../exporters/ui-hints.ts';
import type { ExplanationNode } from '../model/node.ts';
import { epochMs, toIso } from '../model/time.ts';
import { BusReceiver } from '../receivers/bus/bus-receiver.ts';
import type { EventBus } from '../receivers/bus/event-bus.ts';
import { RxBus } from '../receivers/bus/rx-bus.ts';
import { RedactionDoor } from '../redaction/door.ts';
import { BUILTIN_RULES } from '../redaction/rules/builtin.ts';
import { withoutText } from '../redaction/without-text.ts';
import type { Logger } from '../telemetry/logger.ts';
import { OwnTelemetry } from '../telemetry/own-telemetry.ts';
import { Engine } from './engine.ts';
import { eraseRequests } from './erase-requests.ts';
import { Eraser } from './eraser.ts';
import { Intake } from './intake.ts';
import { withArchive } from './archived-reader.ts';
import { Listeners, type Addresses } from './listeners.ts';
import { Persistence } from './persistence.ts';
import { openPrivacy } from './privacy.ts';
import { Revealer } from './reveal.ts';
import { Snapshots } from './snapshots.ts';

export interface ServiceOptions {
  readonly config: ServiceConfig;
  /** For `OTEL_*`. */
  readonly env: { readonly [name: string]: string | undefined };
  readonly version: string;
  readonly logger: Logger;
}

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
 * Builds the stages, wires them and opens the ports.
 * @throws Error when a port or the data folder cannot be had: its message says which and what to do
 */
export async function startService({ config, env, version, logger }: ServiceOptions): Promise<Service> {
  const clock = systemClock;
  const pace = new Pace(clock);
  const persistence = await Persistence.open({
    config,
    clock,
    pace,
    logger,
    onDropped: (reason, tasks) => telemetry.tasksDeleted(reason, tasks),
  });
  const { store } = persistence;
  const privacy = await openPrivacy({
    config,
    clock,
    logger,
    taskOf: (source) => engine.correlator.taskOfSource(source),
  }).catch(async (error: unknown) => {
    await store?.close();
    throw error;
  });
  const telemetry = new OwnTelemetry({
    env,
    logger,
    version,
    redactionRules: BUILTIN_RULES.map((rule) => rule.id),
  });

  const { zeroDataRetention } = config;
  const decorate = uiHints();
  const { vault } = privacy;
  const engine: Engine = new Engine({
    ...config,
    clock,
    pace,
    metrics: telemetry,
    logger,
    texts: persistence.texts,
    journal: persistence.journal,
    archive: store,
    decorate,
    reduce: zeroDataRetention ? withoutText : undefined,
    onLeaving: (nodes) => {
      persistence.archive(nodes);
      vault?.forget(nodes.flatMap((left) => left.sources));
    },
    onFold: ({ pruneLatencyMs, ...stats }) => telemetry.recordPrune({ ...stats, latencyMs: pruneLatencyMs }),
  });
  const door = new RedactionDoor({
    next: engine.correlator,
    engine: privacy.engine,
    originals: privacy.originals,
    dropThoughts: zeroDataRetention,
    metrics: telemetry,
    audit: privacy.audit,
    logger,
    clock,
    pace,
    reorderWindowMs: config.reorderWindowMs,
    enabled: config.redactPII,
  });
  const snapshots = new Snapshots({
    dataDir: config.dataDir,
    maxBytes: persistence.snapshotBytes,
    graph: () => ({ ...engine.graph.everything(), lastUpdated: toIso(epochMs(clock.now())) }),
    nodeCount: () => engine.graph.nodeCount,
    intervalMs: config.snapshotIntervalSeconds * 1000,
    clock,
    logger,
    onSaved: (saved) => telemetry.recordSnapshot(saved),
  });
  const intake = new Intake(door, clock, (report) => {
    if (store) snapshots.markChanged();
    telemetry.recordIngest(report);
  });
  const bus = new RxBus();
  const busReceiver = new BusReceiver({ bus, consumer: intake, metrics: telemetry, logger, clock });
  const reader = withArchive({
    reader: engine.reader,
    store,
    loadTexts: (nodeId) => persistence.loadTexts(engine.correlator.sources.of(nodeId).map(({ key }) => key)),
  });
  const hasAdminToken = typeof config.auth === 'object' && config.auth.adminToken !== undefined;
  const revealer = new Revealer({
    reader,
    vault,
    hasAdminToken,
    accesses: privacy.accesses,
    override: async (nodeId, originals) => {
      await store?.append([{ facts: { kind: 'override', nodeId, originals } }]);
      engine.override(nodeId, originals);
      snapshots.markChanged();
    },
    overrideOf: (nodeId) => engine.correlator.overrideOf(nodeId),
    engine: privacy.plainEngine,
    markers: privacy.markers,
  });
  const eraser = new Eraser({
    engine,
    store,
    eraseOriginals: (taskId) => vault?.erase(taskId) ?? false,
    forgetThoughts: (isMeant) => door.forget(isMeant),
    redact: (text) => privacy.plainEngine.redactText(text),
    saveSnapshot: async () => {
      if (!store) return;
      snapshots.markChanged();
      await snapshots.save();
    },
  });
  const listeners = new Listeners({
    config,
    clock,
    pace,
    logger,
    telemetry,
    consumer: intake,
    reader,
    reveal: revealer.handle,
    erase: eraseRequests({
      eraser,
      hasAdminToken,
      accesses: store && privacy.accesses,
      redact: (text) => privacy.plainEngine.redactText(text),
      fingerprint: (token) => privacy.markers.make('SECRET', token),
    }),
    problems: () => [
      ...persistence.problems,
      ...(snapshots.problem === undefined ? [] : [snapshots.problem]),
    ],
  });
  telemetry.observe({
    nodesInMemory: () => engine.graph.nodeCount,
    subscriptions: () => engine.reader.subscriptionCount,
    memoryBytes: () => engine.correlator.bytes,
    memoryLimitBytes: () => config.maxMemoryBytes,
    storeBytes: () => store?.bytes ?? 0,
    updateLatencySlaMs: () => config.updateLatencySlaMs,
    openCotStreams: () => door.openStreams,
  });

  /** What was kept is in the graph, and from then on more is taken in. */
  const restore = async (): Promise<void> => {
    const mustSave = await persistence.restore(engine);
    // What is in the vault of records that the graph has lost belongs to nobody any more.
    vault?.retain((source) => engine.correlator.taskOfSource(source) !== undefined);
    if (mustSave) {
      snapshots.markChanged();
      await snapshots.save();
    }
    engine.flush();
    engine.start();
    intake.start();
    busReceiver.start();
    if (store) snapshots.start();
  };

  const stop = async (reason: string): Promise<void> => {
    await listeners.refuse();
    await busReceiver.drain();
    await intake.shut();
    await door.drain();
    // Of steps that still run as well: what comes later begins with the next start.
    await engine.correlator
      .keepMetrics(true)
      .catch((error: unknown) => logger.error({ err: error }, 'metrics of running steps are not kept'));
    engine.flush();
    engine.stop();
    await listeners.close(reason);
    await snapshots.stop();
    await privacy.flush();
    await telemetry.shutdown();
    await store?.close();
  };
  let addresses: Addresses;
  try {
    addresses = await listeners.open();
    await restore();
  } catch (error) {
    await stop('not started');
    throw error;
  }
  await telemetry.startExport({
    host: config.host,
    ports: [addresses.readers.port, addresses.otlpGrpc.port, addresses.otlpHttp.port],
  });
  let stopping: Promise<void> | undefined;
  return { addresses, bus, stop: (reason) => (stopping ??= stop(reason)) };
}

/** Nodes with rendering hints; the same object for the same node, so that an unchanged node is not sent again. */
function uiHints(): (node: ExplanationNode) => ExplanationNode {
  const known = new WeakMap<ExplanationNode, ExplanationNode>();
  return (node) => {
    const held = known.get(node);
    if (held) return held;
    const decorated = { ...node, ui: nodeUi(node) };
    known.set(node, decorated);
    return decorated;
  };
}
