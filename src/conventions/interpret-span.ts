import type { SpanFacts, StepFacts, StepTexts } from '../model/facts.ts';
import type { Details, SafeSpan } from './convention.ts';
import { derivedType } from './derived-types.ts';
import { type Draft, fill, newDraft } from './draft.ts';
import { failureOf, type Failure } from './failure.ts';
import { MAX_ERROR_CHARS, MAX_NAME_CHARS } from './limits.ts';
import { isSameModel } from '../model/model-name.ts';
import { plainAttributes } from './plain-attributes.ts';
import { firstId, text } from './read.ts';
import { Recogniser } from './recognise.ts';
import { CONVENTIONS } from './registry.ts';
import { toolOfSpanName, typeOfSpanName } from './span-name.ts';
import { conversation } from './task.ts';
import { clip, summarise } from './text.ts';

/** What a span means, and the long texts it brought: the latter go to the text store under the span's key. */
export interface InterpretedSpan {
  readonly facts: SpanFacts;
  readonly texts: {
    readonly texts?: StepTexts;
    /** The redacted attributes as they are, events under `events`. */
    readonly attributes?: { readonly [key: string]: unknown };
  };
}

const recogniser = new Recogniser(CONVENTIONS);

/** Reads a span by every convention it speaks. Never throws, whatever the attributes hold. */
export function interpretSpan(span: SafeSpan): InterpretedSpan {
  const spoken = recogniser.of(span);
  const draft = newDraft();
  for (const convention of spoken) fill(draft, convention.name, convention.interpret(span));
  if (spoken.length > 0) fillFromName(draft, span.name);
  refineToolCall(draft, span.name);
  const failure = failureOf(span);
  draft.texts.error ??= failure.error;
  const step = stepOf(draft, span, failure, spoken.map(nameOf));
  return { facts: factsOf(span, step), texts: sourceTexts(draft, span) };
}

function nameOf(convention: { readonly name: string }): string {
  return convention.name;
}

function fillFromName(draft: Draft, name: string): void {
  if (draft.type !== undefined) return;
  const guess = typeOfSpanName(name);
  if (guess !== undefined) {
    draft.type = guess.type;
    draft.container = guess.container ? true : undefined;
  } else if (draft.vaguelyContainer !== undefined) {
    draft.type = 'OTHER';
    draft.typeBy = draft.vaguelyContainer;
    draft.container = true;
  }
}

function refineToolCall(draft: Draft, spanName: string): void {
  if (draft.type !== 'TOOL_CALL') return;
  draft.details.toolName ??= toolOfSpanName(spanName);
  draft.type = derivedType(draft.details.toolName, draft.texts.toolArguments) ?? draft.type;
}

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };
type NodeDetails = Record<string, unknown>;

function stepOf(draft: Draft, span: SafeSpan, failure: Failure, conventions: readonly string[]): StepFacts {
  const details = boundedDetails(draft, failure);
  const step: Writable<StepFacts> = {
    status: span.status === 'ERROR' ? 'ERROR' : (draft.status ?? failure.status),
    details,
  };
  if (draft.type !== undefined) step.type = draft.type;
  const convention = draft.typeBy ?? conventions[0];
  if (convention !== undefined) step.convention = convention;
  if (conventions.length > 1) details['conventions'] = conventions;
  if (draft.agent !== undefined) step.agent = clip(draft.agent, MAX_NAME_CHARS);
  const serviceName = text(span.resource.attributes, 'service.name');
  if (serviceName !== undefined && !serviceName.startsWith('unknown_service'))
    step.serviceName = clip(serviceName, MAX_NAME_CHARS);
  if (draft.requestId !== undefined) step.requestId = clip(draft.requestId, MAX_NAME_CHARS);
  const task = draft.task ?? conversation(firstId(span.attributes, ['session.id']));
  if (task !== undefined) step.task = { id: clip(task.id, MAX_NAME_CHARS), rank: task.rank };
  const latencyMs = draft.latencyMs ?? span.durationMs;
  if (latencyMs !== undefined) step.latencyMs = latencyMs;
  const promptSummary = summarise(draft.promptSummary ?? draft.texts.prompt ?? draft.texts.reasoning);
  if (promptSummary !== undefined) step.promptSummary = promptSummary;
  if (promptSummary !== undefined && draft.promptSummary !== undefined) step.ownSummary = true;
  addModel(step, details, draft);
  addUsage(step, details, draft);
  return step;
}

/** The responding model is shown; the requested one only when it is another model, not another snapshot of it. */
function addModel(step: Writable<StepFacts>, details: NodeDetails, draft: Draft): void {
  const model = draft.responseModel ?? draft.requestModel;
  if (model === undefined) return;
  step.model = clip(model, MAX_NAME_CHARS);
  if (draft.responseModel !== undefined) details['responseModel'] = step.model;
  if (draft.requestModel !== undefined && !isSameModel(model, draft.requestModel))
    details['requestModel'] = clip(draft.requestModel, MAX_NAME_CHARS);
}

/**
 * A container's usage repeats what the calls inside it used, so it goes into `details.total…`: what stands in
 * `tokensIn`, `tokensOut` and `costUsd` can be added up over any set of nodes.
 */
function addUsage(step: Writable<StepFacts>, details: NodeDetails, draft: Draft): void {
  const { usage, costUsd } = draft;
  const tokensIn = inclusiveOfCache(draft);
  if (draft.container === true) {
    if (tokensIn !== undefined) details['totalTokensIn'] = tokensIn;
    if (usage.tokensOut !== undefined) details['totalTokensOut'] = usage.tokensOut;
    if (costUsd !== undefined) details['totalCostUsd'] = costUsd;
    return;
  }
  if (tokensIn !== undefined) step.tokensIn = tokensIn;
  if (usage.tokensOut !== undefined) step.tokensOut = usage.tokensOut;
  if (costUsd !== undefined) step.costUsd = costUsd;
  if (costUsd !== undefined) details['costSource'] = 'reported';
  else if (draft.type === 'LLM_CALL') details['costSource'] = 'unknown';
  if (usage.cacheReadTokens !== undefined) details['cacheReadTokens'] = usage.cacheReadTokens;
  if (usage.cacheWriteTokens !== undefined) details['cacheWriteTokens'] = usage.cacheWriteTokens;
  if (usage.reasoningTokens !== undefined) details['reasoningTokens'] = usage.reasoningTokens;
}

/** Most senders count the cache as part of the input. Where it is more than the input, this one didn't. */
function inclusiveOfCache({ usage }: Draft): number | undefined {
  if (usage.tokensIn === undefined) return undefined;
  const cached = (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0);
  return cached > usage.tokensIn ? usage.tokensIn + cached : usage.tokensIn;
}

/** Choices, finish reasons, tool calls: a handful in practice. */
const MAX_WORDS = 32;

/** What the conventions said, with every string and list bounded, for `details` and not yet with the rest. */
function boundedDetails(draft: Draft, failure: Failure): NodeDetails {
  const said = draft.details;
  said.errorType ??= failure.errorType;
  said.errorMessage ??= failure.errorMessage;
  const details: NodeDetails = {};
  for (const field in said) {
    const value = said[field as keyof Details];
    if (value === undefined || (draft.type !== 'LLM_CALL' && TURN_FIELDS.has(field))) continue;
    details[field] = typeof value === 'object' ? value.slice(0, MAX_WORDS).map(clipWord) : value;
    if (typeof value !== 'string') continue;
    details[field] = clip(value, field === 'errorMessage' ? MAX_ERROR_CHARS : MAX_NAME_CHARS);
  }
  return details;
}

/** A container repeats the calls of the model inside it; only the model's own turn asks for tools. */
const TURN_FIELDS = new Set<string>(['requestedToolCallIds', 'answeredToolCallIds']);

function clipWord(word: string): string {
  return clip(word, MAX_NAME_CHARS);
}

function factsOf(span: SafeSpan, step: StepFacts): SpanFacts {
  const facts: Writable<SpanFacts> = {
    kind: 'span',
    traceId: span.traceId,
    spanId: span.spanId,
    name: clip(span.name, MAX_NAME_CHARS),
    start: span.start,
    step,
  };
  if (span.parentSpanId !== undefined) facts.parentSpanId = span.parentSpanId;
  if (span.end !== undefined) facts.end = span.end;
  if (span.links.length > 0) facts.links = span.links.map(({ traceId, spanId }) => ({ traceId, spanId }));
  return facts;
}

const TEXT_FIELDS = ['prompt', 'completion', 'reasoning', 'toolArguments', 'toolResult', 'error'] as const;

function sourceTexts(draft: Draft, span: SafeSpan): InterpretedSpan['texts'] {
  const texts: Writable<StepTexts> = {};
  let any = false;
  for (const field of TEXT_FIELDS) {
    const value = draft.texts[field];
    if (value === undefined) continue;
    texts[field] = value;
    any = true;
  }
  const attributes = plainAttributes(span);
  if (!any) return attributes === undefined ? {} : { attributes };
  return attributes === undefined ? { texts } : { texts, attributes };
}
