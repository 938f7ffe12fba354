/** What agent programs send in place of a text that their user has not released. It says nothing about the text. */
const PLACEHOLDERS = new Set(['<REDACTED>', '[REDACTED]', 'REDACTED', '<redacted>', '[redacted]']);

/** With a few blanks around it. */
const MAX_PLACEHOLDER_CHARS = 16;

/** The text, unless its sender kept it back. */
export function unlessWithheld(text: string | undefined): string | undefined {
  if (text === undefined || text.length > MAX_PLACEHOLDER_CHARS) return text;
  return PLACEHOLDERS.has(text.trim()) ? undefined : text;
}
