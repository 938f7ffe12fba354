import type { ExplanationNode } from '../../../src/model/node.ts';
import { anyOf, type Expectation, type ExpectedCall, type ExpectedText, type OneOf } from './expectation.ts';
import { compare, isSameFigure, unwanted, type Finding, type Findings } from './finding.ts';
import { spanIdsOf, type ShownRecording } from './shown-recording.ts';
import { isBeginning } from './text-mark.ts';

/** Each LLM call that a recording contains against the node that shows it, and nodes that show none. */
export function checkCalls(expectation: Expectation, shown: ShownRecording): Findings {
  const calls = Object.entries(expectation.calls);
  return [
    ...calls.flatMap(([spanId, call]) => checkCall(spanId, call, shown)),
    ...callsTooMany(expectation, shown),
  ];
}

function checkCall(spanId: string, call: ExpectedCall, shown: ShownRecording): Findings {
  const node = shown.nodeOf(spanId);
  const details = node?.details ?? {};
  const texts = node ? shown.textsOf(node) : {};
  const one = (expected: OneOf<string>) => (found: unknown) => anyOf(expected).includes(String(found));
  const text = (found: string | undefined, expected: OneOf<ExpectedText> | null) => ({
    expected: expected === null ? null : anyOf(expected).map(textInWords).join(' or '),
    found: found === undefined || found === '' ? undefined : found,
    isSame: (value: unknown) => expected !== null && isExpectedText(expected, String(value)),
  });
  const prompt = text(texts.prompt, call.prompt);
  const completion = text(texts.completion, call.completion);
  return [
    compare('details', spanId, 'type', 'LLM_CALL', node?.type),
    compare('agent', spanId, 'agent', call.agent, node?.agent, one(call.agent)),
    compare('model', spanId, 'model', call.model, node?.model, call.model === null ? never : one(call.model)),
    ...requestModel(spanId, call, details['requestModel']),
    ...checkTokens(spanId, call, node),
    reportedCost(spanId, call, node),
    compare('prompt', spanId, 'prompt', prompt.expected, cut(prompt.found), () =>
      prompt.isSame(prompt.found),
    ),
    compare('completion', spanId, 'completion', completion.expected, cut(completion.found), () =>
      completion.isSame(completion.found),
    ),
    compare('reasoning', spanId, 'length', call.reasoningChars, lengthOf(texts.reasoning)),
    ...finishReason(spanId, call, firstOf(details['finishReasons'])),
    ...toolCallIds(spanId, 'asks', call.asks, details['requestedToolCallIds']),
    ...toolCallIds(spanId, 'answers', call.answers, details['answeredToolCallIds']),
    compare('details', spanId, 'status', call.status, node?.status),
  ];
}

const never = (): boolean => false;

function requestModel(spanId: string, { requestModel }: ExpectedCall, found: unknown): Findings {
  if (requestModel === null) return [];
  return [compare('details', spanId, 'requested model', requestModel, found)];
}

function finishReason(spanId: string, { finish }: ExpectedCall, found: unknown): Findings {
  return finish === undefined ? [] : [compare('details', spanId, 'finish reason', finish, found)];
}

function checkTokens(spanId: string, call: ExpectedCall, node: ExplanationNode | undefined): Findings {
  const { cacheReadTokens, cacheWriteTokens, reasoningTokens } = node?.details ?? {};
  return [
    compare('tokens', spanId, 'tokens in', call.tokensIn, node?.tokensIn),
    compare('tokens', spanId, 'tokens out', call.tokensOut, node?.tokensOut),
    compare('tokens', spanId, 'cache read tokens', call.cacheRead, cacheReadTokens),
    compare('tokens', spanId, 'cache write tokens', call.cacheWrite, cacheWriteTokens),
    compare('tokens', spanId, 'reasoning tokens', call.reasoningTokens, reasoningTokens),
  ];
}

/** An estimate is no reported cost: there it counts as nothing. */
function reportedCost(spanId: string, call: ExpectedCall, node: ExplanationNode | undefined): Finding {
  const found = node && isReported(node) ? node.costUsd : undefined;
  return compare('cost', spanId, 'reported cost', call.costUsd, found, (cost) =>
    isSameFigure(Number(cost), call.costUsd ?? Number.NaN),
  );
}

export function isReported({ costUsd, details }: ExplanationNode): boolean {
  return costUsd !== undefined && details?.['costSource'] !== 'estimated';
}

function toolCallIds(
  spanId: string,
  field: string,
  expected: readonly string[] | undefined,
  found: unknown,
): Findings {
  if (expected === undefined) return [];
  const ids = Array.isArray(found) ? found.map(String) : [];
  const inWords = (list: readonly string[]) => (list.length === 0 ? 'no tool call' : list.join(', '));
  const sorted = (list: readonly string[]) => inWords(list.toSorted());
  return [compare('details', spanId, field, sorted(expected), sorted(ids))];
}

function isExpectedText(expected: OneOf<ExpectedText>, text: string): boolean {
  return anyOf(expected).some((one) =>
    typeof one === 'string' ? isBeginning(one, text) : one.calls.every((name) => text.includes(name)),
  );
}

function textInWords(expected: ExpectedText): string {
  return typeof expected === 'string' ? expected : `calls of ${expected.calls.join(', ')}`;
}

function cut(text: string | undefined): string | undefined {
  return text === undefined || text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}

function lengthOf(text: string | undefined): number | undefined {
  const length = text?.trim().length ?? 0;
  return length === 0 ? undefined : length;
}

function firstOf(list: unknown): unknown {
  return Array.isArray(list) ? (list[0] as unknown) : list;
}

/** Nodes of the type LLM_CALL that are no call, or one that is shown already. */
function callsTooMany({ calls, merges }: Expectation, shown: ShownRecording): Findings {
  const known = new Set(Object.keys(calls));
  const merged = new Set(merges.flatMap(({ spans }) => spans));
  return shown.graph.nodes
    .filter(({ type }) => type === 'LLM_CALL')
    .map((node) => ({ node, spans: spanIdsOf(node) }))
    .filter(({ spans }) => !spans.some((id) => known.has(id) || merged.has(id)))
    .map(({ node, spans }) => unwanted('details', spans[0] ?? node.id, 'LLM call', node.name));
}
