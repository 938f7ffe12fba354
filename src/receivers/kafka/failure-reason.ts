/** Kafka's names of errors, and those of the operating system: no text of anybody's. */
const NAME = /^[A-Z][A-Z0-9_]{2,60}$/;
/** What the client's own codes begin with; they say less than what is inside. */
const OF_CLIENT = /^PLT_KFK_/;
/** Errors within errors that are looked at. */
const MAX_LOOKS = 100;

/** The most telling name in an error and in those that it holds; their messages may hold anything. */
export function reasonOf(error: unknown): string {
  const names: string[] = [];
  const waiting: unknown[] = [error];
  for (let looks = 0; waiting.length > 0 && looks < MAX_LOOKS; looks++) {
    const next = waiting.shift();
    if (typeof next !== 'object' || next === null) continue;
    const { apiId, code, cause, errors } = next as { readonly [name: string]: unknown };
    for (const name of [apiId, code]) if (typeof name === 'string' && NAME.test(name)) names.push(name);
    waiting.push(cause, ...(Array.isArray(errors) ? errors : []));
  }
  return names.find((name) => !OF_CLIENT.test(name)) ?? names[0]?.replace(OF_CLIENT, '') ?? 'unknown';
}
