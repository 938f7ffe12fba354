import type { Clock } from '../base/clock.ts';
import type { ServiceConfig } from '../config/schema.ts';
import { epochMs, toIso } from '../model/time.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Engine } from './engine.ts';
import type { Persistence } from './persistence.ts';
import { Snapshots, type SnapshotsOptions } from './snapshots.ts';

/** Of what the readable file of a graph is made. */
export interface GraphSnapshotsOptions extends Pick<SnapshotsOptions, 'intervalMs' | 'onSaved'> {
  readonly config: Pick<ServiceConfig, 'dataDir'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly persistence: Persistence;
  readonly engine: Engine;
}

/** The readable file beside the store: the graph in memory, with nothing in it that an override shows. */
export function graphSnapshots({
  config,
  clock,
  logger,
  persistence,
  engine,
  ...when
}: GraphSnapshotsOptions): Snapshots {
  const { store } = persistence;
  return new Snapshots({
    ...when,
    isKept: store !== undefined,
    dataDir: config.dataDir,
    isReplaced: () => store?.isReplaced ?? false,
    maxBytes: () => persistence.snapshotBytes,
    graph: () => ({ ...engine.hiddenGraph, lastUpdated: toIso(epochMs(clock.now())) }),
    nodeCount: () => engine.graph.nodeCount,
    clock,
    logger,
  });
}
