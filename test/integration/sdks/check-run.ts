import { checkCalls } from '../recordings/check-calls.ts';
import { whatIsMalformed, whatIsMissing } from '../recordings/check-recording.ts';
import { checkEdges, checkMerges } from '../recordings/check-structure.ts';
import { checkSums } from '../recordings/check-sums.ts';
import { checkErrors, checkTools } from '../recordings/check-tools.ts';
import { compare, unwanted, type Findings } from '../recordings/finding.ts';
import { checkCosts, checkTaskCosts } from './check-costs.ts';
import { checkLeads, checkQueries, checkThoughts } from './check-derived.ts';
import { expectationOf } from './expectation-of.ts';
import type { ExportedSpans } from './exported-spans.ts';
import type { ShownRun } from './reader.ts';
import type { SdkCall, SdkSpec, SdkTool } from './spec.ts';

/** What a check proves, and what it found wrong. */
export interface CheckedRun {
  readonly title: string;
  readonly problems: readonly string[];
}

/** Everything that a program's spec says against what readers see. */
export function checkRun(spec: SdkSpec, exported: ExportedSpans, shown: ShownRun): readonly CheckedRun[] {
  const expectation = expectationOf(spec, exported);
  const result = (title: string, findings: Findings, more: readonly string[] = []): CheckedRun => ({
    title,
    problems: [
      ...more,
      ...findings
        .filter(({ isRight }) => !isRight)
        .map(({ of, field, expected, found }) => `${of}, ${field}: expected ${expected}, found ${found}`),
    ].map((problem) => exported.inNames(problem).replaceAll(/\s+/g, ' ')),
  });
  return [
    result(
      '[SDK2] every exported span is in one node, wrappers and records of one call together',
      checkMerges(expectation, shown),
      [...whatIsMissing(exported.spans, shown.graph), ...whatIsMalformed(shown.graph), ...heldTwice(shown)],
    ),
    result('[SDK3] each call has its agent, model, tokens, texts and reasoning', [
      ...checkCalls(expectation, shown),
      ...Object.entries(spec.calls).flatMap(([name, call]) => checkTexts(exported.spanId(name), call, shown)),
      ...checkThoughts(spec, exported, shown),
    ]),
    result(
      '[SDK4] cost is as reported, or estimated by list prices and marked so, or unknown',
      checkCosts(spec, exported, shown),
    ),
    ...(spec.tools === undefined
      ? []
      : [
          result('[SDK5] each tool call has its name, id, arguments and result', [
            ...checkTools(expectation, shown),
            ...Object.entries(spec.tools).flatMap(([name, tool]) =>
              checkTool(exported.spanId(name), tool, shown),
            ),
          ]),
        ]),
    result('[SDK6] edges say what led to what', [
      ...checkEdges(expectation, shown),
      ...checkLeads(spec, exported, shown),
    ]),
    result(
      '[SDK7] what failed says so and why; nothing else does',
      // An SDK that exports no message of a failure has an empty one in its spec.
      checkErrors(expectation, shown).filter(
        ({ field, expected }) => field !== 'error message' || expected !== '',
      ),
    ),
    result("[SDK8] a task's tokens and cost are the sums of what the models counted", [
      ...checkSums(expectation, shown),
      ...checkTaskCosts(spec, exported, shown),
    ]),
    result('[SDK9] what the user asked leads to the root', checkQueries(spec, exported, shown)),
  ];
}

/** A span in two nodes would be counted twice. */
function heldTwice({ graph, spans }: ShownRun): string[] {
  const holders = graph.nodes
    .filter(({ details }) => details?.['partOf'] === undefined)
    .flatMap(({ details }) => details?.['spanIds'] ?? [details?.['spanId']]);
  return spans
    .map(({ spanId }) => ({ spanId, count: holders.filter((id) => id === spanId).length }))
    .filter(({ count }) => count > 1)
    .map(({ spanId, count }) => `span ${spanId} is in ${count} nodes`);
}

/** Whole texts, where the checks of recordings compare beginnings. */
function checkTexts(spanId: string, call: SdkCall, shown: ShownRun): Findings {
  const node = shown.nodeOf(spanId);
  const texts = node ? shown.textsOf(node) : {};
  return [
    compare('prompt', spanId, 'summary', call.prompt ?? null, node?.promptSummary),
    compare('reasoning', spanId, 'reasoning', call.reasoning ?? null, texts.reasoning),
    ...(typeof call.completion === 'string'
      ? [compare('completion', spanId, 'whole completion', call.completion, texts.completion)]
      : []),
  ];
}

function checkTool(spanId: string, tool: SdkTool, shown: ShownRun): Findings {
  const node = shown.nodeOf(spanId);
  const { toolArguments, toolResult } = node ? shown.textsOf(node) : {};
  return [
    compare('agent', spanId, 'agent', tool.agent, node?.agent),
    compare('tools', spanId, 'arguments', tool.arguments, unquoted(toolArguments)),
    compare('tools', spanId, 'result', tool.result ?? null, unquoted(toolResult)),
    ...(node?.tokensIn === undefined && node?.tokensOut === undefined
      ? []
      : [unwanted('tokens', spanId, 'tokens of a tool', 'some')]),
  ];
}

/** Some SDKs write a text as JSON: the quotes around it are theirs. */
function unquoted(text: string | undefined): string | undefined {
  return text?.startsWith('"') === true ? (JSON.parse(text) as string) : text;
}
