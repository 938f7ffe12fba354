import type { MetricFacts } from './metric-facts.ts';
import type { EdgeRelation, Evidence, NodeState, NodeStatus, NodeType } from './node.ts';
import type { EpochMs } from './time.ts';

/**
 * Facts are what correlation keeps of a record: small, redacted, plain JSON. The graph is a function of the
 * set of facts alone, so arrival order does not matter and a restart rebuilds it by replaying them.
 */
export type Facts = SpanFacts | StepLogFacts | CotText | EventFacts | OverrideFacts | MetricFacts;

/** In place of the agent that is handed over to, where nobody says which. */
export const ANY_AGENT = '*';

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
  /** Named by the service's own attribute: it holds for the step that says so, whatever its trace is about. */
  readonly own?: true;
}

/** What the conventions found in one span or log record; absent means unknown, never 0. */
export interface StepFacts {
  /** Absent when the span does not say itself what it is. */
  readonly type?: NodeType;
  /** The convention that decided the type, else the first that matched. */
  readonly convention?: string;
  /** An agent, chain or workflow: a step made of other steps, whose usage may repeat that of the calls inside it. */
  readonly container?: true;
  /** Plumbing, a chunk, a phase of a tool: nothing of its own, shown in the node of its parent. */
  readonly wrapper?: true;
  /** Plumbing whose end is that of the step in which it is shown. */
  readonly endsStep?: true;
  /** Its protocol is one that tells a task beside others: it leads to the other roots of its task, or is led to. */
  readonly joinsTask?: true;
  /**
   * An id that all records of this one step share, unique beyond the trace (`claude:call:req_01…`,
   * `call:<response id>`): they become one node.
   */
  readonly stepId?: string;
  /** The instrumentation scope; kept for LLM calls, of which two scopes may tell. */
  readonly scope?: string;
  readonly agent?: string;
  /** Fallback for `agent` when no ancestor names one either (resource service.name). */
  readonly serviceName?: string;
  /** Program and machine that it ran in (model/resource-key.ts), by which metrics find it. */
  readonly resourceKey?: string;
  /** The responding model if known, else the requested one. */
  readonly model?: string;
  readonly requestId?: string;
  readonly task?: TaskHint;
  readonly tokensIn?: number;
  readonly tokensOut?: number;
  readonly latencyMs?: number;
  /** As the sender reported it. */
  readonly costUsd?: number;
  /** By list prices, from model and tokens, where the sender reports none. */
  readonly estimatedCostUsd?: number;
  readonly status: NodeStatus;
  /** At most 200 characters of the last user message or of the thought. */
  readonly promptSummary?: string;
  /** The sender wrote that summary as such; else it was cut out of a text. */
  readonly ownSummary?: true;
  /** True when `promptSummary` is (the beginning of) what a user said, not a tool or another step. */
  readonly byUser?: true;
  /** What its texts say for the node's title; absent where other fields say it. */
  readonly title?: string;
  /** One line for each step of the reasoning text, in order, at most MAX_THOUGHTS. */
  readonly thoughts?: readonly string[];
  /** Of what it gave: an LLM call's answer, a tool's result (model/text-hash.ts). */
  readonly saidHash?: string;
  /** Of each tool call that an LLM call asked for, as `name(arguments)`. */
  readonly askedHashes?: readonly string[];
  /** Their ids, in the same order. */
  readonly askedIds?: readonly string[];
  /** Of each block of code in an LLM call's answer, and one that says that it hands over. */
  readonly codeHashes?: readonly string[];
  /** Of a tool call that carries no id: `name(arguments)`. */
  readonly ranHash?: string;
  /** Of the code that a tool without the id of its call was given to run. */
  readonly ranCodeHash?: string;
  /** The agent that a tool call hands over to, or `ANY_AGENT`. */
  readonly handsTo?: string;
  /** Of what an LLM call read that is new to it: the last answer of the model, and what users and tools said since. */
  readonly heardHashes?: readonly string[];
  /** Small extra facts for `ExplanationNode.details`: plain JSON, a few hundred bytes. */
  readonly details: { readonly [key: string]: unknown };
  /** Another service, or a replay, tells of a node as it was made there: nothing is worked out anew. */
  readonly retold?: RetoldNode;
}

/** What of a retold node has no place among the facts of a step. */
export interface RetoldNode {
  readonly nodeId: string;
  readonly state: NodeState;
}

export interface SpanLinkFacts {
  readonly traceId: string;
  readonly spanId: string;
  /** The edge that it stands for, where it says so. */
  readonly relation?: EdgeRelation;
  readonly evidence?: Evidence;
}

export interface SpanFacts {
  readonly kind: 'span';
  /** Not recorded itself: a finished descendant names it as an ancestor that is still open. */
  readonly implied?: true;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly start: EpochMs;
  readonly end?: EpochMs;
  readonly links?: readonly SpanLinkFacts[];
  readonly step: StepFacts;
}

/**
 * A log record that tells of a step: a call, a tool's result, what a user asked. It joins the records of the same
 * `step.stepId`; without one, the span in whose context it was written, if that can be the same step; else it is a
 * node of its own.
 */
export interface StepLogFacts {
  readonly kind: 'log';
  /** A function of the record's content, so that a redelivery is the same. */
  readonly logId: string;
  readonly name: string;
  readonly start: EpochMs;
  readonly end?: EpochMs;
  /** Trace context of the record. */
  readonly traceId?: string;
  readonly spanId?: string;
  readonly step: StepFacts;
  /** Steps that led to this one, by their `stepId`. */
  readonly causes?: readonly StepCause[];
}

export interface StepCause {
  readonly stepId: string;
  readonly relation: EdgeRelation;
  readonly evidence: Evidence;
}

/**
 * A part of the chain-of-thought text of one request, as far as it is known and safe to show. Each one replaces the
 * earlier one of the same requestId and part. `model/thought-text.ts` makes one text of the parts.
 */
export interface CotText {
  readonly kind: 'cot';
  readonly requestId: string;
  /** A long text has several parts, which sort by this: the wall-clock time at which the first was opened, and on. */
  readonly part: number;
  /** Counts the states that were told of the thought: of two of one part the higher one is the newer. */
  readonly revision: number;
  readonly text: string;
  /**
   * Of the part before so many characters count, and this one goes on there without a line break. Absent: it begins
   * on a line of its own.
   */
  readonly follows?: number;
  /** So many characters of `text` stand, whatever comes; absent: all. */
  readonly settled?: number;
  /** On disk only: what is held back, as it would read if the thought ended now. It follows `text`. */
  readonly tail?: string;
  /** On disk only: what redaction needs to go on after a restart. Raw, hence sealed wherever there is redaction. */
  readonly context?: string;
  /** On disk only: stretches of the sequences that have come, as pairs of bounds. */
  readonly seen?: readonly number[];
  /** On disk only: keyed digests of the last requests that brought something of it. */
  readonly requests?: string;
  readonly final: boolean;
  readonly first: EpochMs;
  readonly last: EpochMs;
  readonly summary?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly taskId?: string;
  readonly traceId?: string;
  readonly spanId?: string;
  /** Which text of its step it is (`CotRecord.of`); absent for a thought. */
  readonly of?: string;
}

/** An administrator's word that what was hidden in a node is not private: the node shows it from then on. */
export interface OverrideFacts {
  readonly kind: 'override';
  readonly nodeId: string;
  /** The originals, encrypted: nothing of them lies on the disk in the clear. Absent: the word was taken back. */
  readonly sealed?: string;
}

/** What markers stand for, by marker. */
export interface MarkerOriginals {
  readonly [marker: string]: string;
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
