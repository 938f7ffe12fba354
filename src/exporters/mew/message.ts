import { hash } from 'node:crypto';
import type { JsonObject } from '../../base/json.ts';
import type { StepTexts } from '../../model/facts.ts';
import { MEW_PROTOCOL, TOLD } from '../../model/mew.ts';
import type { ExplanationNode } from '../../model/node.ts';
import { epochMs, toIso } from '../../model/time.ts';

/** A message of MEW that tells of a step. */
export interface MewMessage {
  readonly protocol: typeof MEW_PROTOCOL;
  readonly id: string;
  readonly ts: string;
  readonly from: string;
  readonly to?: readonly string[];
  readonly kind: string;
  readonly correlation_id?: readonly string[];
  readonly context?: string;
  readonly payload: JsonObject;
}

/** What is said of a step, beside when and in which context. */
export interface Said {
  readonly id: string;
  readonly at: number;
  readonly from: string;
  readonly to?: readonly string[];
  readonly kind: string;
  readonly answers?: readonly string[];
  readonly context: readonly string[];
  readonly payload: JsonObject;
}

export function messageOf({ id, at, from, to, kind, answers = [], context, payload }: Said): MewMessage {
  return {
    protocol: MEW_PROTOCOL,
    id,
    ts: toIso(epochMs(at)),
    from,
    ...(to !== undefined && { to }),
    kind,
    ...(answers.length > 0 && { correlation_id: answers }),
    ...(context.length > 0 && { context: context.join('/') }),
    payload,
  };
}

/** A function of the node alone: whoever refers to it knows the id, whether it was said or not. */
export function stepMessageId(nodeId: string): string {
  return idOf(['node', nodeId]);
}

export function taskMessageId(taskId: string): string {
  return idOf(['task', taskId]);
}

/** Of the message that says that it is over, or what a tool answered. */
export function endMessageId(messageId: string): string {
  return `${messageId}-end`;
}

function idOf(of: readonly string[]): string {
  return `ex-${hash('sha256', JSON.stringify(of), 'hex').slice(0, 24)}`;
}

/** One message of a space is read by people; what is longer stands in the service that tells of it. */
const MAX_MESSAGE_CHARS = 64 * 1024;

/** What a step says in words; redacted as everything that readers see. */
export function wordsOf({ type, promptSummary, title }: ExplanationNode, texts: StepTexts): string {
  const { prompt, completion, reasoning, toolResult, error } = texts;
  const said =
    type === 'USER_QUERY'
      ? prompt
      : type === 'LLM_CALL'
        ? (completion ?? reasoning)
        : (reasoning ?? completion ?? toolResult);
  return bounded(said ?? error ?? promptSummary ?? title);
}

/** What a step that contains others sets out to do. */
export function aimOf({ promptSummary, title }: ExplanationNode, texts: StepTexts): string {
  return bounded(texts.toolArguments ?? texts.reasoning ?? texts.prompt ?? promptSummary ?? title);
}

/** What came of it. */
export function resultOf(texts: StepTexts): string | undefined {
  const said = texts.completion ?? texts.toolResult;
  return said === undefined ? undefined : bounded(said);
}

export function bounded(text: string): string {
  return text.length <= MAX_MESSAGE_CHARS ? text : text.slice(0, MAX_MESSAGE_CHARS).toWellFormed();
}

/** What else is known of a step, for whoever reads its message as a step again. */
export function toldOf(node: ExplanationNode): JsonObject {
  return {
    [TOLD.node]: node.id,
    [TOLD.task]: node.taskId,
    [TOLD.type]: node.type,
    [TOLD.name]: node.name,
    [TOLD.agent]: node.agent,
    ...figuresOf(node),
  };
}

/** What is known of it when it is over. */
export function figuresOf(node: ExplanationNode): JsonObject {
  const figures = {
    [TOLD.status]: node.status,
    [TOLD.model]: node.model,
    [TOLD.tokensIn]: node.tokensIn,
    [TOLD.tokensOut]: node.tokensOut,
    [TOLD.costUsd]: node.costUsd,
    [TOLD.latencyMs]: node.latencyMs,
  };
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== undefined));
}
