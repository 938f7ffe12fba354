import type { GraphReader } from '../graph/graph-reader.ts';
import type { ExplanationGraph, ExplanationNode } from '../model/node.ts';
import { CAUSE_RULES, type CauseCandidate, type CauseReason, type WhyAnswer } from '../model/why.ts';
import {
  type Finding,
  firstError,
  modelChange,
  nearestCall,
  outlier,
  precedingCall,
  type Question,
  questionAbout,
  repeatedAttempt,
} from './cause-rules.ts';

const NOTICE =
  'Candidates by stated rules, in order: where to look first, no verdict. The graph shows what led where; ' +
  'whether a step was wrong is for its reader to say.';

/**
 * "Show me why this failed": the way back from a node and the steps that may have caused what is seen there.
 * A function of the graph alone: no clock, no chance, no order of arrival.
 */
export function explainWhy(graph: GraphReader, asked: ExplanationNode, lastUpdated: string): WhyAnswer {
  const question = questionAbout(graph, asked);
  const nearest = nearestCall(question);
  const findings = [
    firstError(question),
    nearest.length > 0 ? nearest : precedingCall(question),
    modelChange(question),
    repeatedAttempt(question),
    outlier(question, 'costUsd'),
    outlier(question, 'latencyMs'),
  ].flat();
  return {
    nodeId: asked.id,
    graph: { ...graphOf(question, findings), lastUpdated },
    candidates: candidatesOf(question, findings),
    notice: NOTICE,
    ...(question.way.truncated && { truncated: true }),
  };
}

/** One candidate a node, with all its reasons; ordered by the strongest. */
function candidatesOf(question: Question, findings: readonly Finding[]): CauseCandidate[] {
  const reasons = new Map<string, CauseReason[]>();
  for (const finding of findings) {
    const held = reasons.get(finding.node.id) ?? [];
    if (held.some((reason) => reason.rule === finding.rule)) continue;
    reasons.set(finding.node.id, [...held, reasonOf(question, finding)]);
  }
  const strength = ([first]: readonly CauseReason[]): number =>
    first ? CAUSE_RULES.indexOf(first.rule) : CAUSE_RULES.length;
  return [...reasons]
    .map(([nodeId, list]) => ({ nodeId, reasons: list }))
    .sort((a, b) => strength(a.reasons) - strength(b.reasons));
}

function reasonOf({ way }: Question, { rule, node, statement, compared, figures }: Finding): CauseReason {
  return {
    rule,
    statement,
    evidence: {
      ...way.pathFrom(node.id),
      nodeIds: compared.map((other) => other.id),
      ...(figures && { figures }),
    },
  };
}

/** The way back, and whatever the candidates name besides, with the edges among them. */
function graphOf(
  { graph, way }: Question,
  findings: readonly Finding[],
): Omit<ExplanationGraph, 'lastUpdated'> {
  const nodes = new Map(way.nodes.map((node) => [node.id, node]));
  for (const { node, compared } of findings) {
    for (const named of [node, ...compared]) nodes.set(named.id, named);
  }
  const edges = [...nodes.keys()].flatMap((id) => graph.inEdges(id).filter((edge) => nodes.has(edge.from)));
  // Order of ids, as the graph keeps its edges in the order in which they came.
  edges.sort((a, b) => (a.id < b.id ? -1 : 1));
  return { nodes: [...nodes.values()], edges };
}
