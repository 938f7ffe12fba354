import type { GraphReader } from '../graph/graph-reader.ts';
import { endOf, hasFailed } from '../model/failure.ts';
import { isSameModel } from '../model/model-name.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { CauseRule, OutlierFigures } from '../model/why.ts';
import { spikesOfTask } from './outliers.ts';
import { WayBack } from './way-back.ts';

/** Of steps that a rule finds equally close, so many are named. */
const MAX_EQUALS = 3;

/** A rule names a step. */
export interface Finding {
  readonly rule: CauseRule;
  readonly node: ExplanationNode;
  readonly statement: string;
  /** Steps that it was compared with. */
  readonly compared: readonly ExplanationNode[];
  readonly figures?: OutlierFigures;
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

/** It failed, and nothing else on the way failed earlier. A step that contains others fails when they have. */
export function firstError({ failure, way }: Question): Finding[] {
  if (!hasFailed(failure)) return [];
  const others = way.nodes.filter((node) => node !== failure && hasFailed(node));
  const message = failure.details?.['errorMessage'];
  const because = typeof message === 'string' && message !== '' ? `: ${message}` : '';
  const statement =
    others.length === 0
      ? `The only step on the way that failed${because}`
      : `The first of ${others.length + 1} steps on the way that failed${because}`;
  return [{ rule: 'firstError', node: failure, statement, compared: others.slice(0, MAX_EQUALS) }];
}

/** The LLM calls from which the fewest edges lead to the first failure, and to the step asked about if it failed later. */
export function nearestCall({ graph, failure, asked }: Question): Finding[] {
  const failures =
    asked !== failure && hasFailed(asked) && !contains(graph, asked, failure) ? [failure, asked] : [failure];
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
      compared: [],
    }));
}

/** For where no edge leads from an LLM call to the failure: the last call that had ended under the closest parent. */
export function precedingCall({ graph, failure }: Question): Finding[] {
  const levels = levelsAbove(graph, failure);
  const began = Date.parse(failure.timestamp);
  const [best] = earlierInTask(graph, failure, false)
    .filter((node) => node.type === 'LLM_CALL' && endOf(node) <= began)
    .map((node) => ({ node, level: levels(node.id) }))
    .sort((a, b) => a.level - b.level || byEnd(b.node, a.node));
  if (!best || best.level === Infinity) return [];
  const statement = `The last LLM call that had ended when ${named(failure)} began, under the same parent; by time alone: no edge says that it led there`;
  return [{ rule: 'precedingCall', node: best.node, statement, compared: [] }];
}

/** The last switch of models before the failure in its task, or the last call whose model was another one than its agent's before. */
export function modelChange({ graph, failure }: Question): Finding[] {
  const earlier = earlierInTask(graph, failure, failure.type === 'LLM_CALL');
  const current = new Map<string, ExplanationNode>();
  let found: Finding | undefined;
  for (const node of earlier) {
    if (node.type === 'MODEL_SWITCH') {
      found = {
        rule: 'modelChange',
        node,
        statement: `The last switch of models before ${named(failure)}`,
        compared: [],
      };
    }
    if (node.type !== 'LLM_CALL' || node.model === undefined) continue;
    const last = current.get(node.agent);
    current.set(node.agent, node);
    if (last?.model === undefined || isSameModel(last.model, node.model)) continue;
    const statement = `The last change of models before ${named(failure)}: ${node.agent} called ${node.model}, and ${last.model} before that`;
    found = { rule: 'modelChange', node, statement, compared: [last] };
  }
  return found ? [found] : [];
}

/** The first failed attempt, when the same step of the same agent failed before in the task. */
export function repeatedAttempt({ graph, failure, asked }: Question): Finding[] {
  return [failure, ...(asked === failure ? [] : [asked])].filter(hasFailed).flatMap((failed) => {
    const attempts = earlierInTask(graph, failed, false).filter(
      (node) => node.name === failed.name && node.agent === failed.agent && node.type === failed.type,
    );
    const failures = attempts.filter(hasFailed);
    const [first] = failures;
    if (!first) return [];
    const statement = `Attempt ${attempts.length + 1} of the same step; ${count(failures.length, 'earlier attempt')} failed as well, this one first`;
    return [
      { rule: 'repeatedAttempt' as const, node: first, statement, compared: [...failures.slice(1), failed] },
    ];
  });
}

/** Steps on the way that stand far above the others of their kind in their task. */
export function outlier({ graph, way }: Question, measure: 'costUsd' | 'latencyMs'): Finding[] {
  const tasks = new Set(way.nodes.map((node) => node.taskId));
  return [...tasks]
    .flatMap((taskId) => spikesOfTask(graph, taskId))
    .filter((spike) => spike.measure === measure && way.has(spike.nodeId))
    .flatMap(({ nodeId, value, median, threshold, compared }) => {
      const node = graph.node(nodeId);
      if (!node) return [];
      const [rule, what] =
        measure === 'costUsd'
          ? ([
              'costOutlier',
              `Cost ${dollars(value)}, where the median of its kind in the task is ${dollars(median)}`,
            ] as const)
          : ([
              'latencyOutlier',
              `Took ${ms(value)}, where the median of its kind in the task is ${ms(median)}`,
            ] as const);
      const figures = { value, median, threshold, compared };
      return [{ rule, node, statement: `${what} (${compared} compared)`, compared: [], figures }];
    });
}

/** The nodes of its task that began before a node did, the earliest first. */
function earlierInTask(graph: GraphReader, node: ExplanationNode, included: boolean): ExplanationNode[] {
  return [...graph.nodesOfTask(node.taskId)]
    .map((id) => graph.node(id))
    .filter((other) => other !== undefined)
    .filter((other) => (other.id === node.id ? included : byStart(other, node) < 0))
    .sort(byStart);
}

/** Does a step contain another one, at any depth? */
function contains(graph: GraphReader, container: ExplanationNode, node: ExplanationNode): boolean {
  for (let id = graph.treeParent(node.id); id !== undefined; id = graph.treeParent(id)) {
    if (id === container.id) return true;
  }
  return false;
}

/** Tells how far above a node its closest common ancestor with another one is; Infinity when they share none. */
function levelsAbove(graph: GraphReader, node: ExplanationNode): (other: string) => number {
  const levels = new Map<string, number>();
  for (let id = graph.treeParent(node.id); id !== undefined; id = graph.treeParent(id))
    levels.set(id, levels.size);
  return (other) => {
    const climbed: string[] = [];
    let level: number | undefined;
    for (let id: string | undefined = other; id !== undefined; id = graph.treeParent(id)) {
      level = levels.get(id);
      if (level !== undefined) break;
      climbed.push(id);
    }
    // Remembered for the next one, so that all of a deep task cost one walk.
    for (const id of climbed) levels.set(id, level ?? Infinity);
    return level ?? Infinity;
  };
}

function byStart(a: ExplanationNode, b: ExplanationNode): number {
  return a.timestamp !== b.timestamp ? (a.timestamp < b.timestamp ? -1 : 1) : byId(a, b);
}

function byEnd(a: ExplanationNode, b: ExplanationNode): number {
  return endOf(a) - endOf(b) || byId(a, b);
}

function byId(a: ExplanationNode, b: ExplanationNode): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function named(node: ExplanationNode): string {
  return `"${node.name}"`;
}

function count(n: number, what: string): string {
  return n === 1 ? `1 ${what}` : `${n} ${what}s`;
}

function dollars(value: number): string {
  return `$${Number(value.toPrecision(3))}`;
}

function ms(value: number): string {
  return value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;
}
