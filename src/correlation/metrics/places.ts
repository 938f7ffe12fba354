import { canonicalAgent } from '../../model/agent.ts';
import type { SpanFacts, StepLogFacts } from '../../model/facts.ts';
import type { NodeType } from '../../model/node.ts';
import type { MetricRecord } from '../../model/records.ts';
import { halvesOf, resourceKeyOf } from '../../model/resource-key.ts';
import type { MeasurableStep } from './gather.ts';

/** A span, or a log record that tells of a step. */
export type MeasurableFacts = SpanFacts | StepLogFacts;

/** What the state of a program or machine explains; other steps are made of these, or take no time. */
const STEP_TYPES: ReadonlySet<NodeType | undefined> = new Set([
  'LLM_CALL',
  'TOOL_CALL',
  'TEST_RUN',
  'STATIC_ANALYSIS',
]);
/** Where a point was measured; undefined when its resource says nothing of itself. */
export function placeOf({ resource }: MetricRecord, ofMachine: boolean): string | undefined {
  const { process, machine } = halvesOf(resourceKeyOf(resource.attributes));
  if (ofMachine && machine !== '') return `machine ${machine}`;
  return process === '' ? undefined : `process ${process}`;
}

/** Undefined for a step that nothing around it explains. */
export function measurableStep(source: string, facts: MeasurableFacts): MeasurableStep | undefined {
  const { start, end, step } = facts;
  const isCall = STEP_TYPES.has(step.type) && step.container !== true;
  const isRoot = facts.kind === 'span' && facts.parentSpanId === undefined;
  const isWhole = step.container === true || (isRoot && !isCall);
  if (step.resourceKey === undefined || step.wrapper === true || (!isCall && !isWhole)) return undefined;
  const { process, machine } = halvesOf(step.resourceKey);
  return {
    source,
    facts,
    start,
    end: end ?? Infinity,
    places: [
      ...(process === '' ? [] : [`process ${process}`]),
      ...(machine === '' ? [] : [`machine ${machine}`]),
    ],
    isWhole,
    model: step.model,
    agent: step.agent === undefined ? undefined : canonicalAgent(step.agent),
  };
}
