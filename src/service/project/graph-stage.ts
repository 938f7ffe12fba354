import { sealClearOverrides } from '../clear-overrides.ts';
import type { SharedParts } from '../shared-parts.ts';
import type { Stage } from '../stages.ts';
import type { ProjectParts } from './project-parts.ts';
import type { TakingIn } from './taking-in.ts';

/** Restores the graph and then lets it change by time. */
export function graphStage(
  { logger }: SharedParts,
  { persistence, engine, privacy }: ProjectParts,
  { snapshots, door }: TakingIn,
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
