import type { GraphStore, SnapshotSource, StoredState } from '../graph-store.ts';

/**
 * Keeps the last saved state in this process and nothing on disk: `durability: "memory"`. What it holds are
 * references to immutable values, not copies; the size of what it writes is 0.
 */
export class MemoryGraphStore implements GraphStore {
  private state: StoredState = { facts: [], texts: [] };

  load(): Promise<StoredState> {
    return Promise.resolve(this.state);
  }

  async save(source: SnapshotSource): Promise<{ readonly bytes: number }> {
    this.state = { facts: [...source.facts()], texts: [...source.texts()] };
    return { bytes: 0 };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
