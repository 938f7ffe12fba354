import { ClientError } from '../../client/client-error.ts';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode } from '../../model/node.ts';
import { clip } from '../../model/one-line.ts';
import type { Noticed } from '../../model/noticed.ts';
import type { SearchHit } from '../../model/search.ts';
import { idSchema } from '../../model/subscription-request.ts';
import type { TaskOverview } from '../../model/task-overview.ts';
import { ToldNode } from '../../model/told-node.ts';

/**
 * What a cell tells is checked where it enters, so that behind this nothing has to allow for a cell that is broken or lies.
 * Fields and words that are not known here pass: the cell may be newer.
 *
 * Each says what is wrong, as the end of the sentence "it sends …"; undefined where nothing is.
 */
export type Problem = string | undefined;

export const LOOSE = 'an edge without both its nodes';
export const CYCLE = 'edges in a circle';

/** Notices of one cell that are passed on, and characters of one: more than a cell has to say, and no page is filled by it. */
const MAX_NOTICES = 20;
const MAX_NOTICE_CHARS = 1_000;

/** A node with all that every node has. */
export function nodeProblem(node: ExplanationNode): Problem {
  const { id, timestamp, type, state, status } = node;
  const whole = node instanceof ToldNode && !node.isPlain ? node.toJSON() : node;
  const isNode = isWord(id) && isWord(type) && isWord(state) && isWord(status) && isTime(timestamp);
  if (!isNode || !hasTypes(whole)) return 'a node without its fields';
  if (type !== 'SUMMARY') return undefined;
  const { summary } = whole;
  if (!(summary && summary.count > 0 && isWord(summary.reason)))
    return 'a summary that says nothing of what it stands for';
  return undefined;
}

function hasTypes(node: ExplanationNode): boolean {
  if (node instanceof ToldNode && node.isPlain) return true;
  const { agent, name, title, taskId, model, promptSummary, tokensIn, tokensOut, latencyMs, costUsd } = node;
  return (
    [agent, name, title, taskId].every(isText) &&
    [model, promptSummary].every(isTextIfAny) &&
    [tokensIn, tokensOut, latencyMs, costUsd].every(isFigureIfAny)
  );
}

export function edgeProblem({ id, from, to, relation, evidence }: ExplanationEdge): Problem {
  const isWhole = isWord(id) && isWord(from) && isWord(to) && isWord(relation) && isWord(evidence);
  if (!isWhole) return 'an edge without its fields';
  return from === to ? CYCLE : undefined;
}

/** Nodes and edges by themselves, loose ends and circles. */
export function graphProblem({ nodes, edges }: Pick<ExplanationGraph, 'nodes' | 'edges'>): Problem {
  const ids = new Set<string>();
  for (const node of nodes) {
    const problem = nodeProblem(node);
    if (problem !== undefined) return problem;
    ids.add(node.id);
  }
  for (const edge of edges) {
    const problem = edgeProblem(edge);
    if (problem !== undefined) return problem;
    if (!ids.has(edge.from) || !ids.has(edge.to)) return LOOSE;
  }
  return hasCycle(edges) ? CYCLE : undefined;
}

/** Takes away what nothing leads to, until nothing is left, or a circle. */
export function hasCycle(edges: Iterable<ExplanationEdge>): boolean {
  const after = new Map<string, string[]>();
  const waiting = new Map<string, number>();
  for (const { from, to } of edges) {
    const known = after.get(from);
    if (known) known.push(to);
    else after.set(from, [to]);
    waiting.set(to, (waiting.get(to) ?? 0) + 1);
  }
  const free = [...after.keys()].filter((id) => !waiting.has(id));
  for (const id of free)
    for (const next of after.get(id) ?? []) {
      const left = (waiting.get(next) ?? 0) - 1;
      if (left > 0) waiting.set(next, left);
      else {
        waiting.delete(next);
        free.push(next);
      }
    }
  return waiting.size > 0;
}

export function taskProblem(task: TaskOverview): Problem {
  const { taskId, title, status, state, firstTimestamp, lastTimestamp, lastChanged, agents, activity } = task;
  const { nodes, errors, warnings, running, durationMs, tokensIn, tokensOut, costUsd, waiting } = task;
  const isWhole =
    // It is asked of other cells.
    idSchema.safeParse(taskId).success &&
    isWord(status) &&
    isWord(state) &&
    isText(title) &&
    isTextIfAny(task.sessionId) &&
    isTextIfAny(task.userId) &&
    [firstTimestamp, lastTimestamp, lastChanged].every(isTime) &&
    [nodes, errors, warnings, running, durationMs, ...activity].every(Number.isFinite) &&
    [tokensIn, tokensOut, costUsd, waiting].every(isFigureIfAny) &&
    agents.every(isText) &&
    Object.values(task.types).every(Number.isFinite);
  return isWhole ? undefined : 'a task without its fields';
}

export function hitProblem({ taskId, nodeId, field, start, end, text }: SearchHit): Problem {
  const isWhole =
    idSchema.safeParse(taskId).success &&
    [nodeId, field, text].every(isWord) &&
    [start, end].every(Number.isFinite);
  return isWhole ? undefined : 'a hit without its fields';
}

/** The first problem of a list. */
export function firstProblem<T>(items: readonly T[], problemOf: (item: T) => Problem): Problem {
  for (const item of items) {
    const problem = problemOf(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** @throws ClientError BAD_ANSWER where there is a problem */
export function assertTold(problem: Problem): void {
  if (problem !== undefined) throw new ClientError('BAD_ANSWER', `it sends ${problem}`);
}

/** An answer with no more notices, nor longer ones, than are passed on. */
export function withFewNotices<T extends Noticed>(answer: T): T {
  const { notices } = answer;
  if (notices === undefined) return answer;
  return { ...answer, notices: notices.slice(0, MAX_NOTICES).map((text) => clip(text, MAX_NOTICE_CHARS)) };
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isWord(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isTextIfAny(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function isFigureIfAny(value: unknown): boolean {
  return value === undefined || Number.isFinite(value);
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}
