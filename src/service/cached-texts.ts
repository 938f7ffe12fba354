import type { RecordStore } from '../storage/record-store.ts';
import { LruTextStore } from '../storage/lru-text-store.ts';
import type { SourceTexts, TextStore } from '../storage/text-store.ts';

/** Readers look at few nodes, again and again: beyond these the store is asked. */
const MAX_NODES = 1000;

/** Full texts where a store keeps them: none is held in memory until somebody looks at it. */
export class CachedTexts implements TextStore {
  readonly isOfJournal = true;
  private readonly store: RecordStore;
  private readonly cache: LruTextStore;

  constructor(store: RecordStore, maxBytes: number) {
    this.store = store;
    this.cache = new LruTextStore(maxBytes, MAX_NODES);
  }

  /** Sees that `get` has the texts of these sources, as the store has them now. */
  async load(sources: readonly string[]): Promise<void> {
    const missing = sources.filter((source) => this.cache.get(source) === undefined);
    if (missing.length === 0) return;
    for (const [source, texts] of await this.store.texts(missing)) this.cache.put(source, texts);
  }

  /** The store has the record already; what was read of an earlier state of it is out of date. */
  put(source: string): void {
    this.cache.delete(source);
  }

  get(source: string): SourceTexts | undefined {
    return this.cache.get(source);
  }

  delete(source: string): void {
    this.cache.delete(source);
  }
}
