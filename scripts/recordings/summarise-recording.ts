import { interpretSpan } from '../../src/conventions/interpret-span.ts';
import type { SafeSpan } from '../../src/conventions/convention.ts';
import type { SpanRecord } from '../../src/model/records.ts';

/** What the conventions find in a recording. Sums are over the steps that carry their own usage. */
export interface RecordingSummary {
  readonly spans: number;
  readonly types: { readonly [type: string]: number };
  readonly conventions: readonly string[];
  readonly models: readonly string[];
  readonly agents: readonly string[];
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly costUsd: number;
  readonly withReasoning: number;
}

/** Recordings are published data that needs no redaction: this is the one place that skips the door. */
export function asSafe(span: SpanRecord): SafeSpan {
  return span as SafeSpan;
}

export function summariseRecording(spans: readonly SpanRecord[]): RecordingSummary {
  const types: Record<string, number> = {};
  const conventions = new Set<string>();
  const models = new Set<string>();
  const agents = new Set<string>();
  let tokensIn = 0;
  let tokensOut = 0;
  let costUsd = 0;
  let withReasoning = 0;
  for (const span of spans) {
    const { facts, texts } = interpretSpan(asSafe(span));
    const { step } = facts;
    const type = step.type ?? 'unsaid';
    types[type] = (types[type] ?? 0) + 1;
    if (step.convention !== undefined) conventions.add(step.convention);
    if (step.model !== undefined) models.add(step.model);
    if (step.agent !== undefined) agents.add(step.agent);
    tokensIn += step.tokensIn ?? 0;
    tokensOut += step.tokensOut ?? 0;
    costUsd += step.costUsd ?? 0;
    if (texts.texts?.reasoning !== undefined) withReasoning += 1;
  }
  return {
    spans: spans.length,
    types,
    conventions: [...conventions],
    models: [...models],
    agents: [...agents],
    tokensIn,
    tokensOut,
    costUsd,
    withReasoning,
  };
}
