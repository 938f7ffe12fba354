/** How much one key, or one person, may do. What is absent is not limited. */
export interface KeyLimits {
  readonly requestsPerSecond?: number | undefined;
  /** Of bodies as they come over the wire. */
  readonly bytesPerSecond?: number | undefined;
  /** Spans, log records and events. */
  readonly spansPerSecond?: number | undefined;
  /** Entries of chains of thought. */
  readonly thoughtsPerSecond?: number | undefined;
  readonly subscriptions?: number | undefined;
  /** On the readers' port. */
  readonly connections?: number | undefined;
}
