/** What a prompt was made of, each part with where it came from. Made of what is kept of a node, when it is asked for. */
export interface PromptProvenance {
  /** In the order of the prompt. */
  readonly parts: readonly PromptPart[];
  /** The whole prompt as one text, where the sender gave it. */
  readonly finalPrompt?: string;
  /** Where parts stand in it: UTF-16 units of the redacted text. */
  readonly assembly?: readonly PromptSpan[];
  /** How many parts are not shown, because they are too many: those of the history go first. */
  readonly omitted?: number;
}

export interface PromptPart {
  /** `system`, `tools`, `history`, `user`, `tool_result`, `template`; or the sender's own word. */
  readonly type: string;
  readonly source: PromptSource;
  /** Redacted; a very long one is cut and says so. */
  readonly value: string;
}

export interface PromptSource {
  /** The attribute of the span, or the event, that holds it. */
  readonly attribute?: string;
  readonly event?: string;
  /** Its place there, from 0. */
  readonly index?: number;
  /** As the message says. */
  readonly role?: string;
  /** The step that said it, where that is known. */
  readonly nodeId?: string;
}

export interface PromptSpan {
  /** Place in `parts`. */
  readonly part: number;
  readonly start: number;
  readonly end: number;
}
