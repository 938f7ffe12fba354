import { BoundaryError } from '../../base/boundary-error.ts';
import { atOnce, NEVER_OVER } from '../../base/in-turns.ts';
import { isObject } from '../../base/json.ts';
import type { StepTexts } from '../../model/facts.ts';
import {
  EDGE_RELATIONS,
  EVIDENCE,
  NODE_STATUSES,
  NODE_TYPES,
  type ExplanationEdge,
  type ExplanationGraph,
  type ExplanationNode,
} from '../../model/node.ts';
import type { NodeDetail } from '../../model/reader-messages.ts';
import { ToldGraph } from '../../model/told-graph.ts';
import type { Bounds } from '../bounds.ts';
import { boundObject } from '../bounded-values.ts';
import { splitEvents } from './split-events.ts';

/** A task that a service like this one told as a run of AG-UI. */
export interface ToldTask {
  readonly graph: ExplanationGraph;
  readonly details: readonly NodeDetail[];
  readonly events: number;
}

type Fields = { readonly [field: string]: unknown };

const GRAPH_UPDATE = 'explain.graph_update';
const STATES = ['RUNNING', 'ENDED', 'ABANDONED'];

/**
 * Reads back what `POST /ag-ui/run` told: the graph of its CUSTOM events, with the texts of its messages. undefined for any
 * other stream, and for a part of one.
 * @param taskId of all nodes, where the sender names one
 */
export function toldTask(
  body: Buffer,
  contentType: string | undefined,
  bounds: Bounds,
  taskId: string | undefined,
): ToldTask | undefined {
  if (!body.includes(GRAPH_UPDATE)) return undefined;
  const events = eventsOf(body, contentType);
  const [first] = events;
  if (first?.['type'] !== 'RUN_STARTED' || typeof explainOf(first)['taskId'] !== 'string') return undefined;
  const told = new ToldGraph();
  for (const event of events) {
    const { value } = event;
    if (event['type'] !== 'CUSTOM' || event['name'] !== GRAPH_UPDATE || !isObject(value)) continue;
    told.apply({
      addedNodes: listOf(value, 'addedNodes')
        .map((node) => boundObject(node, bounds) as unknown)
        .filter(isNode)
        .map((node) => (taskId === undefined ? node : { ...node, taskId })),
      addedEdges: (listOf(value, 'addedEdges') as readonly unknown[]).filter(isEdge),
      removedNodeIds: Array.isArray(value['removedNodeIds']) ? value['removedNodeIds'] : [],
      removedEdgeIds: listOf(value, 'removedEdgeIds').map(({ id }) => id),
    });
  }
  const graph = told.graph();
  if (graph.nodes.length === 0) return undefined;
  const texts = textsOf(events);
  const details = graph.nodes.map((node) => {
    const said = texts.get(node.id);
    return said ? { node, texts: boundObject(said, bounds) } : { node };
  });
  return { graph, details, events: events.length };
}

/** None where the body can't be read: whoever reads it next says why. */
function eventsOf(body: Buffer, contentType: string | undefined): readonly Fields[] {
  try {
    return atOnce(splitEvents(body, contentType, NEVER_OVER)).flatMap((item) =>
      'value' in item && isObject(item.value) ? [item.value] : [],
    );
  } catch (error) {
    if (error instanceof BoundaryError) return [];
    throw error;
  }
}

/** What was said of each node, put together. */
function textsOf(events: readonly Fields[]): ReadonlyMap<string, StepTexts> {
  const texts = new Map<string, { [field in keyof StepTexts]?: string }>();
  const places = new Map<unknown, readonly [nodeId: string, field: keyof StepTexts]>();
  const begin = (id: unknown, event: Fields, field: keyof StepTexts): void => {
    const { id: nodeId, replaces } = explainOf(event);
    if (typeof nodeId !== 'string') return;
    places.set(id, [nodeId, field]);
    if (replaces !== undefined) texts.set(nodeId, { ...texts.get(nodeId), [field]: '' });
  };
  const add = (id: unknown, text: unknown): void => {
    const [nodeId, field] = places.get(id) ?? [];
    if (nodeId === undefined || field === undefined || typeof text !== 'string') return;
    const held = texts.get(nodeId) ?? {};
    texts.set(nodeId, { ...held, [field]: (held[field] ?? '') + text });
  };
  for (const event of events) {
    const { messageId, toolCallId, delta, content, role } = event;
    if (event['type'] === 'REASONING_MESSAGE_START') begin(messageId, event, 'reasoning');
    if (event['type'] === 'TEXT_MESSAGE_START')
      begin(messageId, event, role === 'user' ? 'prompt' : 'completion');
    if (event['type'] === 'TOOL_CALL_START') begin(toolCallId, event, 'toolArguments');
    if (event['type'] === 'TOOL_CALL_RESULT') {
      const { id: nodeId, ...explain } = explainOf(event);
      if (typeof nodeId === 'string' && typeof content === 'string')
        texts.set(nodeId, { ...texts.get(nodeId), ...resultOf(content, explain) });
    } else add(messageId ?? toolCallId, delta);
  }
  return texts;
}

/** Where a call failed without a result, its failure was told in its place. */
function resultOf(content: string, { status, title, error }: Fields): StepTexts {
  if (status !== 'ERROR') return content === '' ? {} : { toolResult: content };
  if (typeof error === 'string' && content.startsWith(error)) return { error: content };
  return content === title ? {} : { toolResult: content };
}

function explainOf({ metadata }: Fields): Fields {
  const explain = isObject(metadata) ? metadata['explain'] : undefined;
  return isObject(explain) ? explain : {};
}

function isNode(value: unknown): value is ExplanationNode {
  if (!isObject(value) || !hasTexts(value, 'id', 'timestamp', 'agent', 'name', 'title', 'taskId'))
    return false;
  const { type, status, state, details } = value;
  const isKnown = isOneOf(NODE_TYPES, type) && isOneOf(NODE_STATUSES, status) && isOneOf(STATES, state);
  const figures = ['tokensIn', 'tokensOut', 'latencyMs', 'costUsd'].map((name) => value[name]);
  const areFigures = figures.every((figure) => figure === undefined || Number.isFinite(figure));
  return isKnown && areFigures && (details === undefined || isObject(details));
}

function isEdge(value: unknown): value is ExplanationEdge {
  if (!isObject(value) || !hasTexts(value, 'id', 'from', 'to')) return false;
  return isOneOf(EDGE_RELATIONS, value['relation']) && isOneOf(EVIDENCE, value['evidence']);
}

function hasTexts(value: Fields, ...names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === 'string');
}

function isOneOf(names: readonly string[], value: unknown): boolean {
  return typeof value === 'string' && names.includes(value);
}

function listOf(value: Fields, name: string): readonly Fields[] {
  const list = value[name];
  return Array.isArray(list) ? (list as readonly unknown[]).filter(isObject) : [];
}
