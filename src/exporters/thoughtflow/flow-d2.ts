import { duration } from '../../model/figures.ts';
import type { ExplanationGraph, ExplanationNode } from '../../model/node.ts';
import { firstLine } from '../../model/one-line.ts';
import { quoted, quotedTooltip } from '../d2-text.ts';
import { nodeUi } from '../ui-hints.ts';
import { labelOf, statusOf } from './flow-items.ts';
import {
  conversationId,
  flowId,
  flowKind,
  planFlow,
  type FlowPlan,
  type PlannedConversation,
} from './flow-plan.ts';

/** Longer texts make shapes that nobody reads: in the picture of a session, and of one conversation. */
const SNIPPET_CHARS = 60;
const DETAILED_SNIPPET_CHARS = 200;

export interface FlowD2Options {
  readonly taskId: string;
  /** Where links lead: `http://host:port`; empty for links within one host. */
  readonly base: string;
  /** The place of one conversation in `planFlow`; absent: all of them. */
  readonly conversation?: number | undefined;
}

/** A task in the language D2: a container for each conversation, a shape for each step, a connection for each edge. */
export function* flowD2(
  graph: Pick<ExplanationGraph, 'nodes' | 'edges'>,
  { taskId, base, conversation }: FlowD2Options,
): Generator<string, void> {
  const plan = planFlow(graph);
  const isWhole = conversation === undefined;
  const shown = plan.conversations
    .map((planned, index) => ({ planned, index }))
    .filter(({ index }) => isWhole || index === conversation);
  // A line that begins with two slashes is a shape to D2.
  yield `# session: ${firstLine(taskId, SNIPPET_CHARS)
    .replace(/\p{Cc}/gu, ' ')
    .toWellFormed()}\n`;
  yield 'direction: down\n';
  yield CLASSES;
  const places = new Map<string, string>();
  for (const { planned, index } of shown) {
    const frame = `run_${index + 1}`;
    yield `${frame}: ${frameLabel(planned, index)} {\n  class: runbox\n`;
    if (isWhole) yield `  link: ${quoted(`${base}${conversationPath(taskId, planned, 'd2')}`)}\n`;
    yield `  tooltip: ${quotedTooltip(frameTooltip(planned))}\n`;
    if (planned.isOwn) places.set(planned.head.id, frame);
    for (const [place, node] of planned.steps.entries()) {
      const name = `s${place + 1}`;
      places.set(node.id, `${frame}.${name}`);
      yield `  ${name}: ${shape(node, place + 1, isWhole ? SNIPPET_CHARS : DETAILED_SNIPPET_CHARS, { taskId, base })}\n`;
    }
    yield '}\n';
  }
  // A session has no shape: what leads to it leads to its first conversation.
  for (const [session, first] of plan.firstOf) {
    const place = places.get(first);
    if (place !== undefined) places.set(session, place);
  }
  yield* connections(graph, plan, places);
}

const CLASSES = `classes: {
  runbox: {style: {fill: "#f6f7fb"; stroke: "#9aa3b5"; border-radius: 8}}
  user: {style: {fill: "#e7f0ff"; stroke: "#2f6fde"; border-radius: 6}}
  assistant: {style: {fill: "#e9f8ee"; stroke: "#2b8a4b"; border-radius: 6}}
  assistantcall: {style: {fill: "#f3ecff"; stroke: "#7446c9"; border-radius: 6}}
  tool: {style: {fill: "#fff6e0"; stroke: "#b7791f"; border-radius: 6}}
  toolout: {style: {fill: "#fffaf0"; stroke: "#b7791f"; border-radius: 6; stroke-dash: 3}}
  snapshot: {style: {fill: "#f2f4f7"; stroke: "#667085"; border-radius: 6; stroke-dash: 3}}
  error: {style: {fill: "#ffe9ea"; stroke: "#b42318"; border-radius: 6}}
  other: {style: {fill: "#ffffff"; stroke: "#475467"; border-radius: 6}}
}
`;

/** Half of a character has no code. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** The path under which one conversation is read. */
export function conversationPath(
  taskId: string,
  planned: PlannedConversation,
  extension: 'json' | 'd2',
): string {
  return `/thoughtflow/${encoded(taskId)}.${encoded(conversationId(planned))}.${extension}`;
}

function frameLabel(planned: PlannedConversation, index: number): string {
  const { head, steps } = planned;
  const took = head.latencyMs === undefined ? '' : `, ${duration(head.latencyMs)}`;
  return quoted(
    `Conversation ${index + 1} — ${sentStatus(head) ?? statusOf(head, steps).replace('_', ' ')}${took}`,
  );
}

function sentStatus({ details }: ExplanationNode): string | undefined {
  const status = details?.['originalStatus'];
  return typeof status === 'string' ? status : undefined;
}

function frameTooltip({ head, isOwn }: PlannedConversation): string {
  return `${isOwn ? flowId(head) : head.title}\n${nodeUi(head).tooltip}\n${idsOf(head)}`;
}

function shape(
  node: ExplanationNode,
  number: number,
  snippetChars: number,
  { taskId, base }: FlowD2Options,
): string {
  const took = node.latencyMs === undefined ? '' : ` (${duration(node.latencyMs)})`;
  const label = `${number}. ${firstLine(labelOf(node), SNIPPET_CHARS)}${took}\n${firstLine(node.title, snippetChars)}\n${firstLine(flowId(node), SNIPPET_CHARS)}`;
  const link = `${base}/t/${encoded(taskId)}?sel=${encoded(node.id)}`;
  const tooltip = `${nodeUi(node).tooltip}\n${idsOf(node)}`;
  return `${quoted(label)} {class: ${classOf(node)}; tooltip: ${quotedTooltip(tooltip)}; link: ${quoted(link)}}`;
}

/** By what the node is found in logs and traces. */
function idsOf({ id, details = {} }: ExplanationNode): string {
  const { traceId, spanId, requestId, eventId } = details;
  const known = Object.entries({
    node: id,
    trace: traceId,
    span: spanId,
    request: requestId,
    event: eventId,
  });
  return known.flatMap(([name, value]) => (typeof value === 'string' ? [`${name} ${value}`] : [])).join('\n');
}

function classOf(node: ExplanationNode): string {
  const label = labelOf(node);
  if (node.status === 'ERROR' || label === 'tool_error') return 'error';
  switch (label) {
    case 'user_message':
      return 'user';
    case 'assistant_message':
      return 'assistant';
    case 'assistant_call':
      return 'assistantcall';
    case 'tool_call':
      return 'tool';
    case 'tool_output':
      return 'toolout';
    default:
      return /[.](?:snapshot|preamble|adaptations|context)\b/.test(label) ? 'snapshot' : 'other';
  }
}

/** Those that say more than that a step is in its conversation. */
function* connections(
  { edges }: Pick<ExplanationGraph, 'edges'>,
  { nodes }: FlowPlan,
  places: ReadonlyMap<string, string>,
): Generator<string, void> {
  for (const { from, to, relation, evidence } of edges) {
    const [a, b] = [nodes.get(from), nodes.get(to)];
    const [place, target] = [places.get(from), places.get(to)];
    if (!a || !b || place === undefined || target === undefined) continue;
    const isOwn = flowKind(a) !== undefined && flowKind(b) !== undefined;
    // Between steps that came as ThoughtFlow, what their sender said leads from one to the other.
    if (isOwn && evidence !== 'dependsOn' && evidence !== 'inferred') continue;
    const words = relation === 'NEXT_STEP' ? '' : `: ${quoted(relation.toLowerCase().replaceAll('_', ' '))}`;
    const dashes = evidence === 'inferred' ? `${words === '' ? ':' : words} {style.stroke-dash: 4}` : words;
    yield `${place} -> ${target}${dashes}\n`;
  }
}
