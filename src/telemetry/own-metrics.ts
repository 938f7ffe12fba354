/**
 * The service's own instruments (spec section 7), as the stages see them. `OwnTelemetry` in this folder makes
 * the real one on the OpenTelemetry SDK; a stage's unit tests pass `noMetrics`.
 */
export interface OwnMetrics {
  /** Batch-wise: one call per batch, not one per item. */
  nodesCreated(count: number): void;
  edgesCreated(count: number): void;
  redactions(rule: string, count: number): void;
  /** A field was withheld because redaction failed on it. */
  redactionErrors(count: number): void;
  /** Records taken in, by signal: span, cot, event, log, metric. */
  recordsAccepted(signal: string, count: number): void;
  /** Records refused, by signal and reason code. */
  recordsRejected(signal: string, reason: string, count: number): void;
  /** Texts that were cut at the longest that is kept, by signal. */
  textsCut(signal: string, count: number): void;
  /** Milliseconds from receiving a batch to its diff being ready. */
  graphUpdateLatency(ms: number): void;
  /** Edges left out because they would have closed a cycle. */
  cyclesAvoided(count: number): void;
  /** Nodes that left memory, by reason: ttl, memory, prune. */
  nodesEvicted(reason: string, count: number): void;
  /** Updates that were merged or dropped for slow or absent readers. */
  updatesMerged(count: number): void;
  snapshotsNeeded(count: number): void;
}

export const noMetrics: OwnMetrics = {
  nodesCreated() {},
  edgesCreated() {},
  redactions() {},
  redactionErrors() {},
  recordsAccepted() {},
  recordsRejected() {},
  textsCut() {},
  graphUpdateLatency() {},
  cyclesAvoided() {},
  nodesEvicted() {},
  updatesMerged() {},
  snapshotsNeeded() {},
};
