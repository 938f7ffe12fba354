/** Names of models, tools and agents are hundreds; more than these are no names. */
const MAX_TEXTS = 4096;
const MAX_CHARS = 64;

const texts = new Map<string, string>();

/**
 * The one string for all equal ones. Each request brings its own copy of every name in it, and what is kept of its steps
 * would hold them all. For names only: what is shared outlives the step that brought it.
 */
export function sharedText(text: string): string {
  if (text.length > MAX_CHARS) return text;
  const held = texts.get(text);
  if (held !== undefined) return held;
  if (texts.size >= MAX_TEXTS) texts.clear();
  texts.set(text, text);
  return text;
}
