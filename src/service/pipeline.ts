import { join } from 'node:path';
import { AdaptationStore } from '../adaptations/adaptation-store.ts';
import { SharedLock } from '../base/shared-lock.ts';
import type { OverrideFacts } from '../model/facts.ts';
import { epochMs, toIso } from '../model/time.ts';
import { BusReceiver } from '../receivers/bus/bus-receiver.ts';
import type { EventBus } from '../receivers/bus/event-bus.ts';
import { RxBus } from '../receivers/bus/rx-bus.ts';
import { OpenSessions } from '../receivers/thoughtflow/open-sessions.ts';
import { RedactionDoor } from '../redaction/door.ts';
import { overrideKey } from '../storage/record-key.ts';
import type { ReaderApi } from '../subscriptions/reader-api.ts';
import type { OwnListeners } from '../telemetry/own-endpoint.ts';
import { AdaptationAnswers } from './adaptation-answers.ts';
import { AgUiIn } from './ag-ui/ag-ui-in.ts';
import { withArchive } from './archived-reader.ts';
import { eraseRequests, type EraseRequestsOptions } from './erase-requests.ts';
import { Eraser, type Erased, type EraseTarget } from './eraser.ts';
import { forwardStage } from './forward-stage.ts';
import { Intake } from './intake.ts';
import { KafkaStage } from './kafka-stage.ts';
import type { ListenersOptions } from './listeners.ts';
import type { Resources, ServiceOptions } from './open-resources.ts';
import { Replays } from './replays.ts';
import { Revealer } from './reveal.ts';
import { sealClearOverrides } from './clear-overrides.ts';
import { usersOf } from './privacy.ts';
import { Snapshots } from './snapshots.ts';
import { SummaryPhraser } from './summary-phraser.ts';
import type { Stage } from './stages.ts';
import { ArtifactFiles } from './thoughtflow/artifact-files.ts';
import { Artifacts } from './thoughtflow/artifacts.ts';
import { withProvenance } from './with-provenance.ts';

/** What listens for senders and readers, where anything does. */
export interface Ports extends Stage {
  readonly ownListeners: OwnListeners;
  /** Receivers refuse what comes, and finish what they have. */
  refuse(): Promise<void>;
}

export type OpenPorts<P extends Ports | undefined> = (options: ListenersOptions) => P;

/** The stages of a service, in the order in which they start. */
export interface Pipeline<P extends Ports | undefined> {
  readonly snapshots: Snapshots;
  /** Started where somebody can ask for them. */
  readonly adaptations: Stage;
  /** Absent in a service that has none. */
  readonly ports: P | undefined;
  /** Restores the graph and then lets it change by time. */
  readonly graph: Stage;
  /** Sends on what has ended. */
  readonly forward: Stage;
  readonly door: Stage;
  readonly intake: Intake;
  /** They send to the intake. */
  readonly replays: Stage;
  readonly readers: Stage;
  readonly bus: Stage & { readonly events: EventBus };
  readonly kafka: KafkaStage;
  /** Answers readers, whatever way they ask. */
  readonly reader: ReaderApi;
  /** Removes everything of a task or a user for good, and puts it on record. */
  readonly erase: (target: EraseTarget) => Promise<Erased>;
  /** What keeps the service from doing all it should. */
  readonly problems: () => readonly string[];
}

/** Builds and wires the stages; nothing runs yet. */
export function buildPipeline<P extends Ports | undefined>(
  { config, logger }: ServiceOptions,
  resources: Resources,
  openPorts: OpenPorts<P> | undefined,
): Pipeline<P> {
  const { clock, pace, telemetry, persistence, engine, privacy } = resources;
  const { store } = persistence;
  const { vault } = privacy;
  const snapshots = new Snapshots({
    isKept: store !== undefined,
    dataDir: config.dataDir,
    isReplaced: () => store?.isReplaced ?? false,
    maxBytes: persistence.snapshotBytes,
    graph: () => ({ ...engine.hiddenGraph, lastUpdated: toIso(epochMs(clock.now())) }),
    nodeCount: () => engine.graph.nodeCount,
    intervalMs: config.snapshotIntervalSeconds * 1000,
    clock,
    logger,
    onSaved: (saved) => telemetry.recordSnapshot(saved),
  });
  const taking = new SharedLock();
  const door = new RedactionDoor({
    next: {
      consume: async (batch) => {
        try {
          await taking.shared(() => engine.correlator.consume(batch));
        } finally {
          snapshots.markChanged();
        }
      },
    },
    redactor: privacy.redactor,
    originals: privacy.originals,
    dropThoughts: config.zeroDataRetention,
    metrics: telemetry,
    audit: privacy.audit,
    logger,
    clock,
    pace,
    reorderWindowMs: config.reorderWindowMs,
    enabled: config.redactPII,
  });
  engine.holdEnds((requestId) => door.isHeldBack(requestId));
  engine.onLeaving(() => snapshots.markChanged());
  const intake = new Intake(door, clock, (report) => telemetry.recordIngest(report));
  const events = new RxBus();
  const busReceiver = new BusReceiver({ bus: events, consumer: intake, metrics: telemetry, logger, clock });
  const kafka = new KafkaStage(config, { consumer: intake, metrics: telemetry, logger, clock });
  const redact = (text: string): string => privacy.plainRedactor.redactText(text);
  const { summaryUrl, summaryModel, summaryApiKey } = config;
  const phraser =
    summaryUrl === undefined || summaryModel === undefined
      ? undefined
      : new SummaryPhraser({
          url: summaryUrl,
          model: summaryModel,
          apiKey: summaryApiKey,
          redact: (taskId, text) => privacy.shownMarkers.shown(taskId, privacy.tagged(text)),
          clock,
          logger,
        });
  const archived = withArchive({
    phrase: phraser && ((summary) => phraser.phrase(summary)),
    reader: engine.reader,
    store,
    nodesOf: (taskId) => engine.graph.nodesOfTask(taskId),
    partsOf: (nodeId) => engine.correlator.sources.partsOf(nodeId),
    shown: (nodeId, texts) => engine.shownTexts(nodeId, texts),
    shownOfLeft: (node, brought, override) => engine.shownOfLeft(node, brought, override),
    borrowedBy: (nodeId) => engine.correlator.sources.borrowedBy(nodeId),
    isHeldBack: (requestId) => door.isHeldBack(requestId),
    loadTexts: (nodeIds) => {
      const { sources } = engine.correlator;
      return persistence.loadTexts(nodeIds.flatMap((id) => sources.of(id).map(({ key }) => key)));
    },
  });
  const adaptations = new AdaptationStore({
    path: config.adaptationsFile ?? join(config.dataDir, 'adaptations.json'),
    clock,
    logger,
  });
  const reader = withProvenance(archived, engine.graph);
  const keepsTexts = store !== undefined && !config.zeroDataRetention;
  const artifacts = new Artifacts({
    files: keepsTexts ? new ArtifactFiles(join(config.dataDir, 'thoughtflow')) : undefined,
    reader,
    isKnown: async (taskId) => {
      if (engine.graph.nodesOfTask(taskId).size > 0) return true;
      for await (const page of store?.archivedTask(taskId) ?? []) if (page.length > 0) return true;
      return false;
    },
    tell: async (taskId, event) => {
      await engine.told();
      engine.reader.tell(taskId, event);
    },
    retentionDays: config.persistRetentionDays,
    clock,
    logger,
  });
  const hasAdminToken = typeof config.auth === 'object' && config.auth.adminToken !== undefined;
  const revealer = new Revealer({
    reader,
    vault,
    hasAdminToken,
    accesses: privacy.accesses,
    override: (nodeId, originals) =>
      taking.shared(async () => {
        // It may have been erased since it was read.
        await reader.getNode(nodeId);
        const source = overrideKey(nodeId);
        const sealed = originals && (await privacy.overrides?.seal(source, originals));
        const facts: OverrideFacts = { kind: 'override', nodeId, ...(sealed !== undefined && { sealed }) };
        await store?.append([{ facts }]);
        engine.override(facts);
        if (!originals) await privacy.overrides?.forget([source]);
        snapshots.markChanged();
      }),
    overrideOf: (nodeId) => engine.correlator.overrideOf(nodeId),
    redactor: privacy.plainRedactor,
    markers: privacy.markers,
    shownMarkers: privacy.shownMarkers,
  });
  const replays = new Replays({ reader, consumer: intake, clock, logger });
  const agUi = new AgUiIn({
    consumer: intake,
    clock,
    metrics: telemetry,
    logger,
    pace,
    agents: config.agUiAgents,
    forwardEncrypted: config.forwardEncrypted,
    sourcesOf: async (key) => {
      const node = engine.correlator.nodeOfSource(key);
      if (node) return [...engine.correlator.sources.keysOf(node.id)];
      return (await store?.archivedNode(key))?.sources;
    },
  });
  const openFlows = new OpenSessions();
  const eraser = new Eraser({
    engine,
    pace,
    store,
    alone: (work) => taking.alone(work),
    eraseOriginals: (taskId) => vault?.erase(taskId) ?? false,
    forgetOverrides: async (sources) => privacy.overrides?.forget(sources),
    forgetThoughts: (isMeant) => door.forget(isMeant),
    forgetOpen: (tasks) => {
      agUi.forget(tasks);
      openFlows.forgetAll();
    },
    userIn: usersOf(privacy),
    removeFiles: (tasks) => artifacts.erased(tasks),
    withoutReplays: (tasks, work) => replays.without(tasks, work),
    saveSnapshot: () => {
      snapshots.markChanged();
      return snapshots.save();
    },
  });
  const problems = (): readonly string[] => [
    ...persistence.problems,
    ...(snapshots.problem === undefined ? [] : [snapshots.problem]),
    ...kafka.problems,
  ];
  const erasing: Omit<EraseRequestsOptions, 'hasAdminToken'> = {
    eraser,
    assertOpen: () => intake.assertOpen(),
    accesses: store && privacy.accesses,
    redact,
    fingerprint: (token) => privacy.markers.make('SECRET', token),
  };
  const ports = openPorts?.({
    config,
    clock,
    pace,
    logger,
    telemetry,
    consumer: intake,
    reader,
    agUi,
    adaptations: new AdaptationAnswers({
      store: adaptations,
      reader,
      redact: (text) =>
        config.redactPII ? privacy.shownMarkers.shown('adaptations', privacy.tagged(text)) : text,
      pace: pace.of('readers'),
    }),
    openFlows,
    sessionsEnded: (nodeIds, base) => artifacts.ended(nodeIds, base),
    reveal: revealer.handle,
    erase: eraseRequests({ ...erasing, hasAdminToken }),
    replay: (request) => {
      intake.assertOpen();
      return replays.start(request);
    },
    problems,
    warnings: () => (adaptations.problem === undefined ? [] : [adaptations.problem]),
  });
  // Whoever has the service in its own program needs no token to be its administrator.
  const eraseForProgram = eraseRequests({ ...erasing, hasAdminToken: true });
  telemetry.observe({
    nodesInMemory: () => engine.graph.nodeCount,
    subscriptions: () => engine.reader.subscriptionCount,
    memoryBytes: () => engine.correlator.bytes,
    memoryLimitBytes: () => config.maxMemoryBytes,
    storeBytes: () => store?.bytes ?? 0,
    storeRefusing: () => (store?.isRefusing ? 1 : 0),
    updateLatencySlaMs: () => config.updateLatencySlaMs,
    openCotStreams: () => door.openStreams,
  });
  return {
    snapshots,
    adaptations: ports === undefined ? {} : adaptations,
    ports,
    graph: graphStage(resources, snapshots, logger, door),
    forward: forwardStage({
      forward: config.forward,
      reader,
      nodesOf: function* (taskId) {
        for (const id of engine.graph.nodesOfTask(taskId)) {
          const node = engine.graph.node(id);
          if (node) yield node;
        }
      },
      onChanged: (listener) => engine.onChanged(listener),
      ownListeners: () => ports?.ownListeners,
      clock,
      logger,
      metrics: telemetry,
    }),
    door: { stop: () => door.drain() },
    intake,
    replays: { stop: () => replays.stop() },
    readers: {
      start: () => artifacts.start(),
      async stop() {
        await artifacts.stop();
        engine.reader.forgetAway();
      },
    },
    bus: { events, start: () => busReceiver.start(), stop: () => busReceiver.drain() },
    kafka,
    reader,
    erase: (target) => eraseForProgram({ ...target, role: 'admin', token: undefined }),
    problems,
  };
}

function graphStage(
  { persistence, engine, privacy }: Resources,
  snapshots: Snapshots,
  logger: ServiceOptions['logger'],
  door: RedactionDoor,
): Stage {
  return {
    async start() {
      const wasClear = await sealClearOverrides(persistence.store, privacy.overrides);
      const hadTexts = await persistence.restore(engine, (state) => door.resume(state));
      door.resumed();
      // Originals of records that the graph no longer has belong to nobody.
      privacy.vault?.retain((source) => engine.correlator.nodeOfSource(source)?.taskId !== undefined);
      // After a crash the file is older than the store; texts that must go are removed before anything else is done.
      snapshots.markChanged();
      const saved = snapshots.save();
      if (wasClear || hadTexts) await saved;
      engine.flush();
      engine.start();
    },
    async stop() {
      // Of steps that still run as well: what comes later begins with the next start.
      await engine.correlator
        .keepMetrics()
        .catch((error: unknown) => logger.error({ err: error }, 'metrics of running steps are not kept'));
      engine.flush();
      engine.stop();
    },
  };
}
