/** Names of models are short; what is longer is compared by its beginning. */
const MAX_NAME_CHARS = 256;

/** What providers append to pin a snapshot: `-2024-08-06`, `-20250929`, `@20250929`, `-0613`, `-001`, `-latest`, `-v1:0`. */
const SNAPSHOT = /(?:[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|\d{3}|latest|preview)|-v\d{1,3}:\d{1,3}|:latest)$/;

/** A name carries at most two of them (`-20250929-v1:0`). */
const MAX_SUFFIXES = 2;

/** Every agent uses a handful of models; the bound is for senders that make names up. */
const MAX_REMEMBERED = 1024;
const remembered = new Map<string, string>();

/** The model without provider prefix and snapshot suffix: `openai/gpt-4o-2024-08-06` is `gpt-4o`. */
function baseModel(model: string): string {
  const known = remembered.get(model);
  if (known !== undefined) return known;
  let name = model.slice(model.lastIndexOf('/') + 1, MAX_NAME_CHARS).toLowerCase();
  for (let i = 0; i < MAX_SUFFIXES; i++) name = name.replace(SNAPSHOT, '') || name;
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  if (model.length <= MAX_NAME_CHARS) remembered.set(model, name);
  return name;
}

export function isSameModel(a: string, b: string): boolean {
  return a === b || baseModel(a) === baseModel(b);
}
