import type { GraphReader } from '../graph/graph-reader.ts';
import type { IsOver, Work } from '../base/in-turns.ts';
import { endOf, hasFailed } from '../model/failure.ts';
import { count, dollars, duration } from '../model/figures.ts';
import { isAfter, resolutionOf, startOf, timesOf } from '../model/in-time.ts';
import type { ExplanationNode, NodeType } from '../model/node.ts';
import { byStart } from '../model/node-order.ts';
import { clip, firstLine } from '../model/one-line.ts';
import type { TaskSummary } from '../model/summary.ts';
import { TaskSums, type TaskOverview } from '../model/task-overview.ts';
import { askedLine, titleLine } from '../model/title.ts';
import type { CauseCandidate, WhyAnswer } from '../model/why.ts';
import { requestIn } from './request.ts';
import type { TextsOf } from './run.ts';
import { stepRole } from './step-role.ts';
import { stopsIn } from './stops.ts';
import { sentence, stepOf, type Sentence } from './summary-words.ts';

/** Nodes that one sentence refers to. */
const MAX_NODES = 20;
/** Agents listed in a sentence, and sentences about candidates. */
const MAX_NAMES = 3;
/** Sentences about steps that were tried again, and reactions that are listed. */
const MAX_GROUPS = 3;
/** Steps whose requests are compared. */
const MAX_COMPARED = 100;
/** Reasons told of a candidate. */
const MAX_REASONS = 2;
const MAX_NAME_CHARS = 60;
const MAX_MESSAGE_CHARS = 200;

/**
 * A task in words, by rules that look at the graph alone, in time in proportion to the number of its nodes. A graph that
 * changes meanwhile is told as it is when it is looked at.
 * @param why what is said of the task's failure
 * @param textsOf of the steps that `stepsToCompare` names
 */
export function* summarise(
  graph: GraphReader,
  taskId: string,
  why: WhyAnswer,
  textsOf: TextsOf,
  isOver: IsOver,
): Work<TaskSummary> {
  const task = yield* lookAt(graph, taskId, isOver);
  const again = secondAttempts(yield* attemptsIn(task, isOver), textsOf);
  const sentences = [
    ...asked(task),
    happened(task),
    ...(yield* stopsIn(graph, task.nodes, isOver)),
    failed(task, why),
    ...causes(graph, why),
    ...reactions(task, again),
    cost(task),
  ];
  return { taskId, sentences: sentences.map((sentence) => ({ ...sentence, by: 'rules' })) };
}

/** The steps whose texts tell whether one that failed was tried again. */
export function* stepsToCompare(graph: GraphReader, taskId: string, isOver: IsOver): Work<readonly string[]> {
  return [...compared(yield* attemptsIn(yield* lookAt(graph, taskId, isOver), isOver))];
}

/** What the sentences are made of; but for `nodes`, lists are in order of time. */
interface Task {
  readonly figures: TaskOverview;
  readonly nodes: readonly ExplanationNode[];
  readonly roots: readonly ExplanationNode[];
  readonly queries: readonly ExplanationNode[];
  /** Failed steps in which nothing else failed. */
  readonly failures: readonly ExplanationNode[];
  /** Reflexion actions, and changes of model. */
  readonly reactions: readonly ExplanationNode[];
  /** How many steps each agent made; those of thoughts are steps of a call. */
  readonly steps: ReadonlyMap<string, number>;
  readonly dearest: ExplanationNode | undefined;
  /** Calls of which nobody knows what they cost. */
  readonly unpriced: number;
  /** Something may come yet: a step runs, or what it is inside of is not there, as most senders tell of a step when it has ended. */
  readonly mayGoOn: boolean;
}

function* lookAt(graph: GraphReader, taskId: string, isOver: IsOver): Work<Task> {
  const sums = new TaskSums();
  const nodes: ExplanationNode[] = [];
  const roots: ExplanationNode[] = [];
  const steps = new Map<string, number>();
  let dearest: ExplanationNode | undefined;
  let unpriced = 0;
  for (const id of graph.nodesOfTask(taskId)) {
    if (isOver()) yield;
    const node = graph.node(id);
    if (!node) continue;
    const isRoot = graph.treeParent(id) === undefined;
    const { type, agent, costUsd } = node;
    sums.add(node, isRoot);
    nodes.push(node);
    if (isRoot) roots.push(node);
    if (type !== 'USER_QUERY' && type !== 'REASONING') steps.set(agent, (steps.get(agent) ?? 0) + 1);
    if (costUsd === undefined) unpriced += type === 'LLM_CALL' ? 1 : 0;
    else if (dearest?.costUsd === undefined || costUsd > dearest.costUsd) dearest = node;
    else if (costUsd === dearest.costUsd && byStart(node, dearest) < 0) dearest = node;
  }
  const of = (isOne: (node: ExplanationNode) => boolean): ExplanationNode[] =>
    nodes.filter(isOne).sort(byStart);
  const failed = of(hasFailed);
  const containers = new Set<string>();
  for (const { id } of failed) {
    if (isOver()) yield;
    let above = graph.treeParent(id);
    while (above !== undefined && !containers.has(above)) {
      containers.add(above);
      above = graph.treeParent(above);
    }
  }
  const figures = sums.overview(taskId);
  return {
    figures,
    nodes,
    roots: roots.sort(byStart),
    queries: of(({ type }) => type === 'USER_QUERY'),
    failures: failed.filter(({ id }) => !containers.has(id)),
    reactions: of(({ type }) => type === 'REFLEXION_ACTION' || type === 'MODEL_SWITCH'),
    steps,
    dearest,
    unpriced,
    mayGoOn:
      figures.state === 'RUNNING' || (figures.state === 'ENDED' && roots.some(isInsideOfWhatIsNotThere)),
  };
}

function isInsideOfWhatIsNotThere({ details = {} }: ExplanationNode): boolean {
  return details['parentSpanId'] !== undefined;
}

function asked({ queries, roots }: Task): Sentence[] {
  const [first, ...more] = queries;
  if (first) {
    const further =
      more.length === 0 ? '' : ` and wrote ${more.length === 1 ? 'once' : `${more.length} times`} more`;
    return [
      {
        text: `The user asked “${titleLine(first.title) ?? first.name}”${further}.`,
        nodeIds: idsOf(queries),
      },
    ];
  }
  // What a model thought is nobody's question.
  const root = roots.find(
    ({ promptSummary, details = {} }) =>
      details['promptSummaryOf'] !== 'thought' && titleLine(askedLine(promptSummary)) !== undefined,
  );
  if (root) return [{ text: `It was asked “${titleLine(root.promptSummary)}”.`, nodeIds: [root.id] }];
  return roots.slice(0, 1).map((node) => ({
    text: `What was asked is not recorded; it began with ${stepOf(node)}.`,
    nodeIds: [node.id],
  }));
}

/** In words. */
const KINDS: readonly (readonly [type: NodeType, one: string])[] = [
  ['LLM_CALL', 'LLM call'],
  ['TOOL_CALL', 'tool call'],
  ['TEST_RUN', 'test run'],
  ['STATIC_ANALYSIS', 'code check'],
  ['REFLEXION_ACTION', 'reflexion action'],
  ['MODEL_SWITCH', 'change of model'],
  ['OTHER', 'other step'],
];

function happened({ figures, steps, roots, mayGoOn }: Task): Sentence {
  const { types, state, durationMs } = figures;
  const kinds = KINDS.flatMap(([type, one]) => {
    const n = types[type] ?? 0;
    return n === 0 ? [] : [n > 1 && type === 'MODEL_SWITCH' ? `${n} changes of model` : count(n, one)];
  });
  const agents = [...steps].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([agent]) => agent);
  const what =
    kinds.length === 0
      ? 'nothing but questions and thoughts is recorded'
      : `${listed(agents, MAX_NAMES, 'agent')} made ${listed(kinds)}`;
  const ended = mayGoOn ? '; it may still be running, as what a step is inside of has not come' : '';
  const ends = { RUNNING: '; it is still running', ENDED: ended, ABANDONED: '; its end was never told' }[
    state
  ];
  return { text: `In ${duration(durationMs)} ${what}${ends}.`, nodeIds: idsOf(roots) };
}

function failed(
  { figures, mayGoOn, roots, failures }: Task,
  { nodeId, outcome, graph }: WhyAnswer,
): Sentence {
  const node = graph.nodes.find(({ id }) => id === nodeId);
  if (!node || outcome.failedNodes.length === 0) {
    return { text: `Nothing failed${mayGoOn ? ' so far' : ''}.`, nodeIds: idsOf(roots) };
  }
  const others = failures.filter(({ id }) => id !== nodeId);
  const message = messageOf(node);
  const verb = node.status === 'ERROR' ? 'failed' : 'ended with a warning';
  return {
    text: sentence(
      `${stepOf(node)} ${verb}${message === undefined ? '' : `: ${message}`}`,
      inAll(figures, failures),
    ),
    nodeIds: idsOf([node, ...others]),
  };
}

/** The counts of the list of tasks; an error in a step may be told again as that of each step around it. */
function inAll({ errors, warnings }: TaskOverview, failures: readonly ExplanationNode[]): string {
  if (errors + warnings < 2) return '';
  const isAround = errors + warnings > failures.length;
  const counts = [count(errors, 'error'), count(warnings, 'warning')].filter((one) => !one.startsWith('0 '));
  return `; ${listed(counts)} in all${isAround ? ', those of steps around others included' : ''}`;
}

/** What speaks for a step by more than its place, in the words of `why`. */
function causes(graph: GraphReader, { candidates, unexplained, notice, nodeId }: WhyAnswer): Sentence[] {
  // Where there is an error, the sentence before quotes it.
  if (unexplained) return [{ text: notice, nodeIds: [nodeId] }];
  const said = candidates.flatMap((candidate) => {
    const node = graph.node(candidate.nodeId);
    const reasons = evidenceOf(candidate);
    return node && reasons.length > 0 ? [{ node, reasons }] : [];
  });
  if (said.length === 0) {
    return candidates.length === 0
      ? []
      : [
          {
            text: 'Why is not known: steps are named by their place in the run alone.',
            nodeIds: candidates.map((candidate) => candidate.nodeId),
          },
        ];
  }
  return said.slice(0, MAX_NAMES).map(({ node, reasons }, i) => ({
    text: sentence(`${i === 0 ? 'Where to look first' : 'Then'}: ${stepOf(node)}: ${reasons.join('; ')}`),
    nodeIds: [node.id],
  }));
}

function evidenceOf({ reasons }: CauseCandidate): readonly string[] {
  const byEvidence = reasons.filter(({ strength }) => strength === 'evidence');
  return byEvidence.slice(0, MAX_REASONS).map(({ statement }) => firstLine(statement, MAX_MESSAGE_CHARS));
}

/** What came after the first failure: reactions of the agents, and whether what failed was done again. */
function reactions({ failures, mayGoOn, ...task }: Task, again: readonly Sentence[]): Sentence[] {
  if (failures.length === 0) return [];
  const since = failures.reduce((first, node) => Math.min(first, endOf(node)), Infinity);
  const told = task.reactions.filter((node) => startOf(node) + resolutionOf(startOf(node)) > since);
  const names = new Map<string, number>();
  for (const node of told) names.set(nameOf(node), (names.get(nameOf(node)) ?? 0) + 1);
  const did = [...names].map(([name, n]) => (n === 1 ? name : `${name} (${n} times)`));
  if (told.length === 0 && again.length === 0)
    return [
      {
        text: `No retry of ${failures.length === 1 ? 'it' : 'any failed step'} is recorded${mayGoOn ? ' so far' : ''}.`,
        nodeIds: idsOf(failures),
      },
    ];
  const reacted = `After ${failures.length === 1 ? 'it' : 'the first failure'} came ${listed(did, MAX_GROUPS, 'more')}.`;
  return [
    ...(told.length > 0 ? [{ text: reacted, nodeIds: idsOf(told) }] : []),
    ...again.slice(0, MAX_GROUPS),
  ];
}

/** Steps of one agent and role. */
interface Attempts {
  readonly bad: readonly ExplanationNode[];
  /** Those that began when one of `bad` had ended. */
  readonly later: readonly ExplanationNode[];
}

/** What failed with what may be the same again. */
function* attemptsIn({ nodes, failures }: Task, isOver: IsOver): Work<readonly Attempts[]> {
  const kinds = new Map<string, { readonly bad: ExplanationNode[]; readonly later: ExplanationNode[] }>();
  for (const node of failures) {
    const kind = kinds.get(kindOf(node));
    if (kind) kind.bad.push(node);
    else kinds.set(kindOf(node), { bad: [node], later: [] });
  }
  for (const node of kinds.size === 0 ? [] : nodes) {
    if (isOver()) yield;
    if (node.status !== 'OK' || node.state === 'ABANDONED') continue;
    const kind = kinds.get(kindOf(node));
    const [first] = kind?.bad ?? [];
    if (kind && first && isAfter(timesOf(node), timesOf(first))) kind.later.push(node);
  }
  return [...kinds.values()].map(({ bad, later }) => ({ bad, later: later.sort(byStart) }));
}

function compared(attempts: readonly Attempts[]): ReadonlySet<string> {
  const several = attempts.map(({ bad, later }) => [...bad, ...later]).filter(({ length }) => length > 1);
  return new Set(
    several
      .flat()
      .slice(0, MAX_COMPARED)
      .map(({ id }) => id),
  );
}

/** Steps that failed several times with the same request, or were tried again when they had failed. */
function secondAttempts(attempts: readonly Attempts[], textsOf: TextsOf): Sentence[] {
  const known = compared(attempts);
  const requestOf = (node: ExplanationNode): string | undefined =>
    known.has(node.id) ? requestIn(node, textsOf) : undefined;
  return attempts.flatMap(({ bad, later }) => {
    const requests = new Map<string | undefined, ExplanationNode[]>();
    for (const node of bad) {
      const request = requestOf(node);
      const same = requests.get(request);
      if (same) same.push(node);
      else requests.set(request, [node]);
    }
    return [...requests].flatMap(([request, same]) => againOf(same, request, later, requestOf));
  });
}

function againOf(
  bad: readonly ExplanationNode[],
  request: string | undefined,
  later: readonly ExplanationNode[],
  requestOf: (node: ExplanationNode) => string | undefined,
): Sentence[] {
  const [first] = bad;
  const last = bad.at(-1);
  if (!first || !last) return [];
  const ofLast = timesOf(last);
  const after = later.filter((node) => isAfter(timesOf(node), ofLast));
  const same = request === undefined ? undefined : after.find((node) => requestOf(node) === request);
  // Every turn of an agent is a call like the one that failed: that one followed says nothing.
  const maybe =
    first.type === 'LLM_CALL'
      ? undefined
      : after.find((node) => request === undefined || requestOf(node) === undefined);
  const next = same ?? maybe;
  if (!next && bad.length === 1) return [];
  const times = bad.length === 1 ? 'failed once' : `failed ${bad.length} times`;
  const went = next?.state === 'RUNNING' ? 'is running' : 'went well';
  const end = same
    ? `; a later attempt ${went}`
    : maybe
      ? `; a later one ${went}, whether with the same request is not known`
      : '';
  return [
    {
      text: `${stepOf(first)} ${times}${end}.`,
      nodeIds: idsOf([...bad.slice(0, MAX_NODES - 1), ...(next ? [next] : [])]),
    },
  ];
}

function cost({ figures, nodes, roots, dearest, unpriced }: Task): Sentence {
  const { costUsd, tokensIn, tokensOut } = figures;
  const isCounted = tokensIn !== undefined || tokensOut !== undefined;
  const read = isCounted
    ? `${known(tokensIn)} tokens in and ${known(tokensOut)} out`
    : 'tokens are not recorded';
  if (costUsd === undefined || !dearest) {
    const what = unpriced === 0 ? 'it' : count(unpriced, 'LLM call');
    return { text: `What ${what} cost is not known; ${read}.`, nodeIds: idsOf(roots) };
  }
  const isShared = nodes.some((node) => node !== dearest && (node.costUsd ?? 0) > 0);
  const where = isShared ? `; ${percent((dearest.costUsd ?? 0) / costUsd)} of it in ${stepOf(dearest)}` : '';
  const rest = unpriced === 0 ? '' : `; what ${count(unpriced, 'LLM call')} cost is not known`;
  return {
    text: sentence(`It cost ${dollars(costUsd)}; ${read}${where}`, rest),
    nodeIds: [dearest.id],
  };
}

/** A part is neither nothing nor all. */
function percent(share: number): string {
  const rounded = Math.round(share * 100);
  return rounded >= 100 ? 'over 99 %' : rounded < 1 ? 'less than 1 %' : `${rounded} %`;
}

function known(figure: number | undefined): string {
  return figure === undefined ? 'unknown' : figure.toLocaleString('en');
}

/** Of a change of model the models. */
function nameOf({ type, name, agent, details = {} }: ExplanationNode): string {
  const { oldModel, newModel } = details;
  const isSwitch = type === 'MODEL_SWITCH' && typeof oldModel === 'string' && typeof newModel === 'string';
  return isSwitch
    ? `a change of model from ${oldModel} to ${newModel}`
    : `“${clip(titleLine(name) ?? type, MAX_NAME_CHARS)}” of ${agent}`;
}

function messageOf({ details = {} }: ExplanationNode): string | undefined {
  const message = details['errorMessage'];
  const line = typeof message === 'string' ? message.trim().split(/[\r\n]/, 1)[0] : undefined;
  return line === undefined || line === '' ? undefined : firstLine(line, MAX_MESSAGE_CHARS);
}

function kindOf(node: ExplanationNode): string {
  const { type, tool = '', name } = stepRole(node);
  return [type, node.agent, tool, name === undefined ? '' : node.name].join('\n');
}

/** In order of time, each once. */
function idsOf(nodes: readonly ExplanationNode[]): string[] {
  return nodes.slice(0, MAX_NODES).map(({ id }) => id);
}

/** `a, b and c`; beyond so many `a, b, c and 4 agents more`. */
function listed(words: readonly string[], most = Infinity, what = ''): string {
  const left = words.length - most;
  const shown =
    left > 0
      ? [
          ...words.slice(0, most),
          `${left} ${what === 'more' ? what : `more ${what}${left === 1 ? '' : 's'}`}`,
        ]
      : words;
  return shown.length < 2 ? (shown[0] ?? '') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}
