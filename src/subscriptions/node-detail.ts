import { BoundaryError } from '../base/boundary-error.ts';
import type { StepTexts } from '../model/facts.ts';
import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';
import type { ViewSource } from './view-source.ts';
import { findSummary, summaryTask } from './expansion.ts';
import type { Page } from './parse-request.ts';
import type { NodeDetail } from '../model/reader-messages.ts';

/** What is kept beside the graph for a node. */
export interface SourceLookup {
  /** The texts and attributes of the records behind a node, outermost first. */
  sourcesOf(nodeId: string): readonly {
    readonly spanId?: string;
    readonly texts?: StepTexts;
    readonly attributes?: { readonly [key: string]: unknown };
  }[];
  /** The chain of thought behind a node, or what came as such: its answer, or what it was asked. */
  thoughtOf(nodeId: string): StepTexts;
}

/** A SUMMARY with a page of its members, or a notice. @throws BoundaryError NOT_FOUND */
export function summaryDetail(id: string, source: ViewSource, page: Page): NodeDetail {
  const { graph, folds } = source;
  const taskId = summaryTask(id, graph);
  const notice = taskId === undefined ? undefined : folds.foldOf(taskId).notice;
  if (notice?.id === id) return { node: notice };
  const group = findSummary(id, source);
  if (!group) throw new BoundaryError('NOT_FOUND', 'nodeId: no node with this id is known');
  const ids = group.members(page.offset, page.limit);
  const members = ids.map((member) => graph.node(member)).filter((member) => member !== undefined);
  const { summary, memberCount } = group;
  return { node: summary, memberCount, members, memberEdges: edgesAmong(ids, source) };
}

function edgesAmong(ids: readonly string[], source: ViewSource): ExplanationEdge[] {
  const inside = new Set(ids);
  return ids.flatMap((id) => source.graph.inEdges(id).filter((edge) => inside.has(edge.from)));
}

/** The texts of a node, as `nodeDetail` shows them. */
export function textsOf(nodeId: string, sources: SourceLookup): StepTexts {
  let texts: StepTexts = {};
  // The innermost record's texts win, as it saw the call itself.
  for (const found of sources.sourcesOf(nodeId)) texts = { ...texts, ...found.texts };
  return { ...texts, ...sources.thoughtOf(nodeId) };
}

/** One node with its texts. */
export function nodeDetail(node: ExplanationNode, sources: SourceLookup): NodeDetail {
  const texts = textsOf(node.id, sources);
  const attributes: { [spanId: string]: { readonly [key: string]: unknown } } = {};
  for (const found of sources.sourcesOf(node.id)) {
    if (found.attributes && found.spanId !== undefined) attributes[found.spanId] = found.attributes;
  }
  return {
    node,
    ...(Object.keys(texts).length > 0 && { texts }),
    ...(Object.keys(attributes).length > 0 && { attributes }),
  };
}
