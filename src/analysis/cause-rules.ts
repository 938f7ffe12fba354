import type { GraphReader } from '../graph/graph-reader.ts';
import { hasFailed } from '../model/failure.ts';
import { isSameModel } from '../model/model-name.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { CauseReason } from '../model/why.ts';
import { byEnd, byStart } from './order.ts';
import { WayBack } from './way-back.ts';

/** Of steps that a rule finds equally close, so many are named. */
const MAX_EQUALS = 3;

/** A rule names a step, because edges lead from it to the failure. */
export interface Finding extends Pick<CauseReason, 'rule' | 'statement'> {
  readonly node: ExplanationNode;
}

/** What the rules look at. */
export interface Question {
  readonly graph: GraphReader;
  readonly asked: ExplanationNode;
  readonly way: WayBack;
  /** The step whose failure came first on the way, else the one asked about. */
  readonly failure: ExplanationNode;
}

export function questionAbout(graph: GraphReader, asked: ExplanationNode): Question {
  const way = new WayBack(graph, asked);
  const failed = way.nodes.filter((node) => hasFailed(node));
  const errors = failed.filter((node) => node.status === 'ERROR');
  const failure = (errors.length > 0 ? errors : failed).sort(byEnd)[0] ?? asked;
  return { graph, asked, way, failure };
}

/** By the rules that go by edges, each node as often as rules name it. */
export function findingsOnTheWay(question: Question): Finding[] {
  return [
    ...nearestCall(question),
    ...repeatedAttempt(question),
    ...modelChange(question),
    ...firstFailure(question),
  ];
}

/** It failed, and nothing else on the way failed earlier. A step that contains others fails when they have. */
function firstFailure({ failure, asked, way }: Question): Finding[] {
  if (failure === asked || !hasFailed(failure)) return [];
  const others = way.nodes.filter((node) => node !== failure && hasFailed(node)).length;
  const message = failure.details?.['errorMessage'];
  const because = typeof message === 'string' && message !== '' ? `: ${message}` : '';
  return [
    {
      rule: 'failedAction',
      node: failure,
      statement: `It failed first of ${others + 1} steps on the way${because}`,
    },
  ];
}

/** The LLM calls from which the fewest edges lead to the first failure, and to the step asked about if it failed later. */
function nearestCall({ graph, failure, asked }: Question): Finding[] {
  const failures =
    asked !== failure && hasFailed(asked) && !contains(graph, asked, failure) ? [asked, failure] : [failure];
  return failures.flatMap((failed) => callsClosestTo(graph, failed));
}

function callsClosestTo(graph: GraphReader, failed: ExplanationNode): Finding[] {
  const back = new WayBack(graph, failed, { insideFailures: false });
  const lengthOf = (node: ExplanationNode): number => back.pathFrom(node.id).edgeIds.length;
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
      statement: `The LLM call closest before ${named(failed)}: ${count(lengthOf(node), 'edge')} away`,
    }));
}

/** The last switch of models on the way, or the last call there whose model was another one than its agent's before. */
function modelChange({ graph, failure, way }: Question): Finding[] {
  const current = new Map<string, ExplanationNode>();
  let found: Finding | undefined;
  for (const node of earlierInTask(graph, failure, failure.type === 'LLM_CALL')) {
    if (node.type === 'MODEL_SWITCH' && way.has(node.id)) {
      found = { rule: 'modelChange', node, statement: `The last switch of models before ${named(failure)}` };
    }
    if (node.type !== 'LLM_CALL' || node.model === undefined) continue;
    const last = current.get(node.agent);
    current.set(node.agent, node);
    if (last?.model === undefined || isSameModel(last.model, node.model) || !way.has(node.id)) continue;
    const statement = `The last change of models before ${named(failure)}: ${node.agent} called ${node.model}, and ${last.model} before that`;
    found = { rule: 'modelChange', node, statement };
  }
  return found ? [found] : [];
}

/** The first failed attempt on the way, when the same step of the same agent failed before in the task. */
function repeatedAttempt({ graph, failure, asked, way }: Question): Finding[] {
  return [failure, ...(asked === failure ? [] : [asked])].filter(hasFailed).flatMap((failed) => {
    const attempts = earlierInTask(graph, failed, false).filter(
      (node) => node.name === failed.name && node.agent === failed.agent && node.type === failed.type,
    );
    const failures = attempts.filter(hasFailed);
    const first = failures.find(({ id }) => way.has(id));
    if (!first) return [];
    const statement = `Attempt ${attempts.length + 1} of the same step; ${count(failures.length, 'earlier attempt')} failed as well, this one first`;
    return [{ rule: 'repeatedAttempt' as const, node: first, statement }];
  });
}

/** The nodes of its task that began before a node did, the earliest first. */
function earlierInTask(graph: GraphReader, node: ExplanationNode, included: boolean): ExplanationNode[] {
  return [...graph.nodesOfTask(node.taskId)]
    .map((id) => graph.node(id))
    .filter((other) => other !== undefined)
    .filter((other) => (other === node ? included : byStart(other, node) < 0))
    .sort(byStart);
}

/** Is it somewhere inside? */
function contains(graph: GraphReader, container: ExplanationNode, node: ExplanationNode): boolean {
  for (let id = graph.treeParent(node.id); id !== undefined; id = graph.treeParent(id)) {
    if (id === container.id) return true;
  }
  return false;
}

function named(node: ExplanationNode): string {
  return `"${node.name}"`;
}

function count(n: number, what: string): string {
  return n === 1 ? `1 ${what}` : `${n} ${what}s`;
}
