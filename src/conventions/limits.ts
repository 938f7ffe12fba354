/** Names, ids, models and other words of `details`: longer ones are mistakes or attacks, and nodes stay small. */
export const MAX_NAME_CHARS = 256;

/** An error message in `details`; the whole one is in the texts. */
export const MAX_ERROR_CHARS = 300;

/** Spec 4.1: a prompt summary has at most 200 characters. */
export const MAX_SUMMARY_CHARS = 200;

/** Largest JSON text that is parsed whole; above it only the last messages are cut out and parsed. */
export const MAX_PARSE_CHARS = 256 * 1024;

/** Tool-call ids kept per LLM call: parallel calls beyond this are not seen in practice. */
export const MAX_TOOL_CALL_IDS = 32;

/** Nesting that message parsing follows; real payloads have less than ten levels. */
export const MAX_DEPTH = 16;
