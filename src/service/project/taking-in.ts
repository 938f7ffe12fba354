import { SharedLock } from '../../base/shared-lock.ts';
import type { ServiceConfig } from '../../config/schema.ts';
import { RedactionDoor } from '../../redaction/door.ts';
import { graphSnapshots } from '../graph-snapshots.ts';
import { Intake } from '../intake.ts';
import type { SharedParts } from '../shared-parts.ts';
import type { Snapshots } from '../snapshots.ts';
import type { ProjectParts } from './project-parts.ts';

/** What records come through to the graph, and the file that is written when they have changed it. */
export interface TakingIn {
  readonly intake: Intake;
  readonly door: RedactionDoor;
  /** Held by whatever changes the graph; alone by who must not be disturbed. */
  readonly taking: SharedLock;
  readonly snapshots: Snapshots;
}

export function takingIn(
  config: ServiceConfig,
  { clock, pace, logger, telemetry }: SharedParts,
  { persistence, engine, privacy }: ProjectParts,
): TakingIn {
  const snapshots = graphSnapshots({
    config,
    clock,
    logger,
    persistence,
    engine,
    intervalMs: config.snapshotIntervalSeconds * 1000,
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
  return { intake, door, taking, snapshots };
}
