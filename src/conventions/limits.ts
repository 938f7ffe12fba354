/** An error message in `details`; the whole one is in the texts. */
export const MAX_ERROR_CHARS = 300;

/** Largest JSON text that is parsed whole; above it only the last messages are cut out and parsed. */
export const MAX_PARSE_CHARS = 256 * 1024;

/** Tool-call ids kept per LLM call: parallel calls beyond this are not seen in practice. */
export const MAX_TOOL_CALL_IDS = 32;

/** Ways in which answers ended, kept per LLM call: APIs know fewer than this. */
export const MAX_FINISH_REASONS = 16;

/** Nesting that message parsing follows; real payloads have less than ten levels. */
export const MAX_DEPTH = 16;
