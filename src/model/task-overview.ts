import { waitsForApproval } from './approval.ts';
import { isEventNode } from './ids.ts';
import type { ExplanationNode, NodeState, NodeStatus } from './node.ts';
import { Recovery } from './recovery.ts';
import { compareIso, epochMs, MAX_EPOCH_MS, parseTime, toIso } from './time.ts';
import { askedLine, titleLine } from './title.ts';

/** One task in a list of tasks; a function of its nodes. */
export interface TaskOverview {
  readonly taskId: string;
  /**
   * What the user asked, else what the root was asked, else the first prompt, else what the root says, else its name, else the
   * first name: one redacted line of at most 120 characters.
   */
  readonly title: string;
  /** The session, thread or conversation that the earliest step with one names. */
  readonly sessionId?: string;
  readonly userId?: string;
  /** The worst of its nodes: ERROR, WARNING, OK, SKIPPED. */
  readonly status: NodeStatus;
  readonly state: NodeState;
  readonly nodes: number;
  readonly errors: number;
  readonly warnings: number;
  readonly running: number;
  /** Steps that wait for a person's approval; absent when none does. */
  readonly waiting?: number;
  /** It is over, no root failed, and after each step that failed its agent did the same again, well; with other arguments it is not the same. */
  readonly recovered?: true;
  /** How many nodes of each type. */
  readonly types: { readonly [type: string]: number };
  /** Sums over its nodes; absent when no node has the figure. */
  readonly tokensIn?: number;
  readonly tokensOut?: number;
  readonly costUsd?: number;
  /** ISO 8601, the starts of the earliest and the latest node. */
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  /** ISO 8601: when, by the clocks of the senders, something of it last began or ended. */
  readonly lastChanged: string;
  /** From the first start to `lastChanged`. */
  readonly durationMs: number;
  /** That of the root first, the others sorted. */
  readonly agents: readonly string[];
  /** Steps that began in each of (at most 24) equal parts of the time from the first start to the last. */
  readonly activity: readonly number[];
  /** It left memory, as a whole. */
  readonly archived?: true;
  /** The cells that each have a part of it, in order; only where there are several. */
  readonly cells?: readonly string[];
}

/** Parts of `activity`. */
const MAX_PARTS = 24;
/** Sums are of whole numbers, so that they do not depend on an order. */
const PER_USD = 1e12;
const UNNAMED = 'a task without a name';
/** Trace ids and other hashes: for people no title. */
const HASH = /^[0-9a-f]{32}$/i;

interface Found {
  readonly at: string;
  readonly id: string;
  readonly text: string;
}

/** Sums up a task, node by node in any order. */
export class TaskSums {
  private readonly starts: number[] = [];
  private readonly agents = new Set<string>();
  private readonly types: Record<string, number> = {};
  private readonly statuses: Record<NodeStatus, number> = { ERROR: 0, WARNING: 0, OK: 0, SKIPPED: 0 };
  private readonly states: Record<NodeState, number> = { RUNNING: 0, ENDED: 0, ABANDONED: 0 };
  private first = '';
  private last = '';
  private end = -Infinity;
  private waiting = 0;
  private tokensIn: number | undefined;
  private tokensOut: number | undefined;
  private cost: number | undefined;
  private query: Found | undefined;
  private asked: Found | undefined;
  private root: Found | undefined;
  private said: Found | undefined;
  private rootNamed: Found | undefined;
  private rootAgent: Found | undefined;
  private named: Found | undefined;
  /** Events: what was done or said about the work. Senders write their times in whole seconds, before its first step. */
  private beside: Found | undefined;
  private session: Found | undefined;
  private user: Found | undefined;
  private readonly recovery = new Recovery();

  get nodes(): number {
    return this.starts.length;
  }

  /** @param isRoot nothing in its trace is above it */
  add(node: ExplanationNode, isRoot = node.details?.['parentSpanId'] === undefined): void {
    const { details = {} } = node;
    const start = parseTime(node.timestamp) ?? 0;
    const at = toIso(epochMs(start));
    if (this.starts.length === 0 || at < this.first) this.first = at;
    if (at > this.last) this.last = at;
    this.starts.push(start);
    const took = node.latencyMs ?? 0;
    if (took >= 0) this.end = Math.max(this.end, start + took);
    this.agents.add(node.agent);
    this.types[node.type] = (this.types[node.type] ?? 0) + 1;
    this.statuses[node.status]++;
    this.recovery.add(node, start, isRoot);
    this.states[node.state]++;
    if (waitsForApproval(node)) this.waiting++;
    if (node.tokensIn !== undefined) this.tokensIn = (this.tokensIn ?? 0) + node.tokensIn;
    if (node.tokensOut !== undefined) this.tokensOut = (this.tokensOut ?? 0) + node.tokensOut;
    if (node.costUsd !== undefined) this.cost = (this.cost ?? 0) + Math.round(node.costUsd * PER_USD);
    this.session = earlier(this.session, node, details['sessionId']);
    this.user = earlier(this.user, node, details['userId']);
    if (details['partOf'] === undefined) this.addNamed(node, isRoot);
    if (node.type === 'USER_QUERY') this.query = earlier(this.query, node, node.title);
  }

  /** @param archived it left memory */
  overview(taskId: string, archived = false): TaskOverview {
    const { statuses, states, tokensIn, tokensOut, cost } = this;
    const first = parseTime(this.first) ?? 0;
    // A sender may say that a step takes longer than there are dates.
    const end = Math.min(Math.max(this.end, first), MAX_EPOCH_MS);
    return {
      taskId,
      title: this.title,
      ...(this.session && { sessionId: this.session.text }),
      ...(this.user && { userId: this.user.text }),
      status: WORST_FIRST.find((status) => statuses[status] > 0) ?? 'OK',
      state: states.RUNNING > 0 ? 'RUNNING' : states.ENDED > 0 ? 'ENDED' : 'ABANDONED',
      nodes: this.nodes,
      errors: statuses.ERROR,
      warnings: statuses.WARNING,
      running: states.RUNNING,
      ...(this.waiting > 0 && { waiting: this.waiting }),
      ...(states.RUNNING === 0 && this.recovery.isComplete && { recovered: true as const }),
      types: { ...this.types },
      ...(tokensIn !== undefined && { tokensIn }),
      ...(tokensOut !== undefined && { tokensOut }),
      ...(cost !== undefined && { costUsd: Math.round(cost / 1000) / 1e9 }),
      firstTimestamp: this.first,
      lastTimestamp: this.last,
      lastChanged: toIso(epochMs(end)),
      durationMs: end - first,
      agents: agentsOf(this.agents, this.rootAgent?.text),
      activity: this.activity(first),
      ...(archived && { archived }),
    };
  }

  private addNamed(node: ExplanationNode, isRoot: boolean): void {
    const { promptSummary, name, title, status, details = {} } = node;
    if (isEventNode(node.id)) {
      this.beside = earlier(this.beside, node, title);
      return;
    }
    // What a model thought is nobody's question.
    const hasThought = details['promptSummaryOf'] === 'thought';
    const asked = hasThought ? undefined : askedLine(promptSummary);
    if (isRoot) {
      this.root = earlier(this.root, node, asked);
      const says = status !== 'ERROR' && title !== name;
      if (says) this.said = earlier(this.said, node, title);
      if (!HASH.test(name)) this.rootNamed = earlier(this.rootNamed, node, name);
      // Of roots that began at once the agent's name decides: parts of a task in several cells have no ids in common.
      this.rootAgent = earlier(this.rootAgent, { timestamp: node.timestamp, id: node.agent }, node.agent);
    }
    this.asked = earlier(this.asked, node, asked);
    if (!HASH.test(name)) this.named = earlier(this.named, node, name);
  }

  private get title(): string {
    const { query, root, asked, said, rootNamed, named, beside } = this;
    const lines = [query, root, asked, said, rootNamed, named, beside].map((found) => titleLine(found?.text));
    return lines.find((line) => line !== undefined && !HASH.test(line)) ?? UNNAMED;
  }

  private activity(first: number): readonly number[] {
    const last = this.starts.reduce((latest, start) => Math.max(latest, start), first);
    const parts = last === first ? 1 : MAX_PARTS;
    const counts = Array.from({ length: parts }, () => 0);
    for (const start of this.starts) {
      const part = partOf(start, first, last, parts);
      counts[part] = (counts[part] ?? 0) + 1;
    }
    return counts;
  }
}

/**
 * Of a task that is partly in memory and partly archived: figures are sums. The title, the first agent and who it is for are those of the part
 * that began first; the activity is that of both parts, as exact as theirs.
 */
export function together(live: TaskOverview, archived: TaskOverview): TaskOverview {
  const parts = [live, archived] as const;
  const [first, second] = live.firstTimestamp < archived.firstTimestamp ? parts : ([archived, live] as const);
  const firstTimestamp = first.firstTimestamp;
  const [firstAgent] =
    first.firstTimestamp === second.firstTimestamp
      ? [...first.agents.slice(0, 1), ...second.agents.slice(0, 1)].sort()
      : first.agents;
  const lastTimestamp = latest(live.lastTimestamp, archived.lastTimestamp);
  const lastChanged = latest(live.lastChanged, archived.lastChanged);
  const sessionId = first.sessionId ?? second.sessionId;
  const userId = first.userId ?? second.userId;
  const tokensIn = sum(live.tokensIn, archived.tokensIn);
  const tokensOut = sum(live.tokensOut, archived.tokensOut);
  const cost = sum(live.costUsd, archived.costUsd);
  const waiting = sum(live.waiting, archived.waiting);
  const types: Record<string, number> = { ...live.types };
  for (const [type, count] of Object.entries(archived.types)) types[type] = (types[type] ?? 0) + count;
  return {
    taskId: live.taskId,
    title: first.title === UNNAMED ? second.title : first.title,
    ...(sessionId !== undefined && { sessionId }),
    ...(userId !== undefined && { userId }),
    status: WORST_FIRST.find((status) => parts.some((part) => part.status === status)) ?? 'OK',
    state: STATES.find((state) => parts.some((part) => part.state === state)) ?? 'ENDED',
    nodes: live.nodes + archived.nodes,
    errors: live.errors + archived.errors,
    warnings: live.warnings + archived.warnings,
    running: live.running + archived.running,
    ...(waiting !== undefined && { waiting }),
    ...(parts.every(isWell) && parts.some(({ recovered }) => recovered) && { recovered: true as const }),
    types,
    ...(tokensIn !== undefined && { tokensIn }),
    ...(tokensOut !== undefined && { tokensOut }),
    ...(cost !== undefined && { costUsd: Math.round(cost * 1e9) / 1e9 }),
    firstTimestamp,
    lastTimestamp,
    lastChanged,
    durationMs: (parseTime(lastChanged) ?? 0) - (parseTime(firstTimestamp) ?? 0),
    agents: agentsOf(new Set([...live.agents, ...archived.agents]), firstAgent),
    activity: activityOf(parts, parseTime(firstTimestamp) ?? 0, parseTime(lastTimestamp) ?? 0),
  };
}

/**
 * Of a task with parts in several cells: as `together`, whatever their number.
 * @param parts in the order of the cells; at least one
 */
export function unionOf(
  parts: readonly { readonly cell: string; readonly overview: TaskOverview }[],
): TaskOverview | undefined {
  const [first, ...rest] = parts.map(({ overview }) => overview);
  if (!first || rest.length === 0) return first;
  return {
    ...rest.reduce(together, first),
    ...([first, ...rest].every(({ archived }) => archived) && { archived: true as const }),
    cells: parts.map(({ cell }) => cell),
  };
}

function isWell({ errors, running, recovered }: TaskOverview): boolean {
  return running === 0 && (errors === 0 || recovered === true);
}

function agentsOf(agents: ReadonlySet<string>, first: string | undefined): readonly string[] {
  const others = [...agents].filter((agent) => agent !== first).sort();
  return first === undefined ? others : [first, ...others];
}

/** Where each part of an activity began, the steps in it are counted. */
function activityOf(parts: readonly TaskOverview[], first: number, last: number): readonly number[] {
  const counts = Array.from({ length: last === first ? 1 : MAX_PARTS }, () => 0);
  for (const { activity, firstTimestamp, lastTimestamp } of parts) {
    const from = parseTime(firstTimestamp) ?? 0;
    const width = ((parseTime(lastTimestamp) ?? 0) - from) / activity.length;
    for (const [i, count] of activity.entries()) {
      const at = partOf(from + i * width, first, last, counts.length);
      counts[at] = (counts[at] ?? 0) + count;
    }
  }
  return counts;
}

function partOf(at: number, first: number, last: number, parts: number): number {
  return parts === 1 ? 0 : Math.min(parts - 1, Math.floor(((at - first) / (last - first)) * parts));
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : a + (b ?? 0);
}

function latest(a: string, b: string): string {
  return a > b ? a : b;
}

const STATES: readonly NodeState[] = ['RUNNING', 'ENDED', 'ABANDONED'];
const WORST_FIRST: readonly NodeStatus[] = ['ERROR', 'WARNING', 'OK', 'SKIPPED'];

function earlier(
  found: Found | undefined,
  { timestamp: at, id }: Pick<ExplanationNode, 'timestamp' | 'id'>,
  text: unknown,
): Found | undefined {
  if (typeof text !== 'string' || text.trim() === '') return found;
  const order = found ? compareIso(found.at, at) : 1;
  if (order < 0 || (order === 0 && found && found.id <= id)) return found;
  return { at, id, text };
}
