import type { NodeStatus, NodeType } from './node.ts';
import type { EpochMs } from './time.ts';

/**
 * Facts are what correlation keeps of a record: small, redacted, plain JSON. The graph is a function of the
 * set of facts alone, so arrival order does not matter and a restart rebuilds it by replaying them.
 */
export type Facts = SpanFacts | CotText | EventFacts | OverrideFacts;

/** Long texts of a step: kept out of the graph, fetched per node. All redacted. */
export interface StepTexts {
  readonly prompt?: string;
  readonly completion?: string;
  readonly reasoning?: string;
  readonly toolArguments?: string;
  readonly toolResult?: string;
  /** Message and stack trace of a failure. */
  readonly error?: string;
}

/** A task, session or conversation id that a record names. Lower rank wins: 0 task, 1 session or conversation. */
export interface TaskHint {
  readonly id: string;
  readonly rank: 0 | 1;
}

/** What the conventions found in one span; absent means unknown, never 0. */
export interface StepFacts {
  /** Absent when the span does not say itself what it is. */
  readonly type?: NodeType;
  /** The convention that decided the type, else the first that matched. */
  readonly convention?: string;
  readonly agent?: string;
  /** Fallback for `agent` when no ancestor names one either (resource service.name). */
  readonly serviceName?: string;
  /** The responding model if known, else the requested one. */
  readonly model?: string;
  readonly requestId?: string;
  readonly task?: TaskHint;
  readonly tokensIn?: number;
  readonly tokensOut?: number;
  readonly latencyMs?: number;
  readonly costUsd?: number;
  readonly status: NodeStatus;
  /** At most 200 characters of the last user message or of the thought. */
  readonly promptSummary?: string;
  /** The sender wrote that summary as such; else it was cut out of a text. */
  readonly ownSummary?: true;
  /** Small extra facts for `ExplanationNode.details`: plain JSON, a few hundred bytes. */
  readonly details: { readonly [key: string]: unknown };
}

export interface SpanFacts {
  readonly kind: 'span';
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly start: EpochMs;
  readonly end?: EpochMs;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly step: StepFacts;
}

/**
 * The chain-of-thought text of one request as far as it is known and safe to show. Each one replaces the
 * earlier one of the same requestId and part.
 */
export interface CotText {
  readonly kind: 'cot';
  readonly requestId: string;
  /**
   * A stream that went quiet is closed and forgotten; what comes later for the same request opens the next
   * part. The id is the wall-clock time at which the part was opened, so parts sort by it.
   */
  readonly part: number;
  /** Counts the entries that were joined: of two states of one part the higher revision is the newer. */
  readonly revision: number;
  readonly text: string;
  readonly final: boolean;
  readonly first: EpochMs;
  readonly last: EpochMs;
  readonly summary?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly taskId?: string;
  readonly traceId?: string;
  readonly spanId?: string;
}

/** An administrator's word that what was hidden in a node is not private: the node shows it from then on. */
export interface OverrideFacts {
  readonly kind: 'override';
  readonly nodeId: string;
  /** By marker. Empty: the word was taken back. */
  readonly originals: { readonly [marker: string]: string };
}

export interface EventFacts {
  readonly kind: 'event';
  readonly eventId: string;
  readonly eventType: string;
  readonly component?: string;
  readonly time: EpochMs;
  readonly traceId?: string;
  readonly spanId?: string;
  /** Redacted and bounded. */
  readonly payload: { readonly [key: string]: unknown };
}
