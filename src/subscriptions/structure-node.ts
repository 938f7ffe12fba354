import { annotationsOf, DECISIONS, VERDICTS, type Annotation } from '../model/annotation.ts';
import type { ExplanationNode } from '../model/node.ts';
import { clip } from '../model/one-line.ts';
import type { TaskOverview } from '../model/task-overview.ts';

/**
 * What is left of nodes and tasks for who may not read texts: ids, types, states, times, figures, and the names of agents,
 * models and tools. All of it is named here: a field that is new is text until somebody writes it down. What a program names
 * as it likes is text, too: spans, events, tests, files, errors; and so is who used it.
 */

/** A node without texts; the very same object each time for the same node. */
export function structureOf(node: ExplanationNode): ExplanationNode {
  const known = KNOWN.get(node);
  if (known) return known;
  const structure = madeOf(node);
  KNOWN.set(node, structure);
  KNOWN.set(structure, structure);
  return structure;
}

/** By node; what is without texts already is its own. */
const KNOWN = new WeakMap<ExplanationNode, ExplanationNode>();

/** Was it made here? */
export function isStructure(node: ExplanationNode): boolean {
  return KNOWN.get(node) === node;
}

/** What is to be added to nodes is made of what they are without texts. */
export function ofStructure(
  add: (node: ExplanationNode) => ExplanationNode,
): (node: ExplanationNode) => ExplanationNode {
  return (node) => {
    const shown = add(structureOf(node));
    KNOWN.set(shown, shown);
    return shown;
  };
}

function madeOf(node: ExplanationNode): ExplanationNode {
  const { id, timestamp, agent, type, taskId, state, status, summary } = node;
  const { model, tokensIn, tokensOut, latencyMs, costUsd } = node;
  const details = detailsOf(node.details);
  const name = labelOf(node, details);
  return {
    id,
    timestamp,
    agent,
    type,
    name,
    title: name,
    taskId,
    state,
    status,
    ...(model !== undefined && { model }),
    ...(tokensIn !== undefined && { tokensIn }),
    ...(tokensOut !== undefined && { tokensOut }),
    ...(latencyMs !== undefined && { latencyMs }),
    ...(costUsd !== undefined && { costUsd }),
    ...(details && { details }),
    ...(summary && { summary }),
  };
}

type Details = { readonly [key: string]: unknown };

/** Is it what its name says? A sender of events chooses names and values alike. */
type Check = (value: unknown) => boolean;

/** Ids, and names of tools and models, have no blank in them and are short: a sentence is neither. */
const isWord: Check = (value) => typeof value === 'string' && /^\S{1,256}$/.test(value);
const areWords: Check = (value) => Array.isArray(value) && value.every(isWord);
const isFigure: Check = (value) => typeof value === 'number';
const isOneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.some((word) => word === value);

const CHECKS: Readonly<Record<string, Check>> = {
  traceId: isWord,
  traceIds: areWords,
  spanId: isWord,
  spanIds: areWords,
  namedSpanId: isWord,
  parentSpanId: isWord,
  requestId: isWord,
  responseId: isWord,
  eventId: isWord,
  sessionId: isWord,
  runId: isWord,
  parentRunId: isWord,
  partOf: isWord,
  toolCallId: isWord,
  requestedToolCallIds: areWords,
  answeredToolCallIds: areWords,
  toolName: isWord,
  requestModel: isWord,
  responseModel: isWord,
  oldModel: isWord,
  newModel: isWord,
  outcome: isOneOf('pending', 'approved', 'denied', 'expired'),
  flowKind: isOneOf('session', 'conversation', 'step'),
  correlation: isOneOf('matched', 'pending'),
  notice: isOneOf('truncated'),
  flowIndex: isFigure,
  step: isFigure,
  steps: isFigure,
  alternative: isFigure,
  nodes: isFigure,
  maxNodesPerTask: isFigure,
  cacheReadTokens: isFigure,
  cacheWriteTokens: isFigure,
  reasoningTokens: isFigure,
  timeToFirstTokenMs: isFigure,
  premiumRequests: isFigure,
  issuesCount: isFigure,
  testsPassed: isFigure,
  testsFailed: isFigure,
  coverage: isFigure,
};

function detailsOf(details: Details | undefined): Details | undefined {
  const kept = Object.entries(details ?? {}).filter(([key, value]) => CHECKS[key]?.(value) === true);
  const said = annotationsOf({ details: details ?? {} });
  if (said.length > 0) kept.push(['annotations', said.map(structureOfAnnotation)]);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** That something was said, and whether it was well; not what, nor by whom. */
function structureOfAnnotation({ id, nodeId, kind, verdict, decision, at }: Annotation): object {
  return {
    id,
    nodeId,
    kind,
    at,
    ...(isOneOf(...VERDICTS)(verdict) && { verdict }),
    ...(isOneOf(...DECISIONS)(decision) && { decision }),
  };
}

const WORDS: Readonly<Record<ExplanationNode['type'], string>> = {
  LLM_CALL: 'LLM call',
  TOOL_CALL: 'tool call',
  STATIC_ANALYSIS: 'code check',
  TEST_RUN: 'test run',
  MODEL_SWITCH: 'model switch',
  REFLEXION_ACTION: 'reflexion action',
  USER_QUERY: 'a question',
  REASONING: 'reasoning',
  SUMMARY: 'steps',
  OTHER: 'step',
};

/** Longest label, as of any title. */
const MAX_LABEL_CHARS = 120;

/** What stands in the place of names and titles: the type, and the tool or model. */
function labelOf({ type, summary, model }: ExplanationNode, details: Details = {}): string {
  if (summary) return `${SUMMED[summary.reason]} steps (n=${summary.count})`;
  if (details['notice'] === 'truncated') return 'graph truncated';
  const { toolName, step, alternative } = details;
  if (type === 'REASONING') {
    const place = alternative === undefined ? step : `alternative ${alternative as number}`;
    return place === undefined ? WORDS.REASONING : `${WORDS.REASONING} ${place as number}`;
  }
  const what = toolName ?? (type === 'LLM_CALL' || type === 'MODEL_SWITCH' ? model : undefined);
  return typeof what === 'string' ? clip(`${WORDS[type]} ${what}`, MAX_LABEL_CHARS) : WORDS[type];
}

const SUMMED = { routine: 'routine', repeated: 'repeated', limit: 'more' } as const;

/** A task in the list without texts: its title is who took part. */
export function structureOfTask(task: TaskOverview): TaskOverview {
  const { taskId, sessionId, status, state, nodes, errors, warnings, running, waiting, recovered, types } =
    task;
  const { tokensIn, tokensOut, costUsd, firstTimestamp, lastTimestamp, lastChanged, durationMs } = task;
  const { agents, activity, archived, cells } = task;
  return {
    taskId,
    title: clip(agents.join(', '), MAX_LABEL_CHARS),
    ...(isWord(sessionId) && { sessionId: sessionId as string }),
    status,
    state,
    nodes,
    errors,
    warnings,
    running,
    ...(waiting !== undefined && { waiting }),
    ...(recovered && { recovered }),
    types,
    ...(tokensIn !== undefined && { tokensIn }),
    ...(tokensOut !== undefined && { tokensOut }),
    ...(costUsd !== undefined && { costUsd }),
    firstTimestamp,
    lastTimestamp,
    lastChanged,
    durationMs,
    agents,
    activity,
    ...(archived && { archived }),
    ...(cells && { cells }),
  };
}
