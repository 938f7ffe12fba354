import type { Below } from './below.ts';
import type { StepEntry } from './node-entry.ts';

/** Figures of a node: what is its own, and what only repeats the calls below it. */
export interface NodeUsage {
  readonly tokensIn?: number;
  readonly tokensOut?: number;
  readonly costUsd?: number;
  readonly details: { readonly [key: string]: unknown };
}

type Figures = { -readonly [K in keyof NodeUsage]: NodeUsage[K] } & { details: { [key: string]: unknown } };

const CACHE_FIELDS = ['cacheReadTokens', 'cacheWriteTokens', 'reasoningTokens'] as const;
/** Details that hold figures: they are a record's, and a node's only where the record counts. */
export const FIGURES: ReadonlySet<string> = new Set([...CACHE_FIELDS, 'costSource']);

/**
 * Tokens and cost of a node, so that sums over any set of nodes count everything once: of several records of one
 * call the innermost that counts tokens, and a container's figures only where nothing below it has any; otherwise
 * they are shown as totals.
 *
 * @param outermostFirst the records behind the node
 */
export function usageOf(outermostFirst: readonly StepEntry[], below: Below): NodeUsage {
  const figures: Figures = { details: {} };
  const [only] = outermostFirst;
  // Most nodes have one record, and most of these no figures.
  if (only && outermostFirst.length === 1 && !hasFigures(only)) {
    if (only.facts.step.type === 'LLM_CALL') figures.details['costSource'] = 'unknown';
    return figures;
  }
  const own = below.hasUsageOutside(outermostFirst)
    ? withoutRepeats(outermostFirst, below, figures)
    : innermostFirst(outermostFirst);
  const counting = own.find(
    ({ facts: { step } }) => step.tokensIn !== undefined || step.tokensOut !== undefined,
  );
  if (counting) {
    const { tokensIn, tokensOut } = counting.facts.step;
    if (tokensIn !== undefined) figures.tokensIn = tokensIn;
    if (tokensOut !== undefined) figures.tokensOut = tokensOut;
    // Another record that counts alike may tell of the parts as well.
    for (const { facts } of own) {
      if (facts.step.tokensIn !== tokensIn || facts.step.tokensOut !== tokensOut) continue;
      for (const field of CACHE_FIELDS) {
        const value = facts.step.details[field];
        if (value !== undefined && figures.details[field] === undefined) figures.details[field] = value;
      }
    }
  }
  addCost(own, counting, figures);
  return figures;
}

/** The records whose figures are the node's own, innermost first; those of the others are shown as totals. */
function withoutRepeats(
  outermostFirst: readonly StepEntry[],
  below: Below,
  figures: Figures,
): readonly StepEntry[] {
  return innermostFirst(outermostFirst).filter((step) => {
    const repeats = mayRepeat(step, outermostFirst, below);
    if (repeats) addTotals(step, figures);
    return !repeats;
  });
}

function innermostFirst(outermostFirst: readonly StepEntry[]): readonly StepEntry[] {
  return outermostFirst.length > 1 ? [...outermostFirst].reverse() : outermostFirst;
}

function hasFigures({ facts: { step } }: StepEntry): boolean {
  return (
    step.tokensIn !== undefined ||
    step.tokensOut !== undefined ||
    step.costUsd !== undefined ||
    step.estimatedCostUsd !== undefined
  );
}

/** A cost that a sender reports goes before any estimate; of a model call it is said where the figure comes from. */
function addCost(own: readonly StepEntry[], counting: StepEntry | undefined, figures: Figures): void {
  const reported = own.find(({ facts }) => facts.step.costUsd !== undefined)?.facts.step.costUsd;
  const estimated =
    counting?.facts.step.estimatedCostUsd ??
    own.find(({ facts }) => facts.step.estimatedCostUsd !== undefined)?.facts.step.estimatedCostUsd;
  const cost = reported ?? estimated;
  if (cost !== undefined) figures.costUsd = cost;
  const isCall = own.some(({ facts }) => facts.step.type === 'LLM_CALL');
  if (cost !== undefined || isCall)
    figures.details['costSource'] =
      reported !== undefined ? 'reported' : estimated !== undefined ? 'estimated' : 'unknown';
}

/** An agent sums up what is below it; a call of a model only what another instrumentation tells of it. */
function mayRepeat(step: StepEntry, sameNode: readonly StepEntry[], below: Below): boolean {
  const { type, container } = step.facts.step;
  if (type === 'LLM_CALL' && container !== true) return below.repeatsCalls(step, sameNode);
  return container === true || type === 'OTHER' || type === undefined;
}

function addTotals({ facts: { step } }: StepEntry, figures: Figures): void {
  if (step.tokensIn !== undefined) figures.details['totalTokensIn'] ??= step.tokensIn;
  if (step.tokensOut !== undefined) figures.details['totalTokensOut'] ??= step.tokensOut;
  if (step.costUsd !== undefined) figures.details['totalCostUsd'] ??= step.costUsd;
}
