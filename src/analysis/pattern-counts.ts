import type { IsOver, Work } from '../base/in-turns.ts';
import { compareText } from '../model/compare-text.ts';
import { spanKey } from '../model/ids.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { Pattern, PatternKind, PatternsAnswer } from '../model/patterns.ts';
import { falseDiscoveryRates, fisherExact } from './fisher.ts';
import { stepRole } from './step-role.ts';

/** So many kinds are counted: what comes first. */
const MAX_KINDS = 20_000;
/** So many are shown: of more the first by p, by failed steps, by cost and by latency. */
const MAX_SHOWN = 200;
const MAX_OF_EACH = MAX_SHOWN / 4;
/** Steps between two looks at the clock. */
const STEPS_A_LOOK = 100;
/** Sums are of whole numbers, so that they do not depend on an order. */
const PER_USD = 1e12;
const PER_MS = 1e3;

const NOTICE =
  'A task counts as failed when a step of it is an ERROR. What is frequent in failed tasks need not be why they ' +
  'failed; p is corrected for the number of kinds that were tested.';

interface Counts {
  readonly what: PatternKind;
  failed: number;
  passed: number;
  steps: number;
  errors: number;
  cost: number | undefined;
  latency: number;
  timed: number;
}

/** Counts kinds of steps over tasks, in any order of these. */
export class PatternCounts {
  private readonly tasks = { failed: 0, passed: 0 };
  private readonly kinds = new Map<string, Counts>();
  private readonly isWanted: (node: ExplanationNode) => boolean;
  private isFull = false;

  /** @param isWanted which steps count */
  constructor(isWanted: (node: ExplanationNode) => boolean) {
    this.isWanted = isWanted;
  }

  /** @param nodes all nodes of a task that is over */
  *addTask(outcome: 'failed' | 'passed', nodes: readonly ExplanationNode[], isOver: IsOver): Work<void> {
    const containers = new Set(nodes.map(containerOf));
    const seen = new Set<Counts>();
    let hasAny = false;
    for (const [i, node] of nodes.entries()) {
      if (i % STEPS_A_LOOK === 0 && isOver()) yield;
      // A thought is part of the call that had it.
      if (node.type === 'REASONING' || !this.isWanted(node)) continue;
      hasAny = true;
      for (const kind of kindsOf(node)) {
        const counts = this.countsOf(kind);
        if (!counts) continue;
        count(
          counts,
          node,
          spansOf(node).some((span) => containers.has(span)),
        );
        seen.add(counts);
      }
    }
    for (const counts of seen) counts[outcome]++;
    if (hasAny) this.tasks[outcome]++;
  }

  /** @param isPart there are tasks that were not added */
  answer(isPart: boolean): PatternsAnswer {
    const all = this.tested();
    const shown = mostTelling(all);
    return {
      patterns: shown,
      tasks: { ...this.tasks },
      tested: all.length,
      notice: `${NOTICE}${nothingToCompare(this.tasks)}`,
      ...((isPart || this.isFull || shown.length < all.length) && { truncated: true }),
    };
  }

  private countsOf(what: PatternKind): Counts | undefined {
    const key = keyOf(what);
    const known = this.kinds.get(key);
    if (known) return known;
    if (this.kinds.size >= MAX_KINDS) {
      this.isFull = true;
      return undefined;
    }
    const counts = { what, failed: 0, passed: 0, steps: 0, errors: 0, cost: undefined, latency: 0, timed: 0 };
    this.kinds.set(key, counts);
    return counts;
  }

  private tested(): readonly Pattern[] {
    const { failed: allFailed, passed: allPassed } = this.tasks;
    const known = new Map<string, number>();
    const test = ({ failed, passed }: Counts): number => {
      const key = `${failed} ${passed}`;
      const p = known.get(key) ?? fisherExact(failed, allFailed - failed, passed, allPassed - passed);
      known.set(key, p);
      return p;
    };
    const all = [...this.kinds.values()];
    const tests = all.map(test);
    const rates = falseDiscoveryRates(tests);
    return all
      .map(({ cost, latency, timed, ...counts }, i) => ({
        ...counts,
        ...(cost !== undefined && { costUsd: Math.round(cost / 1000) / 1e9 }),
        ...(timed > 0 && { latencyMs: Math.round(latency / timed) / PER_MS }),
        fisher: tests[i] ?? 1,
        p: rates[i] ?? 1,
      }))
      .sort(byP);
  }
}

function count(counts: Counts, { status, costUsd, latencyMs }: ExplanationNode, isContainer: boolean): void {
  counts.steps++;
  if (status === 'ERROR') counts.errors++;
  if (costUsd !== undefined) counts.cost = (counts.cost ?? 0) + Math.round(costUsd * PER_USD);
  if (latencyMs === undefined || isContainer) return;
  counts.latency += Math.round(latencyMs * PER_MS);
  counts.timed++;
}

function nothingToCompare({ failed, passed }: PatternsAnswer['tasks']): string {
  if (failed > 0 && passed > 0) return '';
  return ` No task ${failed > 0 ? 'passed' : 'failed'}: there is nothing to compare, and p says nothing.`;
}

/** The span that contains a step. */
function containerOf({ details = {} }: ExplanationNode): string | undefined {
  const { traceId, parentSpanId } = details;
  return typeof traceId === 'string' && typeof parentSpanId === 'string'
    ? spanKey(traceId, parentSpanId)
    : undefined;
}

/** The spans that a node stands for. It is named after one, unless it is a request. */
function spansOf({ id, details = {} }: ExplanationNode): readonly string[] {
  const { traceId, spanId, spanIds, traceIds } = details;
  if (!Array.isArray(spanIds)) return [id.startsWith('req:') ? spanKey(String(traceId), String(spanId)) : id];
  return spanIds.map((one, i) =>
    spanKey(String(Array.isArray(traceIds) ? traceIds[i] : traceId), String(one)),
  );
}

function kindsOf(node: ExplanationNode): readonly PatternKind[] {
  const role = stepRole(node);
  const { type, agent, model } = node;
  return [
    { type },
    { agent },
    ...(role.tool === undefined ? [] : [{ tool: role.tool }]),
    ...(model === undefined ? [] : [{ model }]),
    { agent, ...role },
  ];
}

function keyOf({ type = '', agent = '', tool = '', model = '', name = '' }: PatternKind): string {
  return [type, agent, tool, model, name].join('\n');
}

/** In their order, the first by each measure. */
function mostTelling(all: readonly Pattern[]): readonly Pattern[] {
  if (all.length <= MAX_SHOWN) return all;
  const measures: readonly ((pattern: Pattern) => number)[] = [
    ({ errors }) => errors,
    ({ costUsd = 0 }) => costUsd,
    ({ latencyMs = 0 }) => latencyMs,
  ];
  const shown = new Set(all.slice(0, MAX_OF_EACH));
  for (const measure of measures) {
    const first = all.toSorted((a, b) => measure(b) - measure(a)).slice(0, MAX_OF_EACH);
    for (const pattern of first) shown.add(pattern);
  }
  return all.filter((pattern) => shown.has(pattern));
}

function byP(a: Pattern, b: Pattern): number {
  return (
    a.p - b.p ||
    a.fisher - b.fisher ||
    b.errors - a.errors ||
    (b.costUsd ?? 0) - (a.costUsd ?? 0) ||
    compareText(keyOf(a.what), keyOf(b.what))
  );
}
