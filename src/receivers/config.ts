/** Bounds of what the receivers take from one request. */
export interface ReceiverLimits {
  /** Bytes of one request as they come over the wire, before decompression. */
  readonly maxBodyBytes: number;
  /** Bytes of one request after decompression. */
  readonly maxDecompressedBytes: number;
  /** Characters of one string; the rest is cut and said so at its end. */
  readonly maxStringChars: number;
  /** Attributes of one span, event, link, log record, scope or resource; also events and links of one span. */
  readonly maxAttributes: number;
  /** Nesting of one attribute value; what lies deeper becomes `[too deep]`. */
  readonly maxDepth: number;
  /** Spans or log records taken from one request; the rest is rejected by count. */
  readonly maxRecords: number;
  /** Attributes and nested values taken from one request; the rest is dropped and counted. */
  readonly maxValues: number;
}

export const DEFAULT_RECEIVER_LIMITS: ReceiverLimits = {
  // A default OTel SDK batch (512 spans of 1.7 KB) is below 1 MiB; 16 MiB leaves room for long prompts.
  maxBodyBytes: 16 * 1024 * 1024,
  // Telemetry text compresses about 4 : 1 and better; more than this is no honest batch.
  maxDecompressedBytes: 64 * 1024 * 1024,
  // A long prompt fits whole (about 60,000 tokens); a 10 MB attribute does not.
  maxStringChars: 256 * 1024,
  // SDKs stop at 128; conventions that flatten chat histories into attributes need several hundred.
  maxAttributes: 1024,
  // Deeper than any message schema; far from the end of the stack.
  maxDepth: 64,
  // Twelve times the Collector's default batch of 8,192.
  maxRecords: 100_000,
  // About eight times what 64 MiB of ordinary spans hold; stops bodies made of millions of empty values.
  maxValues: 4_000_000,
};

/**
 * Values in one JSON document, counted before parsing, because objects take up to 20 times the size of their text. Four
 * times what 64 MiB of ordinary spans hold; a body of fewer bytes than this is not counted.
 */
export const MAX_JSON_VALUES = 2_500_000;

/** Reasons listed in one answer; the count is always exact. */
export const MAX_REASONS = 5;

/** Retry delay told to senders when the service is full or draining and has no better estimate. */
export const DEFAULT_RETRY_AFTER_MS = 1_000;

/** Concurrent calls per gRPC connection; an SDK has one or two under way. */
export const MAX_CONCURRENT_STREAMS = 128;

/** How long `stop` waits for responses to be written before it closes connections. */
export const STOP_GRACE_MS = 2_000;

/** Characters of the id of a request or an event. No sender makes longer ones, and readers cannot ask for them. */
export const MAX_ID_CHARS = 1_000;

export const TOO_LONG_ID = `longer than ${MAX_ID_CHARS} characters`;

/** Items of one POST of CoT entries or Reflexion events. */
export const MAX_EVENTS_ITEMS = 100_000;

/** Errors listed in the answer to one POST; the count is always exact. */
export const MAX_LISTED_ERRORS = 100;

/** Records that wait for the next stage behind the in-process bus; beyond it publishing is refused. */
export const MAX_BUS_BUFFER = 10_000;
