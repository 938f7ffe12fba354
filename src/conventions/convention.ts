import type { StepTexts, TaskHint } from '../model/facts.ts';
import type { NodeStatus, NodeType } from '../model/node.ts';
import type { Redacted } from '../model/pipeline.ts';
import type { SpanRecord } from '../model/records.ts';
import type { Alternative } from '../model/thought-tags.ts';
import type { Heard } from './messages.ts';

/** Conventions read only what has passed the redaction door, so nothing they derive can leak. */
export type SafeSpan = Redacted<SpanRecord>;

/**
 * One way of writing agent telemetry into span attributes. Adding a convention means one file that exports
 * one of these and one line in registry.ts.
 */
export interface Convention {
  readonly name: string;
  /** What gives the convention away. One sign is enough: `interpret` is called for the spans that have one. */
  readonly signs: Signs;
  /** Says something of any span that has its signs, and nothing of what convention the span speaks. */
  readonly aside?: true;
  /**
   * Pure, and total: whatever the values are (wrong types, truncated JSON, gaps in indexes) it says what it
   * can read and leaves out the rest. It never throws.
   */
  readonly interpret: (span: SafeSpan) => PartialStep;
}

interface Signs {
  /** Attribute keys. */
  readonly keys?: readonly string[];
  /** Beginnings of attribute keys. */
  readonly keyPrefixes?: readonly string[];
  /** Ends of attribute keys. */
  readonly keySuffixes?: readonly string[];
  /** Beginnings of the instrumentation scope's name. */
  readonly scopePrefixes?: readonly string[];
  /** Beginnings of the span's name. */
  readonly namePrefixes?: readonly string[];
}

/**
 * What one convention says about a span. Unknown is undefined, never 0 or an empty string: the next
 * convention in the order of precedence fills what is undefined.
 */
export interface PartialStep {
  /** Where the span's own name is a template, or tells a reader nothing. */
  readonly name?: string | undefined;
  readonly type?: NodeType | undefined;
  /**
   * True for agents, chains, workflows: steps made of other steps. Their usage repeats that of the calls
   * inside them, so it must not be counted as their own. Without a type: OTHER, unless another convention
   * knows better.
   */
  readonly container?: true | undefined;
  /**
   * True for what is no step of its own: chunks, phases, plumbing. It is shown in the node of its parent. Holds
   * only where the type is OTHER.
   */
  readonly wrapper?: true | undefined;
  /** True for plumbing whose end is that of the step in which it is shown. */
  readonly endsStep?: true | undefined;
  /** True for the root of what a protocol tells of a task beside others (model/facts.ts). */
  readonly joinsTask?: true | undefined;
  /** An id that all records of this one step share, unique beyond the trace (model/facts.ts). */
  readonly stepId?: string | undefined;
  readonly agent?: string | undefined;
  /** Stands in for an agent's name where no step around it names one: before the service's name. */
  readonly application?: string | undefined;
  readonly requestModel?: string | undefined;
  readonly responseModel?: string | undefined;
  readonly requestId?: string | undefined;
  readonly task?: TaskHint | undefined;
  readonly usage?: Usage | undefined;
  readonly costUsd?: number | undefined;
  /** Only where the sender measured it itself; else the span's own duration is taken. */
  readonly latencyMs?: number | undefined;
  readonly status?: NodeStatus | undefined;
  readonly promptSummary?: string | undefined;
  readonly details?: Details | undefined;
  readonly texts?: Texts | undefined;
  /** What the model was told: gives `texts.prompt` and the answered tool calls where these are not said otherwise. */
  readonly heard?: Heard | undefined;
  /** The tool calls that a model asked for, as `name(arguments)`: by these a tool without an id is found. */
  readonly asked?: readonly string[] | undefined;
  /** Its ancestors from the root down, none of which has been sent while it was open. */
  readonly ancestors?: readonly OpenSpan[] | undefined;
  /** The span that this record announces: it is still open, and will be sent itself when it ends. */
  readonly announces?: OpenSpan | undefined;
}

export interface OpenSpan {
  /** 16 lower-case hex digits. */
  readonly spanId: string;
  readonly parentSpanId?: string | undefined;
  readonly name?: string | undefined;
}

/** Tokens as one convention counts them; taken as a whole, never mixed from two conventions. */
export interface Usage {
  /** Includes what was read from and written to the cache. */
  readonly tokensIn?: number | undefined;
  /** Includes reasoning tokens. */
  readonly tokensOut?: number | undefined;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
}

/** Small facts for `ExplanationNode.details`. Strings are cut when the step is finished. */
export interface Details {
  readonly provider?: string | undefined;
  readonly operation?: string | undefined;
  readonly responseId?: string | undefined;
  readonly finishReasons?: readonly string[] | undefined;
  readonly toolName?: string | undefined;
  readonly toolCallId?: string | undefined;
  readonly toolType?: string | undefined;
  /** Ids of the tool calls that this LLM call asked for. */
  readonly requestedToolCallIds?: readonly string[] | undefined;
  /** Ids of the tool calls whose results this LLM call read, as far as they are new to it. */
  readonly answeredToolCallIds?: readonly string[] | undefined;
  /** Ids of steps that it waited for: of nodes, requests, events or spans. */
  readonly dependsOn?: readonly string[] | undefined;
  /** The session, thread or conversation, whether or not it stands for the task. */
  readonly sessionId?: string | undefined;
  readonly userId?: string | undefined;
  /** What else the sender calls the same user: an account, an address. */
  readonly otherUserIds?: readonly string[] | undefined;
  readonly errorType?: string | undefined;
  readonly errorMessage?: string | undefined;
  readonly originalStatus?: string | undefined;
  readonly timeToFirstTokenMs?: number | undefined;
  readonly ruleId?: string | undefined;
  readonly severity?: string | undefined;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly issuesCount?: number | undefined;
  readonly testSuite?: string | undefined;
  readonly testName?: string | undefined;
  readonly testsPassed?: number | undefined;
  readonly testsFailed?: number | undefined;
  readonly coverage?: number | undefined;
  readonly oldModel?: string | undefined;
  readonly newModel?: string | undefined;
  readonly reason?: string | undefined;
  readonly why?: string | undefined;
  readonly how?: string | undefined;
  /** Plans or answers that were considered. */
  readonly alternatives?: readonly Alternative[] | undefined;
  /** 0 to 1. */
  readonly confidence?: number | undefined;
  /** The name of a judgement, its score and the word for it. */
  readonly evaluation?: string | undefined;
  readonly score?: number | undefined;
  readonly verdict?: string | undefined;
  /** What a user or a rule said to a tool call before it ran, as the sender writes it (`accept`, `reject`, …). */
  readonly decision?: string | undefined;
  /** Which part of an agent program asked for a call (`compact`, `generate_session_title`, …). */
  readonly querySource?: string | undefined;
  /** How a run of an agent ended, in its protocol's words (`success`, `interrupt`, `cancelled`). */
  readonly outcome?: string | undefined;
  readonly runId?: string | undefined;
  /** The run that it goes on from. */
  readonly parentRunId?: string | undefined;
  /** What is known of values in cipher: length and hash of each. */
  readonly encrypted?: readonly string[] | undefined;
  /** Events of AG-UI that are kept of a run (model/ag-ui-events.ts), and that are not because they were too many. */
  readonly agUiEvents?: number | undefined;
  readonly agUiDropped?: number | undefined;
  /** Of ThoughtFlow: whether it is a session, a conversation or a step, its own id, its place and what it is called. */
  readonly flowKind?: string | undefined;
  readonly flowId?: string | undefined;
  readonly flowIndex?: number | undefined;
  readonly flowLabel?: string | undefined;
  /** How a session calls its conversations. */
  readonly flowList?: string | undefined;
  /** Of MEW: the word behind `reasoning/`, the path of the context that it is or stands in, and its own id. */
  readonly reasoningKind?: string | undefined;
  readonly contextPath?: string | undefined;
  readonly messageId?: string | undefined;
  /** Who a message says that it is from, where its gateway knows another sender. */
  readonly claimedFrom?: string | undefined;
  /** Whose step it is, where a service tells of it in its own name. */
  readonly speaksFor?: string | undefined;
  /** What speaks for a hypothesis, and what decided a conclusion. */
  readonly evidence?: readonly string[] | undefined;
  readonly keyFactors?: readonly string[] | undefined;
  /** Units of a subscription that the step used up; no dollars. */
  readonly premiumRequests?: number | undefined;
  /** The adaptations that its prompt was made with: `id@version`, or `id` where the sender names no version. */
  readonly adaptations?: readonly string[] | undefined;
}

/** `StepTexts` with undefined allowed, so that a convention can write all fields in one literal. */
export type Texts = { readonly [Field in keyof StepTexts]?: string | undefined };
