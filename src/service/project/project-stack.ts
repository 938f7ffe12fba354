import { join } from 'node:path';
import { PROGRAM } from '../../access/principal.ts';
import { AdaptationStore } from '../../adaptations/adaptation-store.ts';
import type { ServiceConfig } from '../../config/schema.ts';
import type { RecordConsumer } from '../../model/pipeline.ts';
import type { TaskCounts } from '../../model/told-cells.ts';
import type { ContextCanceller } from '../../receivers/mew/stop-requests.ts';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import type { OwnListeners } from '../../telemetry/own-endpoint.ts';
import type { GaugeSources } from '../../telemetry/own-telemetry.ts';
import type { AccessRecord } from '../access-record.ts';
import { AdaptationAnswers } from '../adaptation-answers.ts';
import type { Erased, EraseTarget } from '../eraser.ts';
import { operatorRecord } from '../operator-record.ts';
import { forwardStage } from '../forward-stage.ts';
import { Replays } from '../replays.ts';
import type { SharedParts } from '../shared-parts.ts';
import { taskNodes } from '../task-nodes.ts';
import { inOrder, type Stage, type Stages } from '../stages.ts';
import { administration } from './administration.ts';
import { guardsStage } from '../guards/guards-stage.ts';
import { whomToAsk } from '../guards/whom.ts';
import { graphStage } from './graph-stage.ts';
import { annotationsIn } from './annotations-in.ts';
import { interruptsIn } from './interrupts-in.ts';
import type { MewIn } from '../mew/mew-in.ts';
import { openParts, type ProjectBounds, type ProjectParts } from './project-parts.ts';
import { projectReader } from './project-reader.ts';
import { protocolRoutes } from '../protocol-routes.ts';
import { projectSpace, type SpaceWays, type RoutePlace, type ServiceSpace } from './project-space.ts';
import { sessionsIn } from './sessions-in.ts';
import { takingIn } from './taking-in.ts';

export interface ProjectOptions {
  /** With the data folder of the project. */
  readonly config: ServiceConfig;
  readonly shared: SharedParts;
  readonly bounds: ProjectBounds;
  /** So that nothing is forwarded to the service itself; undefined without ports. */
  readonly ownListeners: () => OwnListeners | undefined;
  /** Through which agents of MEW are asked to stop; undefined where no space is joined. */
  readonly canceller: () => ContextCanceller | undefined;
  /** False where nobody can ask for adaptations. */
  readonly hasPorts: boolean;
}

/** What it has, for the service's own metrics. */
export type ProjectGauges = Omit<GaugeSources, 'updateLatencySlaMs' | 'memoryLimitBytes'>;

/** All that one project has for itself, from the door to the store. Nothing of it knows of another project. */
export interface ProjectStack {
  /** Takes what is sent. */
  readonly consumer: RecordConsumer;
  /** Takes messages of MEW. */
  readonly mew: MewIn;
  /** Answers readers with all that is known, whatever way they ask. */
  readonly reader: ReaderApi;
  /** The project as those have to do with it who are answered by `reader`, which may tell less than its own. */
  space(reader: ReaderApi, place: RoutePlace): ServiceSpace;
  /** What administrators did, on record. */
  readonly accesses: AccessRecord;
  /** Removes everything of a task or a user for good, and puts it on record. */
  erase(target: EraseTarget): Promise<Erased>;
  /** What keeps it from doing all it should. */
  problems(): readonly string[];
  /** What is wrong and keeps it from nothing. */
  warnings(): readonly string[];
  readonly gauges: ProjectGauges;
  /** Of all its tasks, in memory and archived. */
  taskCounts(): Promise<TaskCounts>;
  /** Of what it keeps: another one when there is nothing left of it. */
  readonly dataId: string;
  /** To be called from time to time: what others leave of the disk changes. */
  followShares(): void;
  /** The service begins to stop: what is under way waits for nothing that left memory. */
  hurry(): void;
  /** Writes and watches files while it runs: to be started before `work`, and stopped when no reader is left. */
  readonly files: Stage;
  /** Restores the graph and takes part. Stopped, it takes nothing more, and what it took is in the graph and the store. */
  readonly work: Stage;
}

/**
 * Opens the folder of a project, and builds and wires its stages. What was opened is a started stage.
 * @throws BoundaryError FAILED_PRECONDITION when the data folder cannot be used
 */
export async function openProject(options: ProjectOptions, stages: Stages): Promise<ProjectStack> {
  const { config, shared } = options;
  const { clock, pace, logger, telemetry } = shared;
  const parts = await openParts(config, shared, options.bounds, stages);
  const taken = takingIn(config, shared, parts);
  const { intake, door, snapshots } = taken;
  const reader = projectReader(config, shared, parts, door);
  const sessions = sessionsIn(config, shared, parts, { intake, reader });
  const replays = new Replays({ reader, consumer: intake, clock, logger });
  const record = operatorRecord(parts.privacy.accesses, (text) =>
    parts.privacy.plainRedactor.redactText(text),
  );
  const halting = interruptsIn(config, shared, parts, {
    intake,
    reader,
    record,
    passed: sessions.agUi.passed,
    canceller: options.canceller,
  });
  const { annotations, approvals } = annotationsIn(shared, parts, {
    intake,
    reader,
    record,
    control: halting.control,
  });
  const guards = guardsStage({
    ...config,
    engine: parts.engine,
    consumer: intake,
    interrupts: halting.interrupts,
    whom: (firing) =>
      whomToAsk(firing, {
        nodesOf: (taskId) => taskNodes(parts.engine.graph, taskId),
        isHeard: halting.isHeard,
      }),
    record,
    metrics: telemetry,
    clock,
    turns: pace.of('upkeep'),
    logger,
  });
  const { revealer, erase } = administration(shared, parts, {
    ...taken,
    ...sessions,
    reader,
    replays,
    interrupts: halting.interrupts,
    approvals,
    guards,
  });
  const adaptations = new AdaptationStore({
    path: config.adaptationsFile ?? join(config.dataDir, 'adaptations.json'),
    clock,
    logger,
  });
  const { agUi, mew, openFlows, artifacts } = sessions;
  const ways: SpaceWays = {
    consumer: intake,
    adaptations: new AdaptationAnswers({
      store: adaptations,
      reader,
      redact: redactorOfAdaptations(config, parts),
      pace: pace.of('readers'),
    }),
    clock,
    pace,
    logger,
    audit: parts.privacy.accesses,
    record,
    reveal: revealer,
    erase,
    replay: async (request, by) => {
      intake.assertOpen();
      const started = await replays.start(request);
      record.replayed(by, started.taskId);
      return started;
    },
    interrupts: halting.requests,
    control: halting.control,
    approvals,
    annotations,
  };
  const sending = { ...ways, metrics: telemetry, agUi, mew, openFlows, known: reader };
  return {
    consumer: intake,
    mew,
    reader,
    space: (toldBy, place) => {
      const sessionsEnded = (nodeIds: readonly string[]): void => artifacts.ended(nodeIds, place.base());
      return projectSpace(ways, toldBy, place, protocolRoutes({ ...sending, ...place, sessionsEnded }));
    },
    accesses: parts.privacy.accesses,
    erase: (target) => erase.handle({ ...target, principal: PROGRAM }),
    problems: () => [
      ...parts.persistence.problems,
      ...(snapshots.problem === undefined ? [] : [snapshots.problem]),
    ],
    warnings: () => (adaptations.problem === undefined ? [] : [adaptations.problem]),
    gauges: gaugesOf(parts, () => door.openStreams),
    taskCounts: () => parts.engine.reader.taskCounts(),
    dataId: parts.persistence.dataId,
    followShares: () => parts.persistence.followShare(),
    hurry: () => parts.engine.bringNothingBack(),
    files: inOrder(snapshots, options.hasPorts ? adaptations : {}),
    // Stopped in reverse: readers that are away are forgotten, replays end, the intake runs dry, thoughts are flushed,
    // what has ended is forwarded, the graph settles.
    work: inOrder(
      graphStage(shared, parts, taken),
      forwarding(options, parts, reader),
      { stop: () => door.drain() },
      intake,
      { stop: () => replays.stop() },
      { stop: (reason) => halting.control.close(reason) },
      // What it waits for is read before anything is recorded, which might bring that back into memory.
      approvals,
      halting.interrupts,
      guards,
      {
        start: () => artifacts.start(),
        async stop() {
          await artifacts.stop();
          parts.engine.reader.forgetAway();
        },
      },
    ),
  };
}

function redactorOfAdaptations(
  { redactPII }: ServiceConfig,
  { privacy }: ProjectParts,
): (text: string) => string {
  return (text) => (redactPII ? privacy.shownMarkers.shown('adaptations', privacy.tagged(text)) : text);
}

function forwarding(
  { config, shared, ownListeners }: ProjectOptions,
  { engine }: ProjectParts,
  reader: ReaderApi,
): Stage {
  const { clock, logger, telemetry } = shared;
  return forwardStage({
    forward: config.forward,
    reader,
    nodesOf: (taskId) => taskNodes(engine.graph, taskId),
    onChanged: (listener) => engine.onChanged(listener),
    ownListeners,
    clock,
    logger,
    metrics: telemetry,
  });
}

function gaugesOf(
  { persistence: { store }, engine }: ProjectParts,
  openCotStreams: () => number,
): ProjectGauges {
  return {
    nodesInMemory: () => engine.graph.nodeCount,
    subscriptions: () => engine.reader.subscriptionCount,
    memoryBytes: () => engine.correlator.bytes,
    storeBytes: () => store?.bytes ?? 0,
    storeRefusing: () => (store?.isRefusing ? 1 : 0),
    openCotStreams,
  };
}
