import { seldom, type IsOver, type Work } from '../base/in-turns.ts';
import { sorted } from '../base/sorted.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import { hasFailed } from '../model/failure.ts';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode } from '../model/node.ts';
import { byStart } from '../model/node-order.ts';
import {
  CAUSE_RULES,
  type CauseAgent,
  type CauseCandidate,
  type CauseReason,
  type OutcomeError,
  type WhyAnswer,
} from '../model/why.ts';
import {
  findingsOnTheWay,
  questionAbout,
  type Finding,
  type Question,
  type RequestOf,
} from './cause-rules.ts';
import { finalAnswerOf, userInput, type FinalAnswer } from './final-answer.ts';
import { ancestorsOf } from './outcome.ts';
import { quotesOf } from './quote.ts';
import { requestIn } from './request.ts';
import { runBefore, type Run, type Step, type StepsBefore, type TextsOf } from './run.ts';
import { Said } from './said.ts';
import { stepRules, type StepReason, type StepRules } from './step-rules.ts';
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
const OWN_ERROR =
  'What failed says itself what went wrong. No other step is named: no call, no text and no edge speaks for one.';
const NOT_FAILED = 'It did not fail, so nothing is named; the graph shows what led to it.';

/**
 * "Show me why this failed": the way back from a node and the steps that may have caused what is seen there, in turns
 * of the event loop. A function of the graph and its texts alone: no clock, no chance, no order of arrival.
 *
 * Where the graph changes meanwhile, what comes or leaves may be in the answer or not. But the steps of the run are
 * those of one moment (`before`), a step is known by its id and named once however often it changed, and the answer
 * carries the nodes and edges that were walked: each path in it is made of edges that it shows, none is looked up again.
 * Whoever asks looks whether the step that is asked about is still there.
 */
export function* explainWhy(
  graph: GraphReader,
  before: StepsBefore,
  textsOf: TextsOf,
  lastUpdated: string,
  isOver: IsOver,
): Work<WhyAnswer> {
  const asked = before.failed;
  const question = yield* questionAbout(graph, asked, isOver);
  const run = yield* runBefore(graph, before, textsOf, isOver);
  const failed = hasFailed(asked);
  const {
    final,
    failedNodes: failures,
    named,
  } = failed ? yield* look(question, run, textsOf, isOver) : NOTHING;
  const traced: Traced[] = [];
  for (const one of named) traced.push({ ...one, way: yield* wayOf(question, one.node, isOver) });
  const candidates = traced.map((one, i) => candidateOf(one, i + 1));
  const failedNodes = failures.map(({ id }) => id);
  const error = errorOf(failures);
  const isUnexplained = failed && candidates.length === 0 && !error;
  return {
    nodeId: asked.id,
    outcome: { failedNodes, ...(final && { finalAnswerNode: final.nodeId }), ...(error && { error }) },
    candidates,
    agents: agentsOf(candidates),
    ...(isUnexplained && { unexplained: true }),
    considered: run.considered,
    graph: { ...(yield* graphOf(question, run, traced, isOver)), lastUpdated },
    notice: !failed ? NOT_FAILED : candidates.length > 0 ? NOTICE : isUnexplained ? UNEXPLAINED : OWN_ERROR,
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
export function* worthSeeing(
  graph: GraphReader,
  before: StepsBefore,
  textsOf: TextsOf,
  isOver: IsOver,
): Work<WorthSeeing> {
  const run = yield* runBefore(graph, before, textsOf, isOver);
  const question = yield* questionAbout(graph, before.failed, isOver);
  const { named, slate } = yield* look(question, run, textsOf, isOver);
  const isEvidence = ({ reasons }: Named): boolean => reasons.some(({ strength }) => strength === 'evidence');
  const nodesOf = (some: readonly Named[]): ExplanationNode[] => some.map(({ node }) => node);
  return {
    byEvidence: nodesOf(named.filter(isEvidence)),
    byOrder: nodesOf(named.filter((one) => !isEvidence(one))),
    next: slate.map(({ node }) => node),
  };
}

/** What was found of a failed step. */
interface Look {
  readonly final: FinalAnswer | undefined;
  readonly failedNodes: readonly ExplanationNode[];
  readonly named: readonly Named[];
  /** The steps in the order in which they are up for naming (`StepRules`). */
  readonly slate: readonly Step[];
}

const NOTHING: Look = { final: undefined, failedNodes: [], named: [], slate: [] };

function* look(question: Question, run: Run, textsOf: TextsOf, isOver: IsOver): Work<Look> {
  const { graph, asked } = question;
  const isOneCall = asked.type === 'LLM_CALL' || asked.type === 'TOOL_CALL';
  const input = yield* userInput(run, graph, textsOf, isOver);
  const said = new Said();
  yield* said.read([input, ...run.steps.flatMap(({ own, heard }) => [...heard, ...own])], isOver);
  const final = isOneCall ? undefined : finalAnswerOf(run, input, said, textsOf);
  const failedNodes = yield* outcomeNodes(question, run, isOver);
  const rules = yield* stepRules(run, final, input, said, isOver);
  const read = new Set([asked.id, ...run.steps.map(({ node }) => node.id)]);
  const requestOf: RequestOf = (node) => (read.has(node.id) ? requestIn(node, textsOf) : undefined);
  const found = yield* findingsOnTheWay(question, requestOf, isOver);
  const named = yield* name(
    found,
    question,
    rules,
    new Set(failedNodes.map(({ id }) => id)),
    isOneCall,
    isOver,
  );
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
function* name(
  found: readonly Finding[],
  { asked, decisive }: Question,
  rules: StepRules,
  outcome: ReadonlySet<string>,
  isOneCall: boolean,
  isOver: IsOver,
): Work<readonly Named[]> {
  const findings = found.filter(({ node }) => !outcome.has(node.id));
  const slate = rules.slate.filter(({ node }) => !outcome.has(node.id));
  const byEdges = onceById(findings.map(({ node }) => node));
  // What failed is one call: how the run ended is another matter.
  const bySteps = isOneCall ? slate.filter((step) => rules.isLast(step) && byEdges.length === 0) : slate;
  const nodes = onceById([...byEdges.slice(0, MAX_BY_EDGES), ...bySteps.map(({ node }) => node), ...byEdges]);
  const steps = new Map(slate.map((step) => [step.node.id, step]));
  // Where a check failed last, what failed before it did not decide the outcome: other ways were found until then.
  const isChecked = decisive !== asked && outcome.has(decisive.id);
  const decides = ({ about, recovered }: Finding): boolean =>
    recovered !== true && (!isChecked || about === decisive);
  const named: Named[] = [];
  for (const node of nodes.slice(0, MAX_CANDIDATES)) {
    const step = steps.get(node.id);
    const ofStep = step ? rules.reasonsFor(step) : [];
    const ofNode = findings.filter((finding) => finding.node.id === node.id);
    const edges = ofNode.map(byEdge);
    const reasons = [...ofStep, ...edges.filter(({ rule }) => !ofStep.some((one) => one.rule === rule))];
    reasons.sort((a, b) => CAUSE_RULES.indexOf(a.rule) - CAUSE_RULES.indexOf(b.rule));
    named.push({
      node,
      reasons: onceEach(reasons),
      byEdges: ofNode.filter(decides).length,
      strength: step ? rules.strengthOf(step) : 0,
    });
    if (isOver()) yield;
  }
  const isDecisive = ({ node }: Named): number => Number(node === decisive);
  named.sort(
    (a, b) =>
      isDecisive(b) - isDecisive(a) ||
      b.byEdges - a.byEdges ||
      b.strength - a.strength ||
      byStart(a.node, b.node),
  );
  return recoveredLater(named);
}

/** What failed and went well later is named after what failed and did not. */
function recoveredLater(named: readonly Named[]): readonly Named[] {
  const last = named.findLastIndex(isFailure(false)) + 1;
  const upTo = named.slice(0, last);
  const isRecovered = isFailure(true);
  return [...upTo.filter((one) => !isRecovered(one)), ...upTo.filter(isRecovered), ...named.slice(last)];
}

function isFailure(wasRecovered: boolean): (one: Named) => boolean {
  return ({ reasons }) => reasons.some(({ recovered }) => recovered === wasRecovered);
}

/** Each step once, as it was when it was found first. */
function onceById(nodes: readonly ExplanationNode[]): ExplanationNode[] {
  const byId = new Map<string, ExplanationNode>();
  for (const node of nodes) if (!byId.has(node.id)) byId.set(node.id, node);
  return [...byId.values()];
}

function byEdge({ rule, statement, recovered }: Finding): StepReason {
  const base = { rule, statement, strength: 'evidence', places: [], values: [] } as const;
  return recovered === undefined ? base : { ...base, recovered };
}

function onceEach(reasons: readonly StepReason[]): StepReason[] {
  return reasons.filter(({ rule }, i) => reasons.findIndex((other) => other.rule === rule) === i);
}

/** What failed, what it is inside of, and the tests that failed when nothing more was done. */
function* outcomeNodes(
  { graph, asked, way }: Question,
  { steps }: Run,
  isOver: IsOver,
): Work<readonly ExplanationNode[]> {
  const isRest = seldom(isOver);
  const above: ExplanationNode[] = [];
  for (const id of yield* ancestorsOf(graph, asked.id, isOver)) {
    const node = graph.node(id);
    if (node && hasFailed(node)) above.push(node);
    if (isRest()) yield;
  }
  const last = steps.at(-1)?.node;
  const checks = way.nodes.filter(
    (node) => node !== asked && node.type === 'TEST_RUN' && (!last || byStart(last, node) < 0),
  );
  return [asked, ...above, ...checks].filter(hasFailed);
}

function errorOf(failed: readonly ExplanationNode[]): OutcomeError | undefined {
  for (const { id, details } of failed) {
    const text = details?.['errorMessage'];
    if (typeof text === 'string' && text.trim() !== '') return { nodeId: id, text };
  }
  return undefined;
}

/** With the way to what is asked about. */
interface Traced extends Named {
  readonly way: Path;
}

function* wayOf({ graph, way, asked }: Question, node: ExplanationNode, isOver: IsOver): Work<Path> {
  return way.has(node.id) ? way.pathFrom(node.id) : yield* pathByTree(graph, node, asked, isOver);
}

function candidateOf({ node, reasons, way }: Traced, rank: number): CauseCandidate {
  const path = way.nodes.map(({ id }) => id);
  const edgeIds = way.edges.map(({ id }) => id);
  const withEvidence = reasons.map(({ places, values, ...reason }): CauseReason => ({
    ...reason,
    evidence: { path, edgeIds, quotes: quotesOf(places), values },
  }));
  return { nodeId: node.id, agent: node.agent, rank, reasons: withEvidence };
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
function* graphOf(
  { graph, way }: Question,
  { steps }: Run,
  traced: readonly Traced[],
  isOver: IsOver,
): Work<Omit<ExplanationGraph, 'lastUpdated'>> {
  const isRest = seldom(isOver);
  const nodes = new Map(way.nodes.map((node) => [node.id, node]));
  const edges = new Map<string, ExplanationEdge>();
  const ofRun = new Map(steps.map(({ node }) => [node.id, node]));
  const take = (node: ExplanationNode | undefined): void => {
    if (node && !nodes.has(node.id)) nodes.set(node.id, node);
  };
  for (const one of traced) {
    take(one.node);
    one.way.nodes.forEach(take);
    for (const edge of one.way.edges) edges.set(edge.id, edge);
    for (const { places, values } of one.reasons) {
      for (const { piece } of places) take(ofRun.get(piece.nodeId));
      for (const { firstSeen, support } of values)
        for (const id of [firstSeen, ...support]) take(ofRun.get(id));
    }
  }
  for (const id of nodes.keys()) {
    for (const edge of graph.inEdges(id)) {
      if (nodes.has(edge.from)) edges.set(edge.id, edge);
      if (isRest()) yield;
    }
  }
  // Order of ids, as the graph keeps its edges in the order in which they came.
  const inOrder = yield* sorted([...edges.values()], (a, b) => (a.id < b.id ? -1 : 1), isOver);
  return { nodes: [...nodes.values()], edges: [...inOrder] };
}
