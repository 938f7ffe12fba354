import { BoundaryError } from '../base/boundary-error.ts';
import type { StepTexts } from '../model/facts.ts';
import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';
import type { ViewSource } from './compute-view.ts';
import { summaryTask } from './expansion.ts';
import type { NodeDetail } from '../model/reader-messages.ts';

/** What is kept beside the graph for a node. */
export interface SourceLookup {
  /** The texts and attributes of the records behind a node, outermost first. */
  sourcesOf(nodeId: string): readonly {
    readonly spanId?: string;
    readonly texts?: StepTexts;
    readonly attributes?: { readonly [key: string]: unknown };
  }[];
  /** The chain of thought behind a node. */
  thoughtOf(nodeId: string): string | undefined;
}

/** One node with its texts, or a SUMMARY with its members. @throws BoundaryError NOT_FOUND */
export function nodeDetail(id: string, source: ViewSource, sources: SourceLookup): NodeDetail {
  const node = source.graph.node(id);
  if (node) return withTexts(node, sources);
  const taskId = summaryTask(id, source.graph);
  const fold = taskId === undefined ? undefined : source.foldOf(taskId);
  if (fold?.notice?.id === id) return { node: fold.notice };
  const group = fold?.groups.get(id);
  if (!group) throw new BoundaryError('NOT_FOUND', 'nodeId: no node with this id is in memory');
  const members = group.members
    .map((member) => source.graph.node(member))
    .filter((member) => member !== undefined);
  members.sort((a, b) =>
    a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : a.id < b.id ? -1 : 1,
  );
  return { node: group.summary, members, memberEdges: edgesAmong(group.members, source) };
}

function edgesAmong(ids: readonly string[], source: ViewSource): ExplanationEdge[] {
  const inside = new Set(ids);
  return ids.flatMap((id) => source.graph.inEdges(id).filter((edge) => inside.has(edge.from)));
}

function withTexts(node: ExplanationNode, sources: SourceLookup): NodeDetail {
  let texts: StepTexts = {};
  const attributes: { [spanId: string]: { readonly [key: string]: unknown } } = {};
  for (const found of sources.sourcesOf(node.id)) {
    // The innermost record's texts win, as it saw the call itself.
    texts = { ...texts, ...found.texts };
    if (found.attributes && found.spanId !== undefined) attributes[found.spanId] = found.attributes;
  }
  const thought = sources.thoughtOf(node.id);
  if (thought !== undefined && thought !== '') texts = { ...texts, reasoning: thought };
  return {
    node,
    ...(Object.keys(texts).length > 0 && { texts }),
    ...(Object.keys(attributes).length > 0 && { attributes }),
  };
}
