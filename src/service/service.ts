import { systemClock } from '../base/clock.ts';
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
import { openJsonGraphStore } from '../storage/json/json-graph-store.ts';
import { LruTextStore } from '../storage/lru-text-store.ts';
import { MemoryGraphStore } from '../storage/memory/memory-graph-store.ts';
import { noTextStore } from '../storage/no-text-store.ts';
import type { Logger } from '../telemetry/logger.ts';
import { OwnTelemetry } from '../telemetry/own-telemetry.ts';
import { Engine } from './engine.ts';
import { Intake } from './intake.ts';
import { Listeners, type Addresses } from './listeners.ts';
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
  const onDisk = config.durability !== 'memory';
  const store = onDisk ? await openJsonGraphStore({ ...config, logger, clock }) : new MemoryGraphStore();
  const privacy = await openPrivacy({
    config,
    clock,
    logger,
    taskOf: (source) => engine.correlator.taskOfSource(source),
  }).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const telemetry = new OwnTelemetry({
    env,
    logger,
    version,
    redactionRules: BUILTIN_RULES.map((rule) => rule.id),
  });

  const { zeroDataRetention } = config;
  const texts = zeroDataRetention ? noTextStore : new LruTextStore(config.maxCachedTextBytes);
  const { vault } = privacy;
  const engine: Engine = new Engine({
    ...config,
    clock,
    metrics: telemetry,
    logger,
    texts,
    decorate: uiHints(),
    reduce: zeroDataRetention ? withoutText : undefined,
    onLeaving: vault && ((sources) => void vault.forget(sources)),
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
    reorderWindowMs: config.reorderWindowMs,
    enabled: config.redactPII,
  });
  const snapshots = new Snapshots({
    store,
    source: {
      graph: () => ({ ...engine.graph.everything(), lastUpdated: toIso(epochMs(clock.now())) }),
      facts: () => engine.correlator.facts(),
      texts: () => texts.entries(),
    },
    intervalMs: config.snapshotIntervalSeconds * 1000,
    clock,
    logger,
    onSaved: (saved) => telemetry.recordSnapshot(saved),
  });
  const intake = new Intake(door, clock, (report) => {
    snapshots.markChanged();
    telemetry.recordIngest(report);
  });
  const bus = new RxBus();
  const busReceiver = new BusReceiver({ bus, consumer: intake, metrics: telemetry, logger, clock });
  const revealer = new Revealer({
    reader: engine.reader,
    vault,
    hasAdminToken: typeof config.auth === 'object' && config.auth.adminToken !== undefined,
    accesses: privacy.accesses,
    override: (nodeId, originals) => {
      engine.override(nodeId, originals);
      snapshots.markChanged();
    },
    overrideOf: (nodeId) => engine.correlator.overrideOf(nodeId),
    engine: privacy.plainEngine,
    markers: privacy.markers,
  });
  const listeners = new Listeners({
    config,
    clock,
    logger,
    telemetry,
    consumer: intake,
    reader: engine.reader,
    reveal: revealer.handle,
    problems: () => (snapshots.problem === undefined ? [] : [snapshots.problem]),
  });

  const restored = await store.load();
  for (const [sourceKey, kept] of restored.texts) texts.put(sourceKey, kept);
  engine.correlator.replay(restored.facts);
  if (restored.facts.length > 0) logger.info({ records: restored.facts.length }, 'graph restored');
  // What is in the vault of records that the graph has lost belongs to nobody any more.
  vault?.retain((source) => engine.correlator.taskOfSource(source) !== undefined);
  // What an earlier start without this mode has left on the disk goes at once.
  if (zeroDataRetention && restored.facts.length > 0) {
    snapshots.markChanged();
    await snapshots.save();
  }
  telemetry.observe({
    nodesInMemory: () => engine.graph.nodeCount,
    subscriptions: () => engine.reader.subscriptionCount,
    memoryBytes: () => engine.correlator.bytes,
    memoryLimitBytes: () => config.maxMemoryBytes,
    updateLatencySlaMs: () => config.updateLatencySlaMs,
    openCotStreams: () => door.openStreams,
  });
  engine.flush();
  engine.start();
  busReceiver.start();
  snapshots.start();

  const stop = async (reason: string): Promise<void> => {
    await listeners.refuse();
    await busReceiver.drain();
    await intake.shut();
    await door.drain();
    engine.flush();
    engine.stop();
    await listeners.close(reason);
    await snapshots.stop();
    await privacy.flush();
    await telemetry.shutdown();
    await store.close();
  };
  let addresses: Addresses;
  try {
    addresses = await listeners.open();
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
