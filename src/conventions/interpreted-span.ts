import type { SpanFacts, StepTexts } from '../model/facts.ts';

/** What a span means, and the long texts it brought: the latter go to the text store under the span's key. */
export interface InterpretedSpan {
  readonly facts: SpanFacts;
  /** Its ancestors that are still open and have not been sent, from the root down. */
  readonly implied?: readonly SpanFacts[];
  readonly texts: {
    readonly texts?: StepTexts;
    /** The redacted attributes as they are, events under `events`. */
    readonly attributes?: { readonly [key: string]: unknown };
  };
}
