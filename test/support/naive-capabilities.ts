/** What patterns allow, worked out another way: each is spelled as an expression over one line for each leaf of a message. */
export function naiveMaySay(
  capabilities: readonly { readonly kind: string; readonly payload?: unknown }[],
  message: { readonly kind: string; readonly payload: unknown },
): boolean {
  for (const { kind, payload } of capabilities) {
    const words = kind.split('*').map((part) => part.replace(/[^\w]/g, '\\$&'));
    if (!new RegExp(`^${words.join('[^]*')}$`).test(message.kind)) continue;
    if (payload === undefined || holds(leavesOf(payload), message.payload)) return true;
  }
  return false;
}

/** The path to each text of a pattern, and to each object that is empty. */
function leavesOf(
  pattern: unknown,
  path: readonly string[] = [],
): (readonly [readonly string[], string | undefined])[] {
  if (typeof pattern === 'string') return [[path, pattern]];
  const fields = Object.entries(pattern as object);
  if (fields.length === 0) return [[path, undefined]];
  return fields.flatMap(([field, value]) => leavesOf(value, [...path, field]));
}

function holds(leaves: ReturnType<typeof leavesOf>, payload: unknown): boolean {
  return leaves.every(([path, wanted]) => {
    let at: unknown = payload;
    const steps = wanted === undefined ? path : path.slice(0, -1);
    for (const step of ['', ...steps]) {
      if (step !== '') at = new Map(Object.entries(at as object)).get(step);
      if (Object.prototype.toString.call(at) !== '[object Object]') return false;
    }
    if (wanted === undefined) return true;
    const value = new Map<string, unknown>(Object.entries(at as object)).get(path.at(-1) ?? '');
    if (wanted.startsWith('!')) return !Object.is(value, wanted.substring(1));
    const prefix = /^([^]*)\*$/.exec(wanted)?.[1];
    if (prefix === undefined) return Object.is(value, wanted);
    return typeof value === 'string' && value.length > 0 && value.indexOf(prefix) === 0;
  });
}
