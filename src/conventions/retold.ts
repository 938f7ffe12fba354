import { isObject } from '../base/json.ts';
import type { RetoldNode, SpanFacts, StepFacts, StepTexts } from '../model/facts.ts';
import { NODE_STATES, NODE_STATUSES, NODE_TYPES, type NodeType } from '../model/node.ts';
import { clip, MAX_NAME_CHARS, MAX_SUMMARY_CHARS } from '../model/one-line.ts';
import { isRetoldKey, NODE, TEXT_NAMES, TEXT_PREFIX } from '../model/retold.ts';
import { titleLine } from '../model/title.ts';
import type { SafeSpan } from './convention.ts';
import type { InterpretedSpan } from './interpreted-span.ts';
import { linkEdge } from './link-edge.ts';
import { plainAttributes } from './plain-attributes.ts';
import { count, costOf, durationOf, oneOf, text } from './read.ts';

/** As long as ids can be. */
const MAX_ID_CHARS = 1000;

/**
 * A node as another service, or a replay, tells of it (`exporters/otlp`): undefined for every other span. What it is, and
 * what led to it, is what the span says, so that both services show the same graph.
 */
export function retoldSpan(span: SafeSpan): InterpretedSpan | undefined {
  const retold = retoldNode(span);
  const type = oneOf(NODE_TYPES, span.attributes.get(NODE.type));
  // A summary is made by who shows a graph, and stands for nodes that are told of themselves.
  if (retold === undefined || type === undefined || type === 'SUMMARY') return undefined;
  const links = span.links.map(linkEdge);
  const facts: SpanFacts = {
    kind: 'span',
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId !== undefined && { parentSpanId: span.parentSpanId }),
    name: clip(span.name, MAX_NAME_CHARS),
    start: span.start,
    ...(span.end !== undefined && retold.state === 'ENDED' && { end: span.end }),
    ...(links.length > 0 && { links }),
    step: stepOf(span, type, retold),
  };
  return { facts, texts: textsOf(span) };
}

function retoldNode({ attributes, end }: SafeSpan): RetoldNode | undefined {
  const nodeId = text(attributes, NODE.id);
  if (nodeId === undefined || nodeId.length > MAX_ID_CHARS) return undefined;
  const state = oneOf(NODE_STATES, attributes.get(NODE.state));
  return { nodeId, state: state ?? (end === undefined ? 'RUNNING' : 'ENDED') };
}

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

function stepOf({ attributes: a, status }: SafeSpan, type: NodeType, retold: RetoldNode): StepFacts {
  const details = a.get(NODE.details);
  const step: Writable<StepFacts> = {
    type,
    status: oneOf(NODE_STATUSES, a.get(NODE.status)) ?? (status === 'ERROR' ? 'ERROR' : 'OK'),
    details: isObject(details) ? details : {},
    retold,
  };
  const agent = text(a, NODE.agent);
  if (agent !== undefined) step.agent = clip(agent, MAX_NAME_CHARS);
  const taskId = text(a, NODE.taskId);
  if (taskId !== undefined && taskId.length <= MAX_ID_CHARS) step.task = { id: taskId, rank: 0, own: true };
  const model = text(a, NODE.model);
  if (model !== undefined) step.model = clip(model, MAX_NAME_CHARS);
  const promptSummary = text(a, NODE.promptSummary);
  if (promptSummary !== undefined) step.promptSummary = clip(promptSummary, MAX_SUMMARY_CHARS);
  const title = titleLine(text(a, NODE.title));
  if (title !== undefined) step.title = title;
  addFigures(step, {
    tokensIn: count(a, NODE.tokensIn),
    tokensOut: count(a, NODE.tokensOut),
    latencyMs: durationOf(a.get(NODE.latencyMs)),
    costUsd: costOf(a.get(NODE.costUsd)),
  });
  return step;
}

type Figures = 'tokensIn' | 'tokensOut' | 'latencyMs' | 'costUsd';

function addFigures(step: Writable<StepFacts>, said: { readonly [F in Figures]: number | undefined }): void {
  for (const field of ['tokensIn', 'tokensOut', 'latencyMs', 'costUsd'] as const) {
    const value = said[field];
    if (value !== undefined) step[field] = value;
  }
}

/** Its texts are told under their names; its attributes are those that the node had before. */
function textsOf(span: SafeSpan): InterpretedSpan['texts'] {
  const texts: Writable<StepTexts> = {};
  for (const name of TEXT_NAMES) {
    const value = text(span.attributes, TEXT_PREFIX + name);
    if (value !== undefined) texts[name] = value;
  }
  const own = [...span.attributes].filter(([key]) => !isRetoldKey(key));
  const attributes = plainAttributes({ ...span, attributes: new Map(own) });
  return { ...(Object.keys(texts).length > 0 && { texts }), ...(attributes && { attributes }) };
}
