/** What providers append to a model's name to pin a snapshot: `-2024-08-06`, `-20250929`, `@20250929`, `-latest`, `-001`. */
const SNAPSHOT = /(?:[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|\d{3}|latest|preview)|-v\d+:\d+|:latest)+$/;

/** The model without provider prefix and snapshot suffix: `openai/gpt-4o-2024-08-06` is `gpt-4o`. */
export function baseModel(model: string): string {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return name.replace(SNAPSHOT, '') || name;
}

export function isSameModel(a: string, b: string): boolean {
  return a === b || baseModel(a) === baseModel(b);
}
