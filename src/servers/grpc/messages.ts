import type { CompareAnswer } from '../../model/compare.ts';
import type { ExplanationGraph, ExplanationNode, GraphUpdate } from '../../model/node.ts';
import type { NodeDetail } from '../../model/reader-messages.ts';
import type { WhyAnswer } from '../../model/why.ts';
import { givenFields } from '../../base/given-fields.ts';
import { toStruct } from '../../base/struct.ts';

/**
 * Our shapes as messages of explain.proto and back. The names are the same on both sides (see load-proto.ts),
 * so only what protobuf can't say directly is turned: free JSON, and lists that may be absent.
 */

export function nodeMessage(node: ExplanationNode): object {
  const { details, ui } = node;
  if (details === undefined && ui === undefined) return node;
  return {
    ...node,
    ...(details && { details: toStruct(details) }),
    ...(ui && { ui: { ...ui, metadata: toStruct(ui.metadata) } }),
  };
}

export function graphMessage(graph: ExplanationGraph): object {
  return { ...graph, nodes: graph.nodes.map(nodeMessage) };
}

export function updateMessage({ notices, ...update }: GraphUpdate): object {
  return {
    ...update,
    addedNodes: update.addedNodes.map(nodeMessage),
    ...(notices && { notices: { texts: notices } }),
  };
}

export function nodeDetailMessage({ node, attributes, members, ...rest }: NodeDetail): object {
  const spans = Object.entries(attributes ?? {}).map(
    ([spanId, values]) => [spanId, toStruct(values)] as const,
  );
  return {
    ...rest,
    node: nodeMessage(node),
    attributes: Object.fromEntries(spans),
    members: (members ?? []).map(nodeMessage),
  };
}

export function whyMessage(answer: WhyAnswer): object {
  return { ...answer, graph: graphMessage(answer.graph) };
}

export function compareMessage(answer: CompareAnswer): object {
  return { ...answer, nodes: answer.nodes.map(nodeMessage) };
}

type Fields = Readonly<Record<string, unknown>>;

export interface GraphRequestMessage {
  /** Lists are always there, other fields only when they were sent. */
  readonly filters?: Fields;
  readonly collapse?: string;
  readonly include?: readonly string[];
}

export interface SubscribeMessage extends GraphRequestMessage {
  readonly subscriptionId?: string;
  readonly resumeFrom?: number;
  readonly requestId?: string;
  readonly opened?: readonly Fields[];
}

/**
 * Plain objects, for `ReaderApi` to check. A list that was not sent arrives empty: it means no filter. `filters` is
 * absent when it was not sent: a resumed subscription keeps its own.
 */
export function graphRequestOf({ filters, collapse, include }: GraphRequestMessage): Fields {
  return givenFields({ filters: filters && givenFields(filters), collapse, include });
}

export function subscribeRequestOf(message: SubscribeMessage): Fields {
  const { subscriptionId, resumeFrom, opened } = message;
  return { ...graphRequestOf(message), ...givenFields({ subscriptionId, resumeFrom, opened }) };
}
