import { seldom, type IsOver, type Work } from '../base/in-turns.ts';
import { isDivergence, type ComparedField, type ComparedStep, type Divergence } from '../model/compare.ts';
import { endOf } from '../model/failure.ts';
import type { ExplanationNode } from '../model/node.ts';
import { startOf } from '../model/in-time.ts';

/** A step of both tasks, or of one of them, with the nodes that it names. */
export interface Compared extends ComparedStep {
  readonly nodeA: ExplanationNode | undefined;
  readonly nodeB: ExplanationNode | undefined;
}

/** What a step leaves behind: it is known only when the step ends. */
const OUTPUTS: ReadonlySet<ComparedField> = new Set<ComparedField>([
  'status',
  'state',
  'completion',
  'reasoning',
  'toolResult',
  'error',
]);

/** Is it in one task only, or does it differ in more than figures and name? */
export function diverges(step: ComparedStep): boolean {
  return !isPair(step) || step.differs.some(isDivergence);
}

/**
 * The first in time: what a step gave comes after all that is inside it, what it was given before.
 * @param steps in reading order
 */
export function* firstDivergence(steps: readonly Compared[], isOver: IsOver): Work<Compared | undefined> {
  const a = yield* firstOf(steps, ({ nodeA }) => nodeA, isOver);
  const b = yield* firstOf(steps, ({ nodeB }) => nodeB, isOver);
  if (!a || !b) return (a ?? b)?.step;
  // One clock knows both when one of them is in both tasks: by that clock the other one is earlier.
  if (isPair(a.step) !== isPair(b.step)) return isPair(a.step) ? b.step : a.step;
  const isA = a.ms === b.ms ? steps.indexOf(a.step) <= steps.indexOf(b.step) : a.ms < b.ms;
  return isA ? a.step : b.step;
}

/** One sentence. */
export function statementOf({ nodeA, nodeB, differs }: Compared): Divergence['statement'] {
  const { agent = '', title = '' } = nodeA ?? nodeB ?? {};
  const what = `${agent}: ${title}`;
  if (nodeB === undefined) return `Only a has the step ${what}`;
  if (nodeA === undefined) return `Only b has the step ${what}`;
  return `${what}: ${wordsOf(differs.filter(isDivergence))}`;
}

function isPair({ a, b }: ComparedStep): boolean {
  return a !== undefined && b !== undefined;
}

/** Of one task. */
interface First {
  readonly step: Compared;
  /** Since the task began. */
  readonly ms: number;
}

function* firstOf(
  steps: readonly Compared[],
  nodeOf: (step: Compared) => ExplanationNode | undefined,
  isOver: IsOver,
): Work<First | undefined> {
  const isRest = seldom(isOver);
  let began = Infinity;
  let first: (First & { readonly isOutput: boolean }) | undefined;
  /** By depth: when the last of what was seen there ended, or of what is inside it. */
  const ends: number[] = [];
  // From the last: what is inside a step is seen before it.
  for (const step of steps.toReversed()) {
    if (isRest()) yield;
    const inside = ends[step.depth + 1] ?? -Infinity;
    ends.length = Math.min(ends.length, step.depth + 1);
    const node = nodeOf(step);
    if (!node) continue;
    const start = startOf(node);
    const end = Math.max(endOf(node), inside);
    began = Math.min(began, start);
    ends[step.depth] = Math.max(ends[step.depth] ?? -Infinity, end);
    if (!diverges(step)) continue;
    const isOutput =
      isPair(step) && step.differs.every((field) => !isDivergence(field) || OUTPUTS.has(field));
    const ms = isOutput ? end : start;
    // Of what comes at once the inner gave first, and was given last.
    if (
      !first ||
      ms < first.ms ||
      (ms === first.ms && (!isOutput || (first.isOutput && step.depth >= first.step.depth)))
    )
      first = { step, ms, isOutput };
  }
  return first && { step: first.step, ms: first.ms - began };
}

function wordsOf(fields: readonly ComparedField[]): string {
  const last = fields.at(-1) ?? '';
  const others = fields.slice(0, -1);
  return others.length === 0 ? `the ${last} differs` : `${others.join(', ')} and ${last} differ`;
}
