import { endOf } from '../../src/model/failure.ts';
import type { ExplanationGraph, ExplanationNode } from '../../src/model/node.ts';
import type { AnnotatedRun } from './annotated-run.ts';

const ERROR = /error|exception|fail|traceback|not found|denied|exit code [1-9]/i;

/** Ways to name steps that know nothing of causes, to compare with. `textOf`: what a step said. */
export function plainNamings(
  steps: readonly ExplanationNode[],
  textOf: (node: ExplanationNode) => string,
): Readonly<Record<string, readonly ExplanationNode[]>> {
  const byLength = steps.toSorted((a, b) => (b.latencyMs ?? 0) - (a.latencyMs ?? 0));
  const withError = steps.filter((node) => node.status === 'ERROR' || ERROR.test(textOf(node))).reverse();
  return {
    first: steps.slice(0, 5),
    last: steps.slice(-5).reverse(),
    longest: byLength.slice(0, 5),
    'error nearest the end': withError.slice(0, 5),
  };
}

/** LLM and tool calls, the earliest first: what a name can be drawn from. */
export function stepsOf({ nodes }: ExplanationGraph): ExplanationNode[] {
  return nodes
    .filter(({ type }) => type === 'LLM_CALL' || type === 'TOOL_CALL')
    .sort((a, b) => (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : endOf(a) - endOf(b)));
}

/** A step with several nodes counts for the place of the first of them. */
export function isOfStep({ expected }: AnnotatedRun, { id, details }: ExplanationNode): boolean {
  const spanIds = details?.['spanIds'];
  const own = Array.isArray(spanIds) ? spanIds : [details?.['spanId'] ?? id.split(':').at(-1)];
  return expected.spanIds.some((spanId) => own.includes(spanId));
}

/** How likely five different ones of so many steps have the one in them. */
export function randomHit(all: number, right: number, drawn: number): number {
  let miss = 1;
  for (let i = 0; i < drawn; i++) miss *= Math.max(0, all - right - i) / Math.max(1, all - i);
  return 1 - miss;
}
