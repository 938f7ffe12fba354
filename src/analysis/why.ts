import type { GraphReader } from '../graph/graph-reader.ts';
import { hasFailed } from '../model/failure.ts';
import type { ExplanationGraph, ExplanationNode } from '../model/node.ts';
import {
  CAUSE_RULES,
  type CauseAgent,
  type CauseCandidate,
  type CauseReason,
  type WhyAnswer,
} from '../model/why.ts';
import { findingsOnTheWay, questionAbout, type Finding, type Question } from './cause-rules.ts';
import { finalAnswerOf, userInput, type FinalAnswer } from './final-answer.ts';
import { byStart } from './order.ts';
import { ancestorsOf } from './outcome.ts';
import { quotesOf } from './quote.ts';
import { runBefore, type Run, type Step, type TextsOf } from './run.ts';
import { StepRules, type StepReason } from './step-rules.ts';
import { pathByTree, type Path } from './way-back.ts';

/** So many a person looks at. */
const MAX_CANDIDATES = 5;
/** So many of them may be named by edges: the others are for other reasons. */
const MAX_BY_EDGES = 3;

const NOTICE =
  'Candidates for different reasons, each to be checked: where to look first, no verdict. What goes by order alone ' +
  'says so; whether a step was wrong is for its reader to say.';
const UNEXPLAINED =
  'Something failed, and nothing that is known of the run says why: no call, no text, no edge.';
const NOT_FAILED = 'It did not fail, so nothing is named; the graph shows what led to it.';

/**
 * "Show me why this failed": the way back from a node and the steps that may have caused what is seen there.
 * A function of the graph and its texts alone: no clock, no chance, no order of arrival.
 */
export function explainWhy(
  graph: GraphReader,
  asked: ExplanationNode,
  textsOf: TextsOf,
  lastUpdated: string,
): WhyAnswer {
  const question = questionAbout(graph, asked);
  const run = runBefore(graph, asked, textsOf);
  const failed = hasFailed(asked);
  const { final, failedNodes, named } = failed ? look(question, run, textsOf) : NOTHING;
  const candidates = named.map((one, i) => candidateOf(question, one, i + 1));
  return {
    nodeId: asked.id,
    outcome: { failedNodes, ...(final && { finalAnswerNode: final.nodeId }) },
    candidates,
    agents: agentsOf(candidates),
    ...(failed && candidates.length === 0 && { unexplained: true }),
    considered: run.considered,
    graph: { ...graphOf(question, candidates), lastUpdated },
    notice: !failed ? NOT_FAILED : candidates.length === 0 ? UNEXPLAINED : NOTICE,
    ...(question.way.truncated && { truncated: true }),
  };
}

/** What is to be seen of a run that failed. */
export interface WorthSeeing {
  /** The candidates for which more speaks than their place. */
  readonly byEvidence: readonly ExplanationNode[];
  readonly byOrder: readonly ExplanationNode[];
  /** What would come next. */
  readonly next: readonly ExplanationNode[];
}

/** What `explainWhy` names of a failed step, and would name if it named more. */
export function worthSeeing(graph: GraphReader, failed: ExplanationNode, textsOf: TextsOf): WorthSeeing {
  const run = runBefore(graph, failed, textsOf);
  const { named, slate } = look(questionAbout(graph, failed), run, textsOf);
  const isEvidence = ({ reasons }: Named): boolean => reasons.some(({ strength }) => strength === 'evidence');
  const nodesOf = (some: readonly Named[]): ExplanationNode[] => some.map(({ node }) => node);
  return {
    byEvidence: nodesOf(named.filter(isEvidence)),
    byOrder: nodesOf(named.filter((one) => !isEvidence(one))),
    next: slate.map(({ node }) => node),
  };
}

interface Look {
  readonly final: FinalAnswer | undefined;
  readonly failedNodes: readonly string[];
  readonly named: readonly Named[];
  readonly slate: readonly Step[];
}

const NOTHING: Look = { final: undefined, failedNodes: [], named: [], slate: [] };

function look(question: Question, run: Run, textsOf: TextsOf): Look {
  const { graph, asked } = question;
  const isOneCall = asked.type === 'LLM_CALL' || asked.type === 'TOOL_CALL';
  const final = isOneCall ? undefined : finalAnswerOf(run, graph, textsOf);
  const failedNodes = outcomeNodes(question, run);
  const rules = new StepRules(run, final, userInput(run, graph, textsOf));
  const named = name(question, rules, new Set(failedNodes), isOneCall);
  return { final, failedNodes, named, slate: isOneCall ? [] : rules.slate };
}

/** A step with what speaks for it. */
interface Named {
  readonly node: ExplanationNode;
  readonly reasons: readonly StepReason[];
  /** How many reasons of it go by edges: these need no reading of texts. */
  readonly byEdges: number;
  readonly strength: number;
}

/** The first five for different reasons: those that edges name first, then by how much speaks for each. */
function name(
  question: Question,
  rules: StepRules,
  outcome: ReadonlySet<string>,
  isOneCall: boolean,
): readonly Named[] {
  const findings = findingsOnTheWay(question).filter(({ node }) => !outcome.has(node.id));
  const slate = rules.slate.filter(({ node }) => !outcome.has(node.id));
  const byEdges = [...new Set(findings.map(({ node }) => node))];
  // What failed is one call: how the run ended is another matter.
  const bySteps = isOneCall ? slate.filter((step) => rules.isLast(step) && byEdges.length === 0) : slate;
  const nodes = new Set([...byEdges.slice(0, MAX_BY_EDGES), ...bySteps.map(({ node }) => node), ...byEdges]);
  const steps = new Map(slate.map((step) => [step.node, step]));
  return [...nodes]
    .slice(0, MAX_CANDIDATES)
    .map((node) => {
      const step = steps.get(node);
      const ofStep = step ? rules.reasonsFor(step) : [];
      const edges = findings.filter((finding) => finding.node === node).map(byEdge);
      const reasons = [...ofStep, ...edges.filter(({ rule }) => !ofStep.some((one) => one.rule === rule))];
      reasons.sort((a, b) => CAUSE_RULES.indexOf(a.rule) - CAUSE_RULES.indexOf(b.rule));
      return {
        node,
        reasons: onceEach(reasons),
        byEdges: edges.length,
        strength: step ? rules.strengthOf(step) : 0,
      };
    })
    .sort((a, b) => b.byEdges - a.byEdges || b.strength - a.strength || byStart(a.node, b.node));
}

function byEdge({ rule, statement }: Finding): StepReason {
  return { rule, statement, strength: 'evidence', places: [], values: [] };
}

function onceEach(reasons: readonly StepReason[]): StepReason[] {
  return reasons.filter(({ rule }, i) => reasons.findIndex((other) => other.rule === rule) === i);
}

/** What failed, what it is inside of, and the tests that failed when nothing more was done. */
function outcomeNodes({ graph, asked, way }: Question, { steps }: Run): string[] {
  const above = ancestorsOf(graph, asked.id)
    .map((id) => graph.node(id))
    .filter((node) => node !== undefined);
  const last = steps.at(-1)?.node;
  const checks = way.nodes.filter(
    (node) => node !== asked && node.type === 'TEST_RUN' && (!last || byStart(last, node) < 0),
  );
  return [asked, ...above, ...checks].filter(hasFailed).map(({ id }) => id);
}

function candidateOf(question: Question, { node, reasons }: Named, rank: number): CauseCandidate {
  const { graph, way, asked } = question;
  const { path, edgeIds }: Path = way.has(node.id)
    ? way.pathFrom(node.id)
    : pathByTree(graph, node.id, asked.id);
  const told = reasons.map(({ places, values, ...reason }): CauseReason => ({
    ...reason,
    evidence: { path, edgeIds, quotes: quotesOf(places), values },
  }));
  return { nodeId: node.id, agent: node.agent, rank, reasons: told };
}

function agentsOf(candidates: readonly CauseCandidate[]): CauseAgent[] {
  const agents = new Map<string, CauseAgent>();
  for (const { agent, reasons } of candidates) {
    const held = agents.get(agent) ?? { agent, candidates: 0, reasons: 0 };
    agents.set(agent, {
      agent,
      candidates: held.candidates + 1,
      reasons: held.reasons + reasons.length,
    });
  }
  return [...agents.values()];
}

/** The way back, and the candidates with their paths and all that is quoted, with the edges among them. */
function graphOf(
  { graph, way }: Question,
  candidates: readonly CauseCandidate[],
): Omit<ExplanationGraph, 'lastUpdated'> {
  const nodes = new Map(way.nodes.map((node) => [node.id, node]));
  const take = (id: string): void => {
    const node = nodes.has(id) ? undefined : graph.node(id);
    if (node) nodes.set(id, node);
  };
  for (const { nodeId, reasons } of candidates) {
    take(nodeId);
    for (const { evidence } of reasons) {
      for (const id of evidence.path) take(id);
      for (const quote of evidence.quotes) take(quote.nodeId);
      for (const value of evidence.values) [value.firstSeen, ...value.support].forEach(take);
    }
  }
  const edges = [...nodes.keys()].flatMap((id) => graph.inEdges(id).filter((edge) => nodes.has(edge.from)));
  // Order of ids, as the graph keeps its edges in the order in which they came.
  edges.sort((a, b) => (a.id < b.id ? -1 : 1));
  return { nodes: [...nodes.values()], edges };
}
