import { isObject } from '../../base/json.ts';
import { endOf } from '../../model/failure.ts';
import { startOf } from '../../model/in-time.ts';
import type { ExplanationNode } from '../../model/node.ts';
import type { NodeDetail } from '../../model/reader-messages.ts';
import { epochMs, toIso } from '../../model/time.ts';
import { THOUGHTFLOW } from '../../model/thoughtflow.ts';
import type { FlowItem } from './flow-item.ts';
import { provenanceItem, withPlaces } from './flow-provenance.ts';
import { conversationId, flowId, flowKind, type FlowPlan, type PlannedConversation } from './flow-plan.ts';

/** The fields of what came as ThoughtFlow, as they came, within what redaction left; undefined where they are not kept. */
export function sentItem({ node, attributes }: NodeDetail): FlowItem | undefined {
  if (flowKind(node) === undefined) return undefined;
  for (const own of Object.values(attributes ?? {})) {
    const item = own[THOUGHTFLOW.item];
    if (isObject(item)) return item;
  }
  return undefined;
}

/** The head of a conversation; its steps are written apart. @param idField by the era of its session */
export function conversationItem(
  planned: PlannedConversation,
  plan: FlowPlan,
  detail: NodeDetail | undefined,
  idField: 'conversation_id' | 'run_id',
): FlowItem {
  return { ...headItem(planned, detail, idField), ...dependsOn(outsideCauses(planned, plan)) };
}

/** What leads to a conversation that came as ThoughtFlow from other parts of the task: the format has no place for it. */
function outsideCauses({ head, isOwn }: PlannedConversation, plan: FlowPlan): readonly string[] {
  if (!isOwn) return [];
  const into = plan.into.get(head.id) ?? [];
  const session = into.find(({ from }) => plan.firstOf.get(from) === head.id)?.from;
  const ofSession = session === undefined ? [] : (plan.into.get(session) ?? []);
  const causes = [...into, ...ofSession].filter(({ evidence }) => evidence !== 'parentSpanId');
  return [...new Set(causes.flatMap(({ from }) => plan.nodes.get(from) ?? []).map(flowId))];
}

function headItem(
  planned: PlannedConversation,
  detail: NodeDetail | undefined,
  idField: 'conversation_id' | 'run_id',
): FlowItem {
  const { head, isOwn, steps } = planned;
  const sent = isOwn && detail ? sentItem(detail) : undefined;
  if (sent) return head.state === 'RUNNING' ? { status: 'in_progress', ...sent } : sent;
  const status = statusOf(head, steps);
  const end = [head, ...steps].reduce((latest, step) => Math.max(latest, endOf(step)), 0);
  const isRunning = status === 'in_progress';
  return {
    [idField]: conversationId(planned),
    title: head.title,
    agent: head.agent,
    status,
    started_at: head.timestamp,
    ...(!isRunning && { ended_at: toIso(epochMs(end)), duration_ms: durationOf(head, end) }),
  };
}

function durationOf(head: ExplanationNode, end: number): number {
  return head.latencyMs ?? Math.max(0, end - startOf(head));
}

export function statusOf(
  head: ExplanationNode,
  steps: readonly ExplanationNode[],
): 'in_progress' | 'error' | 'aborted' | 'completed' {
  const states = new Set([head, ...steps].map(({ state }) => state));
  if (states.has('RUNNING')) return 'in_progress';
  if (head.status === 'ERROR') return 'error';
  return head.state === 'ABANDONED' ? 'aborted' : 'completed';
}

const LABELS: Partial<Readonly<Record<ExplanationNode['type'], string>>> = {
  USER_QUERY: 'user_message',
  LLM_CALL: 'assistant_call',
  TOOL_CALL: 'tool_call',
  STATIC_ANALYSIS: 'tool_call',
  TEST_RUN: 'tool_call',
};

/** A step, whatever it came as. @param more steps that it depends on besides those of the graph */
export function stepItem(detail: NodeDetail, plan: FlowPlan, more: readonly string[] = []): FlowItem {
  const { node } = detail;
  const sent = sentItem(detail);
  const outside = causesOf(node, plan, sent !== undefined);
  if (sent) {
    const item = withPlaces(sent, detail);
    return outside.length === 0 ? item : { ...item, depends_on: oneOrAll([...sentIds(sent), ...outside]) };
  }
  const isOver = node.state !== 'RUNNING';
  return {
    step_id: flowId(node),
    label: labelOf(node),
    ...dependsOn([...outside, ...more]),
    started_at: node.timestamp,
    ...(isOver && { ended_at: toIso(epochMs(endOf(node))) }),
    ...(isOver && node.latencyMs !== undefined && { duration_ms: node.latencyMs }),
    ...(node.status !== 'OK' && { status: node.status.toLowerCase() }),
    ...payloadsOf(detail),
    source: sourceOf(node),
  };
}

export function labelOf(node: ExplanationNode): string {
  const own = node.details?.['flowLabel'];
  return typeof own === 'string' ? own : (LABELS[node.type] ?? 'generic');
}

function dependsOn(ids: readonly string[]): FlowItem {
  return ids.length === 0 ? {} : { depends_on: oneOrAll(ids) };
}

function oneOrAll(ids: readonly string[]): string | readonly string[] {
  return ids.length === 1 ? (ids[0] ?? '') : ids;
}

function sentIds({ depends_on: said }: FlowItem): readonly string[] {
  return [said]
    .flat()
    .filter((id) => typeof id === 'string' || typeof id === 'number')
    .map(String);
}

/** The ids of what led to a node; of a step that came as ThoughtFlow only what its sender cannot have named. */
function causesOf(node: ExplanationNode, plan: FlowPlan, isSent: boolean): readonly string[] {
  const ids = (plan.into.get(node.id) ?? []).flatMap(({ from, evidence }) => {
    const cause = plan.nodes.get(from);
    if (!cause) return [];
    const kind = flowKind(cause);
    if (isSent && kind !== undefined) return [];
    // A conversation holds its steps; nothing else says so.
    if (kind === 'conversation' && evidence === 'parentSpanId' && flowKind(node) === 'step') return [];
    return [flowId(cause)];
  });
  return [...new Set(ids)];
}

/** Where it comes from. */
function sourceOf({
  id,
  agent,
  type,
  details = {},
  tokensIn,
  tokensOut,
  costUsd,
}: ExplanationNode): FlowItem {
  const { traceId, spanId, spanIds, requestId, eventId } = details;
  const known = Object.entries({
    traceId,
    spanId,
    spanIds,
    requestId,
    eventId,
    tokensIn,
    tokensOut,
    costUsd,
  });
  return { nodeId: id, agent, type, ...Object.fromEntries(known.filter(([, value]) => value !== undefined)) };
}

function payloadsOf(detail: NodeDetail): FlowItem {
  const { node, texts = {} } = detail;
  const { prompt, completion, reasoning, toolArguments, toolResult, error } = texts;
  const failure = error === undefined ? undefined : { error };
  switch (labelOf(node)) {
    case 'user_message':
      return payloads({ text: prompt ?? node.promptSummary ?? node.title }, failure);
    case 'assistant_call':
      return payloads(
        { name: node.name, model: node.model, ...promptOf(detail) },
        { text: completion, reasoning, usage: usageOf(node), ...failure },
      );
    case 'tool_call':
      return payloads(
        { name: toolOf(node), args: parsed(toolArguments) },
        { output: parsed(toolResult ?? completion), ...failure },
      );
    default:
      return payloads(
        { name: node.name, title: node.title, prompt },
        { text: completion ?? reasoning, ...failure },
      );
  }
}

function promptOf(detail: NodeDetail): FlowItem {
  const provenance = provenanceItem(detail);
  return provenance ? { prompt_provenance: provenance } : { prompt: detail.texts?.prompt };
}

function payloads(started: FlowItem, completed: FlowItem = {}): FlowItem {
  const [before, after] = [started, completed].map((payload) =>
    Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined)),
  );
  return {
    payload_started: before,
    ...(Object.keys(after ?? {}).length > 0 && { payload_completed: after }),
  };
}

function toolOf({ name, details }: ExplanationNode): string {
  const tool = details?.['toolName'];
  return typeof tool === 'string' ? tool : name;
}

function usageOf({ tokensIn, tokensOut }: ExplanationNode): FlowItem | undefined {
  if (tokensIn === undefined && tokensOut === undefined) return undefined;
  const known = Object.entries({ input_tokens: tokensIn, output_tokens: tokensOut });
  return Object.fromEntries(known.filter(([, value]) => value !== undefined));
}

/** JSON as what it says, any other text as it is. */
function parsed(text: string | undefined): unknown {
  if (text === undefined || !/^\s{0,8}[[{"\d]/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
