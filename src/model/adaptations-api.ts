import type { AdaptationEffect } from './adaptation-effect.ts';
import type { AdaptationDetail, AdaptationList, AdaptationPreview } from './adaptations.ts';

/** What servers offer of adaptations. Everything that is given is unchecked, and every text that is answered is redacted. */
export interface AdaptationsApi {
  list(): Promise<AdaptationList>;
  /** With all its versions, or as it was in one of them. @throws BoundaryError INVALID_ARGUMENT, NOT_FOUND */
  get(id: unknown, version?: unknown): Promise<AdaptationDetail>;
  /**
   * Changes what `edits` names.
   * @param version that the edits are made of; if it is another one by now nothing is changed. Not checked if absent.
   * @throws BoundaryError INVALID_ARGUMENT, NOT_FOUND, FAILED_PRECONDITION, UNAVAILABLE
   */
  update(id: unknown, edits: unknown, version?: unknown): Promise<AdaptationDetail>;
  /** Reads the file again. @throws BoundaryError FAILED_PRECONDITION where it is broken: the last good one stays */
  reload(): Promise<AdaptationList>;
  /** `request`: `{ scope?, basePrompt?, edits? }`. @throws BoundaryError INVALID_ARGUMENT, NOT_FOUND */
  preview(request: unknown): Promise<AdaptationPreview>;
  /** Tasks with and without each version. @throws BoundaryError INVALID_ARGUMENT, NOT_FOUND */
  effect(id: unknown): Promise<AdaptationEffect>;
}
