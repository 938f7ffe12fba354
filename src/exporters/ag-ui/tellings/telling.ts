import type { StepTexts } from '../../../model/facts.ts';

/** How one node is told. What was told is not told again. */
export interface Telling {
  /** It began, or more is known of it now. */
  grow(texts: StepTexts): void;
  /** It ended; more may still become known of it. */
  end(texts: StepTexts): void;
}
