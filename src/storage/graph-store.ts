import type { Facts } from '../model/facts.ts';
import type { ExplanationGraph } from '../model/node.ts';
import type { SourceTexts } from './text-store.ts';

/**
 * Keeps the graph over restarts. What is kept are the facts: replaying them through correlation gives the
 * same graph again. The readable graph is written beside them for other programs (spec 5.6).
 */
export interface GraphStore {
  /**
   * Everything kept, in any order. An empty store gives nothing.
   * Damaged content is moved aside, said in the log, and the rest is returned.
   */
  load(): Promise<StoredState>;

  /**
   * Writes the whole state, atomically: a reader or a crash sees the old state or the new one. It yields to
   * the event loop between slices. Calls do not overlap: a second one waits for the first.
   * @returns the size of what was written, in bytes
   * @throws Error when the disk refuses; the old state is still there
   */
  save(state: SnapshotSource): Promise<{ readonly bytes: number }>;

  close(): Promise<void>;
}

export interface StoredState {
  readonly facts: readonly Facts[];
  readonly texts: readonly (readonly [sourceKey: string, texts: SourceTexts])[];
}

/** Iterated slice by slice while a snapshot is written; the graph may change meanwhile. */
export interface SnapshotSource {
  readonly graph: () => ExplanationGraph;
  readonly facts: () => Iterable<Facts>;
  readonly texts: () => Iterable<readonly [sourceKey: string, texts: SourceTexts]>;
}
