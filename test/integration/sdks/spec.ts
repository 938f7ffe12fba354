import type { ExpectedText } from '../recordings/expectation.ts';

/**
 * A program that uses an SDK, and what must be seen of it. All of it is written from what the program's faked models
 * answer and from what the SDK exports of that, not from what the service shows. Spans are called by their names; of
 * several with one name, in the order in which they began: `chat#1`, `chat#2`.
 */
export interface SdkSpec {
  /** Below test/integration/sdks: its packages, and the program. */
  readonly folder: string;
  readonly program: string;
  /** All spans that it exports. */
  readonly spans: readonly string[];
  /** Spans that are shown in the node of another: wrappers, and records of the same call. */
  readonly folded?: { readonly [span: string]: readonly string[] };
  readonly calls: { readonly [span: string]: SdkCall };
  readonly tools?: { readonly [span: string]: SdkTool };
  /** Steps that are neither, and failed: the beginning of the message. */
  readonly errors?: { readonly [span: string]: string };
  readonly tasks: readonly SdkTask[];
  /** What the user asked at the beginning of each trace, by its root. */
  readonly queries: { readonly [root: string]: string };
  /**
   * What the service is known not to show of this program, by rule, with the reason. It is printed and counts neither
   * way; everything else of the rule's problems stays a failure of other programs.
   */
  readonly gaps?: { readonly [rule: string]: string };
  /** What led to what beyond parents and children. */
  readonly leads?: readonly SdkLead[];
}

export interface SdkCall {
  readonly agent: string;
  readonly model: string;
  /** With what was read from and written to the cache; left out where the SDK does not export it. */
  readonly tokensIn?: number;
  /** With reasoning. */
  readonly tokensOut?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoningTokens?: number;
  /** In US dollars; left out where nothing is known. */
  readonly cost?: { readonly source: 'reported' | 'estimated'; readonly usd: number };
  readonly prompt?: string;
  readonly completion?: ExpectedText;
  /** Left out where the SDK does not export it. */
  readonly reasoning?: string;
  /** One line for each step of the reasoning. */
  readonly thoughts?: readonly string[];
  readonly finish?: string;
  readonly asks?: readonly string[];
  readonly answers?: readonly string[];
  /** The beginning of the message, if it failed; empty where the SDK exports none. */
  readonly error?: string;
}

export interface SdkTool {
  readonly agent: string;
  readonly name: string;
  /** Null where the SDK does not export it. */
  readonly callId: string | null;
  readonly arguments: string;
  readonly result?: string;
  readonly error?: string;
}

/** Tokens are those that the faked models counted, of the calls of which the SDK exports them. */
export interface SdkTask {
  /** Null: no session is named, so the trace is the task. */
  readonly id: string | null;
  readonly root: string;
  readonly tokensIn?: number;
  readonly tokensOut?: number;
}

export interface SdkLead {
  readonly from: string;
  readonly to: string;
  /** `content`: an id is not on both ends, but what one said is what the other heard. */
  readonly by: 'toolCallId' | 'content';
}

/** The spans of one run of a program. */
export interface NamedSpans {
  /** @throws Error when the program exported no span of this name */
  spanId(name: string): string;
  traceId(name: string): string;
}
