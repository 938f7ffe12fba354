import type { SpanFacts, StepFacts } from '../model/facts.ts';
import type { OpenSpan, SafeSpan } from './convention.ts';
import type { TypeRule } from './derived-types.ts';
import { type Draft, newDraft } from './draft.ts';
import { fill } from './fill-draft.ts';
import { failureOf } from './failure.ts';
import { dropWithheld, refineType, stepOf, textsOf } from './finish-step.ts';
import type { InterpretedSpan } from './interpreted-span.ts';
import { linkEdge } from './link-edge.ts';
import { plainAttributes } from './plain-attributes.ts';
import { Recogniser } from './recognise.ts';
import { CONVENTIONS } from './registry.ts';
import { retoldSpan } from './retold.ts';
import { toolOfSpanName, typeOfSpanName } from './span-name.ts';
import { MAX_NAME_CHARS, clip } from '../model/one-line.ts';
import { unwrapArguments } from './tool-arguments.ts';
import { toolMessage } from './tool-message.ts';

export interface InterpreterOptions {
  /** The user's own rules for types, before the built-in ones (type-rules.ts). */
  readonly typeRules?: readonly TypeRule[] | undefined;
}

const recogniser = new Recogniser(CONVENTIONS);

export type InterpretSpan = (span: SafeSpan) => InterpretedSpan;

/** Reads a span by every convention it speaks. Never throws, whatever the attributes hold. */
export function createInterpreter({ typeRules = [] }: InterpreterOptions = {}): InterpretSpan {
  return (span) => interpret(span, typeRules);
}

/** By the built-in rules alone. */
export const interpretSpan: InterpretSpan = createInterpreter();

function interpret(span: SafeSpan, typeRules: readonly TypeRule[]): InterpretedSpan {
  const retold = retoldSpan(span);
  if (retold !== undefined) return retold;
  const { conventions, names, asides } = recogniser.of(span);
  const draft = newDraft();
  for (const convention of conventions) fill(draft, convention.name, convention.interpret(span));
  for (const aside of asides) fill(draft, aside.name, aside.interpret(span));
  if (conventions.length > 0) fillFromName(draft, span.name);
  if (draft.type === 'TOOL_CALL') fillTool(draft, span.name);
  refineType(draft, span.name, typeRules);
  const failure = failureOf(span);
  draft.texts.error ??= failure.error;
  dropWithheld(draft);
  const step = stepOf(draft, span, failure, names);
  const facts =
    draft.announces === undefined
      ? factsOf(span, step, draft.name)
      : announced(span, step, draft.announces, draft.name);
  const texts = sourceTexts(draft, span);
  return draft.ancestors === undefined
    ? { facts, texts }
    : { facts, texts, implied: draft.ancestors.map((ancestor) => impliedBy(span, ancestor)) };
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

/** A weaker convention may take a tool's arguments and result for a prompt and its answer. */
function fillTool({ details, texts }: Draft, spanName: string): void {
  details.toolName ??= toolOfSpanName(spanName);
  texts.toolArguments ??= texts.prompt;
  texts.toolResult ??= texts.completion;
  texts.prompt = undefined;
  texts.completion = undefined;
  if (texts.toolArguments === undefined) return;
  const { text, callId } = unwrapArguments(texts.toolArguments);
  texts.toolArguments = text;
  details.toolCallId ??= callId;
  const result = toolMessage(texts.toolResult);
  details.toolCallId ??= result?.callId;
  texts.toolResult = result?.content ?? texts.toolResult;
}

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

function factsOf(span: SafeSpan, step: StepFacts, name = span.name): SpanFacts {
  const facts: Writable<SpanFacts> = {
    kind: 'span',
    traceId: span.traceId,
    spanId: span.spanId,
    name: clip(name, MAX_NAME_CHARS),
    start: span.start,
    step,
  };
  if (span.parentSpanId !== undefined) facts.parentSpanId = span.parentSpanId;
  if (span.end !== undefined) facts.end = span.end;
  if (span.links.length > 0) facts.links = span.links.map(linkEdge);
  return facts;
}

/** The record of a span that was opened: it has no end and no duration yet. */
function announced(span: SafeSpan, step: StepFacts, open: OpenSpan, name?: string): SpanFacts {
  const { latencyMs: _, ...known } = step;
  const facts: Writable<SpanFacts> = { ...factsOf(span, known, name), spanId: open.spanId };
  delete facts.end;
  delete facts.parentSpanId;
  if (open.parentSpanId !== undefined) facts.parentSpanId = open.parentSpanId;
  return facts;
}

function impliedBy(span: SafeSpan, open: OpenSpan): SpanFacts {
  const facts: Writable<SpanFacts> = {
    kind: 'span',
    implied: true,
    traceId: span.traceId,
    spanId: open.spanId,
    name: clip(open.name ?? 'open span', MAX_NAME_CHARS),
    start: span.start,
    step: { status: 'OK', details: {} },
  };
  if (open.parentSpanId !== undefined) facts.parentSpanId = open.parentSpanId;
  return facts;
}

function sourceTexts(draft: Draft, span: SafeSpan): InterpretedSpan['texts'] {
  const texts = textsOf(draft);
  const attributes = plainAttributes(span);
  if (texts === undefined) return attributes === undefined ? {} : { attributes };
  return attributes === undefined ? { texts } : { texts, attributes };
}
