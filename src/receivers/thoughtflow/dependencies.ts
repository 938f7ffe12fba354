import type { JsonObject } from '../../base/json.ts';

/** What steps name that makes no edge. */
export interface NoEdges {
  /** Names no step of the session that is known. */
  dangling: number;
  /** Names the step itself. */
  self: number;
  /** Would close a circle. */
  cyclic: number;
  /** Beyond `MAX_DEPENDENCIES`. */
  excess: number;
}

/** Of one body or session: five for each of 10,000 steps. Each takes some 15 µs of everybody's time. */
export const MAX_DEPENDENCIES = 50_000;

/** The ids in `depends_on`, each once: one, or a list of them. */
export function dependenciesOf(item: JsonObject): readonly string[] {
  const said = item['depends_on'];
  const list: readonly unknown[] = Array.isArray(said) ? said : [said];
  return [...new Set(list.map(idOf).filter((id) => id !== undefined))];
}

function idOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined;
}

/** A step whose dependencies are looked up. */
export interface Dependent {
  readonly id: string;
  readonly spanId: string;
  readonly item: JsonObject;
  /** The span of a step that is known by its id, as this one means it. */
  readonly find: (stepId: string) => string | undefined;
  /** Where one that is not known yet would stand; absent: it cannot come any more. */
  readonly expected?: (stepId: string) => string;
}

/** The spans that each step depends on, by its own span; counts what makes no edge. */
export function dependencySpans(
  dependents: Iterable<Dependent>,
  noEdges: NoEdges,
): ReadonlyMap<string, readonly string[]> {
  const edges = new Map<string, readonly string[]>();
  let left = MAX_DEPENDENCIES;
  for (const { id, spanId, item, find, expected } of dependents) {
    const named = dependenciesOf(item);
    const taken = named.slice(0, left);
    left -= taken.length;
    noEdges.excess += named.length - taken.length;
    const targets = taken.map((step) => {
      const target = step === id ? spanId : find(step);
      if (target === undefined) noEdges.dangling++;
      else if (target === spanId) noEdges.self++;
      return target ?? expected?.(step);
    });
    edges.set(
      spanId,
      targets.filter((target) => target !== undefined && target !== spanId) as readonly string[],
    );
  }
  const closing = closingEdges(edges);
  for (const [spanId, targets] of closing) {
    noEdges.cyclic += targets.size;
    edges.set(
      spanId,
      (edges.get(spanId) ?? []).filter((target) => !targets.has(target)),
    );
  }
  return edges;
}

/**
 * Of each circle the edge that closes it, looked at in the order of the steps.
 * @param edges for each step those that it depends on
 */
export function closingEdges<Step>(
  edges: ReadonlyMap<Step, readonly Step[]>,
): ReadonlyMap<Step, ReadonlySet<Step>> {
  const closing = new Map<Step, Set<Step>>();
  const done = new Set<Step>();
  const open = new Set<Step>();
  for (const root of edges.keys()) {
    // A stack of our own: a chain may be a hundred thousand steps long.
    const stack: { readonly step: Step; next: number }[] = [];
    const enter = (step: Step): void => {
      open.add(step);
      stack.push({ step, next: 0 });
    };
    if (!done.has(root)) enter(root);
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const target = edges.get(top.step)?.[top.next++];
      if (target === undefined) {
        open.delete(top.step);
        done.add(top.step);
        stack.pop();
      } else if (open.has(target)) {
        const of = closing.get(top.step) ?? new Set();
        closing.set(top.step, of.add(target));
      } else if (!done.has(target)) enter(target);
    }
  }
  return closing;
}
