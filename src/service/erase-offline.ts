import { join } from 'node:path';
import { systemClock } from '../base/clock.ts';
import { Pace } from '../base/pace.ts';
import type { ServiceConfig } from '../config/schema.ts';
import type { Logger } from '../telemetry/logger.ts';
import { noMetrics } from '../telemetry/own-metrics.ts';
import { sealClearOverrides } from './clear-overrides.ts';
import { Engine } from './engine.ts';
import { Eraser, type Erased, type EraseTarget } from './eraser.ts';
import { Persistence } from './persistence.ts';
import { openPrivacy, overrideOpener, usersOf } from './privacy.ts';
import { graphSnapshots } from './graph-snapshots.ts';
import { ArtifactFiles } from './thoughtflow/artifact-files.ts';

/**
 * Erases from a folder that no service uses.
 * @throws BoundaryError FAILED_PRECONDITION when one does; Error when the disk refuses
 */
export async function eraseOffline(
  config: ServiceConfig,
  logger: Logger,
  target: EraseTarget,
): Promise<Erased> {
  const clock = systemClock;
  const pace = new Pace(clock);
  const persistence = await Persistence.open({ config, clock, pace, logger, onDropped: () => {} });
  const { store } = persistence;
  try {
    const engine = new Engine({
      ...config,
      clock,
      pace,
      metrics: noMetrics,
      logger,
      texts: persistence.texts,
      decorate: (node) => node,
    });
    engine.onLeaving((nodes) => persistence.archive(nodes));
    const privacy = await openPrivacy({
      config,
      clock,
      logger,
      hasRecords: store?.heldRecords ?? false,
      taskOf: (source) => engine.correlator.nodeOfSource(source)?.taskId,
    });
    engine.showBy(privacy.shownMarkers, overrideOpener(privacy));
    await sealClearOverrides(store, privacy.overrides);
    await persistence.restore(engine);
    const snapshots = graphSnapshots({
      config,
      clock,
      logger,
      persistence,
      engine,
      intervalMs: 0,
      onSaved: () => {},
    });
    const erased = await new Eraser({
      engine,
      pace,
      store,
      // Nobody sends anything.
      alone: (work) => work(),
      removeFiles: (tasks) => new ArtifactFiles(join(config.dataDir, 'thoughtflow')).remove(tasks),
      withoutReplays: (_tasks, work) => work(),
      forgetThoughts: () => Promise.resolve(),
      eraseOriginals: (taskId) => privacy.vault?.erase(taskId) ?? false,
      forgetOverrides: async (sources) => privacy.overrides?.forget(sources),
      userIn: usersOf(privacy),
      saveSnapshot: () => {
        snapshots.markChanged();
        return snapshots.save();
      },
    }).erase(target);
    engine.stop();
    await privacy.flush();
    return erased;
  } finally {
    await store?.close();
  }
}
