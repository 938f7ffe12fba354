import { compare, isSameFigure, type Finding, type Findings } from '../recordings/finding.ts';
import { costsOf, sumOf } from './expectation-of.ts';
import type { ExportedSpans } from './exported-spans.ts';
import type { ShownRun } from './reader.ts';
import type { SdkSpec } from './spec.ts';

/** What each call cost, and who says so. */
export function checkCosts(spec: SdkSpec, exported: ExportedSpans, shown: ShownRun): Findings {
  return Object.entries(spec.calls).flatMap(([name, { cost }]) => {
    const spanId = exported.spanId(name);
    const node = shown.nodeOf(spanId);
    return [
      figure(spanId, 'cost', cost?.usd, node?.costUsd),
      compare('cost', spanId, 'source of the cost', cost?.source ?? 'unknown', node?.details?.['costSource']),
    ];
  });
}

/** What a task cost; the steps around its calls cost nothing more. */
export function checkTaskCosts(spec: SdkSpec, exported: ExportedSpans, shown: ShownRun): Findings {
  return spec.tasks.map(({ id, root }) => {
    const traceId = exported.traceId(root);
    const overview = shown.tasks.find(({ taskId }) => taskId === (id ?? traceId));
    return figure(id ?? traceId, 'cost', sumOf(costsOf(spec, exported, traceId)), overview?.costUsd);
  });
}

function figure(of: string, field: string, expected: number | undefined, found: number | undefined): Finding {
  return compare('cost', of, field, expected ?? null, found, (value) =>
    isSameFigure(Number(value), expected ?? Number.NaN),
  );
}
