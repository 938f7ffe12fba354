/** ISO 8601, or milliseconds since the Unix epoch. */
export type Timestamp = string | number;

/** What an agent thinks in the course of one request to a model: a whole text, or pieces that append to each other. */
export interface Thought {
  /** Of the model call; at most 1,000 characters. */
  readonly requestId: string | number;
  readonly timestamp: Timestamp;
  /** A whole text, or a piece of one. */
  readonly text?: string;
  /** Pieces. */
  readonly tokens?: readonly string[];
  /** Nothing follows. */
  readonly final?: boolean;
  readonly summary?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly taskId?: string | number;
  /** 32 hex digits. */
  readonly traceId?: string;
  /** 16 hex digits. */
  readonly spanId?: string;
  /** The place among the pieces; one that comes again adds nothing. */
  readonly sequence?: number;
}

/** Something that happened: a switch of model, a fix, a plan, a retry, an escalation. Any type is taken. */
export interface AgentEvent {
  /** Made from the content if absent; an event that comes again adds nothing. */
  readonly eventID?: string | number;
  readonly eventType: string;
  readonly component?: string;
  readonly timestamp: Timestamp;
  readonly payload?: { readonly [key: string]: unknown };
}
