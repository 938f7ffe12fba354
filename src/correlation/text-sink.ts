import type { StepTexts } from '../model/facts.ts';

/** Where the long texts of a record go; keyed by source, not by node, so that joining records moves nothing. */
export interface TextSink {
  put(
    sourceKey: string,
    texts: { readonly texts?: StepTexts; readonly attributes?: { readonly [key: string]: unknown } },
  ): void;
  delete(sourceKey: string): void;
}
