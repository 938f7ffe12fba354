import { compareText } from '../model/compare-text.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { GuardLimit } from './guard.ts';
import type { GuardedStep } from './guarded-step.ts';
import type { Scope } from './scope.ts';

/** So many running steps are looked at for one whose agent can be told. */
const MAX_RUNNING = 32;

/** The step by which a limit was reached, and the steps that run, the likeliest to go on with it first. */
export function stepsToBlame(
  scope: Scope,
  limit: GuardLimit,
): { readonly step: ExplanationNode | undefined; readonly running: readonly ExplanationNode[] } {
  const running = [...scope].filter(({ node }) => node.state === 'RUNNING').sort(newestFirst);
  const step = reachedBy(scope, limit, running);
  const first = running.filter((one) => one === step);
  const others = running.filter((one) => one !== step).slice(0, MAX_RUNNING);
  return { step: step?.node, running: [...first, ...others].map(({ node }) => node) };
}

function reachedBy(
  scope: Scope,
  limit: GuardLimit,
  running: readonly GuardedStep[],
): GuardedStep | undefined {
  switch (limit) {
    case 'sameStep':
      return newest(scope.mostRepeated());
    case 'depth':
      return newest([...scope].filter(({ depth }) => depth === scope.depth));
    case 'handovers':
      return newest([...scope].filter(({ handovers }) => handovers === scope.handovers));
    // Time passes for what runs, and first of all for what has run longest.
    case 'runningSeconds':
    case 'nothingNewSeconds':
      return running.at(-1) ?? newest(scope);
    case 'tokens':
    case 'costUsd':
    case 'stepsPerMinute':
      return newest(scope);
  }
}

function newest(steps: Iterable<GuardedStep>): GuardedStep | undefined {
  let found: GuardedStep | undefined;
  for (const step of steps) if (!found || newestFirst(step, found) < 0) found = step;
  return found;
}

function newestFirst(a: GuardedStep, b: GuardedStep): number {
  return b.start - a.start || compareText(b.node.id, a.node.id);
}
