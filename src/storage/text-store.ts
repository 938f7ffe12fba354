import type { StepTexts } from '../model/facts.ts';

/** What one source record brought that is too large for the graph. All redacted. */
export interface SourceTexts {
  readonly texts?: StepTexts;
  readonly attributes?: { readonly [key: string]: unknown };
}

/**
 * Full texts by source key (`spanKey(...)` or `requestNodeId(...)`), so that they stay put when records are
 * joined to nodes differently. Bounded: the least recently used go first.
 */
export interface TextStore {
  put(sourceKey: string, texts: SourceTexts): void;
  get(sourceKey: string): SourceTexts | undefined;
  delete(sourceKey: string): void;
  /** Texts are read where the journal keeps them: `put` only tells that there are others now. */
  readonly isOfJournal?: true;
}

/** Keeps no texts at all, for `zeroDataRetention`. */
export const noTextStore: TextStore = {
  put() {},
  get: () => undefined,
  delete() {},
};
