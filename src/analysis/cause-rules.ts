import { seldom, type IsOver, type Work } from '../base/in-turns.ts';
import { sorted } from '../base/sorted.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import { hasFailed } from '../model/failure.ts';
import { isSameModel } from '../model/model-name.ts';
import type { ExplanationNode } from '../model/node.ts';
import { byStart } from '../model/node-order.ts';
import type { CauseReason } from '../model/why.ts';
import { ancestorsOf, nodesOfTask } from './outcome.ts';
import { failuresOn } from './recovered.ts';
import { wayBack, type WayBack } from './way-back.ts';

/** Of steps that a rule finds equally close, so many are named. */
const MAX_EQUALS = 3;

/** A rule names a step, because edges lead from it to the failure. */
export interface Finding extends Pick<CauseReason, 'rule' | 'statement' | 'recovered'> {
  readonly node: ExplanationNode;
  /** What failed that this is about. */
  readonly about: ExplanationNode;
}

/** What the rules look at. */
export interface Question {
  readonly graph: GraphReader;
  readonly asked: ExplanationNode;
  readonly way: WayBack;
  /** What failed on the way and was not done well again: the first, else the step asked about. */
  readonly failure: ExplanationNode;
  /** The last of these, nearest the outcome, where they are inside the step asked about. */
  readonly decisive: ExplanationNode;
  /** What failed on the way and was done well again. */
  readonly recovered: readonly ExplanationNode[];
}

export function* questionAbout(graph: GraphReader, asked: ExplanationNode, isOver: IsOver): Work<Question> {
  const way = yield* wayBack(graph, asked, isOver);
  const { open, recovered, areInside } = yield* failuresOn(way, graph, asked, isOver);
  const failure = open[0] ?? asked;
  return { graph, asked, way, failure, decisive: (areInside && open.at(-1)) || failure, recovered };
}

/** What a step was given; undefined where that is not known. */
export type RequestOf = (node: ExplanationNode) => string | undefined;

/** By the rules that go by edges, each node as often as rules name it. */
export function* findingsOnTheWay(question: Question, requestOf: RequestOf, isOver: IsOver): Work<Finding[]> {
  return [
    ...failuresOfWay(question),
    ...(yield* nearestCall(question, isOver)),
    ...(yield* repeatedAttempt(question, requestOf, isOver)),
    ...(yield* modelChange(question, isOver)),
  ];
}

/** The failures on the way that did not go well later, the last one first; where there is none, the first that did. */
function failuresOfWay({ failure, decisive, recovered, asked, way }: Question): Finding[] {
  const finding = (node: ExplanationNode, statement: string, isRecovered: boolean): Finding => {
    const message = node.details?.['errorMessage'];
    const because = typeof message === 'string' && message !== '' ? `: ${message}` : '';
    return {
      rule: 'failedAction',
      node,
      about: node,
      statement: `${statement}${because}`,
      recovered: isRecovered,
    };
  };
  if (failure === asked) {
    return recovered
      .slice(0, 1)
      .map((node) => finding(node, 'It failed on the way, and went well later', true));
  }
  const first =
    recovered.length === 0
      ? `It failed first of ${way.nodes.filter(hasFailed).length} steps on the way`
      : 'The first failure on the way that did not go well later';
  const last = 'The last failure on the way that did not go well later';
  return [...(decisive === failure ? [] : [finding(decisive, last, false)]), finding(failure, first, false)];
}

/** The LLM calls from which the fewest edges lead to the failures on the way, and to the step asked about if it failed later. */
function* nearestCall({ graph, failure, decisive, asked }: Question, isOver: IsOver): Work<Finding[]> {
  const isInside = failure !== asked && (yield* ancestorsOf(graph, failure.id, isOver)).includes(asked.id);
  const found: Finding[] = [];
  for (const failed of new Set(isInside ? [decisive, failure] : [asked, decisive, failure])) {
    if (failed === failure || hasFailed(failed))
      found.push(...(yield* callsClosestTo(graph, failed, isOver)));
  }
  return found;
}

function* callsClosestTo(graph: GraphReader, failed: ExplanationNode, isOver: IsOver): Work<Finding[]> {
  const back = yield* wayBack(graph, failed, isOver, { insideFailures: false });
  const lengthOf = (node: ExplanationNode): number => back.distanceOf(node.id);
  const calls = back.nodes.filter((node) => node.type === 'LLM_CALL' && node.id !== failed.id);
  const [first] = calls;
  if (!first) return [];
  return calls
    .filter((call) => lengthOf(call) === lengthOf(first))
    .sort((a, b) => byStart(b, a))
    .slice(0, MAX_EQUALS)
    .map((node) => ({
      rule: 'nearestCall',
      node,
      about: failed,
      statement: `The LLM call closest before ${named(failed)}: ${count(lengthOf(node), 'edge')} away`,
    }));
}

/** The last switch of models on the way, or the last call there whose model was another one than its agent's before. */
function* modelChange({ graph, failure, way }: Question, isOver: IsOver): Work<Finding[]> {
  const isRest = seldom(isOver);
  const isOfModels = ({ type }: ExplanationNode): boolean => type === 'LLM_CALL' || type === 'MODEL_SWITCH';
  const current = new Map<string, ExplanationNode>();
  let found: Finding | undefined;
  const earlier = yield* earlierInTask(graph, failure, isOfModels, isOver);
  for (const node of failure.type === 'LLM_CALL' ? [...earlier, failure] : earlier) {
    if (isRest()) yield;
    if (node.type === 'MODEL_SWITCH' && way.has(node.id)) {
      found = {
        rule: 'modelChange',
        node,
        about: failure,
        statement: `The last switch of models before ${named(failure)}`,
      };
    }
    if (node.type !== 'LLM_CALL' || node.model === undefined) continue;
    const last = current.get(node.agent);
    current.set(node.agent, node);
    if (last?.model === undefined || isSameModel(last.model, node.model) || !way.has(node.id)) continue;
    const statement = `The last change of models before ${named(failure)}: ${node.agent} called ${node.model}, and ${last.model} before that`;
    found = { rule: 'modelChange', node, about: failure, statement };
  }
  return found ? [found] : [];
}

/**
 * The first failed attempt on the way, when the same step of the same agent failed before in the task. What was given
 * something else is another step.
 */
function* repeatedAttempt(
  { graph, failure, asked, way }: Question,
  requestOf: RequestOf,
  isOver: IsOver,
): Work<Finding[]> {
  const found: Finding[] = [];
  for (const failed of new Set([failure, asked])) {
    if (!hasFailed(failed)) continue;
    const request = requestOf(failed);
    const isAttempt = (node: ExplanationNode): boolean =>
      node.name === failed.name &&
      node.agent === failed.agent &&
      node.type === failed.type &&
      (request === undefined || (requestOf(node) ?? request) === request);
    const attempts = yield* earlierInTask(graph, failed, isAttempt, isOver);
    const failures = attempts.filter(hasFailed);
    const first = failures.find(({ id }) => way.has(id));
    if (!first) continue;
    const statement = `The same step, tried before: attempt ${attempts.indexOf(first) + 1} of ${attempts.length + 1}, of which ${failures.length + 1} failed`;
    found.push({ rule: 'repeatedAttempt', node: first, about: failed, statement });
  }
  return found;
}

/** Those of its task that began before a node did, the earliest first. */
function* earlierInTask(
  graph: GraphReader,
  node: ExplanationNode,
  isWanted: (other: ExplanationNode) => boolean,
  isOver: IsOver,
): Work<readonly ExplanationNode[]> {
  const isEarlier = (other: ExplanationNode): boolean =>
    other.id !== node.id && isWanted(other) && byStart(other, node) < 0;
  return yield* sorted(yield* nodesOfTask(graph, node.taskId, isEarlier, isOver), byStart, isOver);
}

function named(node: ExplanationNode): string {
  return `"${node.name}"`;
}

function count(n: number, what: string): string {
  return n === 1 ? `1 ${what}` : `${n} ${what}s`;
}
