import type { FairShares } from '../../base/fair-shares.ts';
import type { ServiceConfig } from '../../config/schema.ts';
import { nodeUi } from '../../exporters/ui-hints.ts';
import type { ExplanationNode } from '../../model/node.ts';
import { withoutText } from '../../redaction/without-text.ts';
import { dataDirProblem } from '../../storage/data-dir.ts';
import { PREDECESSOR_WAIT_MS } from '../../storage/data-dir-lock.ts';
import { Engine } from '../engine.ts';
import { Persistence } from '../persistence.ts';
import { openPrivacy, overrideOpener, type Privacy } from '../privacy.ts';
import type { SharedParts } from '../shared-parts.ts';
import type { Stages } from '../stages.ts';

/** What the stages of a project are built on. */
export interface ProjectParts {
  readonly persistence: Persistence;
  readonly engine: Engine;
  readonly privacy: Privacy;
}

/** What projects have together, and what of the rest each has for itself. */
export interface ProjectBounds {
  /** `maxMemoryBytes`. */
  readonly memory: FairShares;
  /** `maxStoreBytes`. */
  readonly store: FairShares;
  /** Of what is not shared out anew all the time: texts of nodes that are looked at, and views. */
  readonly part: number;
}

/**
 * Opens the data folder of a project and what lives in it. What was opened is a started stage, so that it is closed last.
 * @throws BoundaryError FAILED_PRECONDITION when the data folder cannot be used
 */
export async function openParts(
  config: ServiceConfig,
  { clock, pace, logger, telemetry }: SharedParts,
  { memory, store: shares, part }: ProjectBounds,
  stages: Stages,
): Promise<ProjectParts> {
  const persistence = await Persistence.open({
    config: { ...config, maxCachedTextBytes: Math.floor(config.maxCachedTextBytes * part) },
    clock,
    pace,
    logger,
    lockWaitMs: PREDECESSOR_WAIT_MS,
    onDropped: (reason, tasks) => telemetry.tasksDeleted(reason, tasks),
    shares,
  });
  const { store, texts, journal } = persistence;
  await stages.start({
    async stop() {
      persistence.leaveShare();
      await store?.close();
    },
  });

  const engine = new Engine({
    ...config,
    clock,
    pace,
    metrics: telemetry,
    logger,
    texts,
    loadTexts: (sources) => persistence.loadTexts(sources),
    journal,
    archive: store,
    canKeep: store && (() => !store.isRefusing),
    part,
    decorate: uiHints(),
    reduce: config.zeroDataRetention ? withoutText : undefined,
    onPrune: ({ pruneLatencyMs, ...stats }) => telemetry.recordPrune({ ...stats, latencyMs: pruneLatencyMs }),
  });
  engine.shareMemory(memory);
  const privacy = await openPrivacy({
    config,
    clock,
    logger,
    hasRecords: store?.heldRecords ?? false,
    taskOf: (source) => engine.correlator.nodeOfSource(source)?.taskId,
  }).catch((error: unknown) => {
    throw dataDirProblem(config.dataDir, error);
  });
  await stages.start({ stop: () => privacy.flush() });
  engine.showBy(privacy.shownMarkers, overrideOpener(privacy));
  store?.showLeft((node, override) => engine.leftNode(node, override));
  engine.onLeaving((nodes) => {
    persistence.archive(nodes);
    privacy.vault?.forget(nodes.flatMap((left) => left.sources));
  });
  return { persistence, engine, privacy };
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
