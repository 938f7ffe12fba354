import type { GraphReader } from '../../src/graph/graph-reader.ts';
import type { Guard, GuardLimit } from '../../src/guards/guard.ts';
import type { ExplanationNode } from '../../src/model/node.ts';

export interface NaiveGuardsOptions {
  readonly guards: readonly Guard[];
  readonly graph: GraphReader;
  readonly saidBy: (node: ExplanationNode) => string | undefined;
  readonly freshMs: number;
}

export interface NaiveFiring {
  readonly limit: GuardLimit;
  readonly agent: string | undefined;
  readonly isAgain: boolean;
  /** All of it in one line. */
  readonly words: string;
}

/** The rule of guards said anew: at each look all figures are worked out from the whole graph. */
export class NaiveGuards {
  private readonly options: NaiveGuardsOptions;
  private before = new Map<string, ExplanationNode>();
  private readonly live = new Set<string>();
  private readonly newAt = new Map<string, number>();
  private readonly firedAt = new Map<string, number>();

  constructor(options: NaiveGuardsOptions) {
    this.options = options;
  }

  /** @param changed nodes that came, changed or went since the last look */
  look(changed: ReadonlySet<string>, now: number): readonly NaiveFiring[] {
    const { graph, guards, freshMs } = this.options;
    const nodes = [...graph.taskIds()].flatMap((task) =>
      [...graph.nodesOfTask(task)].map((id) => nodeOf(graph, id)),
    );
    const news = new Set<string>();
    const touched = new Set<string>();
    for (const id of changed) {
      const old = this.before.get(id);
      if (old) touched.add(old.taskId);
    }
    for (const node of nodes) {
      if (!changed.has(node.id)) continue;
      touched.add(node.taskId);
      const isFresh = endOf(node) > now - freshMs;
      if (isFresh) this.live.add(node.taskId);
      const wasThere = this.before.get(node.id)?.taskId === node.taskId;
      if (isFresh || (wasThere && node.state === 'RUNNING')) news.add(node.id);
    }
    for (const task of this.live) if (graph.nodesOfTask(task).size === 0) this.live.delete(task);
    const fired = guards.flatMap((guard) => this.lookAs(guard, nodes, { changed, news, touched, now }));
    this.before = new Map(nodes.map((node) => [node.id, node]));
    return fired;
  }

  private lookAs(
    guard: Guard,
    nodes: readonly ExplanationNode[],
    {
      changed,
      news,
      touched,
      now,
    }: {
      readonly changed: ReadonlySet<string>;
      readonly news: ReadonlySet<string>;
      readonly touched: ReadonlySet<string>;
      readonly now: number;
    },
  ): NaiveFiring[] {
    const { graph, saidBy } = this.options;
    const counted = nodes.filter(
      ({ taskId, agent }) =>
        (guard.tasks === undefined || taskId.startsWith('t')) &&
        (guard.agents?.includes('*') !== false || guard.agents.includes(agent)),
    );
    const scopes = Map.groupBy(counted, ({ taskId, agent }) =>
      JSON.stringify([guard.name, taskId, guard.per === 'agent' ? agent : null]),
    );
    for (const key of this.newAt.keys())
      if (key.startsWith(`["${guard.name}"`) && !scopes.has(key)) this.newAt.delete(key);
    const fired: NaiveFiring[] = [];
    for (const [key, members] of scopes) {
      const [, taskId, agent] = JSON.parse(key) as [string, string, string | null];
      const sameAs = (node: ExplanationNode): string | undefined => {
        const said = saidBy(node);
        return said === undefined ? undefined : `${node.agent} ${said}`;
      };
      const old = new Set(members.filter(({ id }) => !changed.has(id)).map(sameAs));
      for (const node of members) {
        if (!changed.has(node.id)) continue;
        const same = sameAs(node);
        if (same !== undefined && old.has(same)) continue;
        const at = news.has(node.id) ? now : endOf(node);
        this.newAt.set(key, Math.max(at, this.newAt.get(key) ?? -Infinity));
      }
      const running = members.filter(({ state }) => state === 'RUNNING').length;
      const hasNews = members.length > 0 && [...news].some((id) => graph.node(id)?.taskId === taskId);
      const isOver = !nodes.some((node) => this.countsToTask(node, taskId) && node.state === 'RUNNING');
      const isJudged = running > 0 || (touched.has(taskId) && (hasNews || !isOver));
      if (!this.live.has(taskId) || !isJudged) continue;
      const start = Math.min(...members.map(startOf));
      const end = Math.max(...members.map(endOf));
      const alike = Map.groupBy(
        members.filter((node) => sameAs(node) !== undefined),
        sameAs,
      );
      const figures: Readonly<Record<GuardLimit, number>> = {
        runningSeconds: ((running > 0 ? now : end) - start) / 1000,
        tokens: sum(members, ({ tokensIn = 0, tokensOut = 0 }) => tokensIn + tokensOut),
        costUsd: sum(members, ({ costUsd = 0 }) => costUsd),
        depth: Math.max(...members.map((node) => this.wayTo(node).length)),
        handovers: Math.max(...members.map((node) => this.handoversTo(node))),
        sameStep: Math.max(0, ...alike.values().map(({ length }) => length)),
        stepsPerMinute: members.filter(
          (node) => second(startOf(node)) > second(now) - 60 && startOf(node) <= now,
        ).length,
        nothingNewSeconds: running > 0 ? (now - (this.newAt.get(key) ?? -Infinity)) / 1000 : 0,
      };
      for (const [limit, bound] of Object.entries(guard.limits) as [GuardLimit, number | undefined][]) {
        if (bound === undefined || figures[limit] < bound) continue;
        const reason = `${key} ${limit}`;
        const last = this.firedAt.get(reason);
        if (last !== undefined && now < last + guard.coolDownSeconds * 1000) continue;
        this.firedAt.set(reason, now);
        const most = limit === 'depth' || limit === 'handovers' ? this.deepest : Infinity;
        const figure = Math.min(figures[limit], most).toFixed(6);
        fired.push({
          limit,
          agent: agent ?? undefined,
          isAgain: last !== undefined,
          words: [guard.name, taskId, agent ?? undefined, limit, figure].join(' '),
        });
      }
    }
    return fired;
  }

  /** What lies deeper is counted as if it lay so deep. */
  private get deepest(): number {
    return Math.max(
      ...this.options.guards.flatMap(({ limits: { depth = 0, handovers = 0 } }) => [depth, handovers]),
    );
  }

  /** Is it counted by any guard of its task? */
  private countsToTask({ taskId, agent }: ExplanationNode, asked: string): boolean {
    return (
      taskId === asked &&
      this.options.guards.some(
        ({ tasks, agents }) =>
          (tasks === undefined || taskId.startsWith('t')) &&
          (agents === undefined || agents.includes('*') || agents.includes(agent)),
      )
    );
  }

  private wayTo(node: ExplanationNode): readonly ExplanationNode[] {
    const { graph } = this.options;
    const parent = graph.node(graph.treeParent(node.id) ?? '');
    return parent?.taskId === node.taskId ? [...this.wayTo(parent), node] : [node];
  }

  private handoversTo(node: ExplanationNode): number {
    const way = this.wayTo(node);
    return way.filter(({ agent }, at) => at > 0 && way[at - 1]?.agent !== agent).length;
  }
}

function nodeOf(graph: GraphReader, id: string): ExplanationNode {
  const node = graph.node(id);
  if (!node) throw new Error('a task has no such node');
  return node;
}

function startOf({ timestamp }: ExplanationNode): number {
  return Date.parse(timestamp);
}

function endOf(node: ExplanationNode): number {
  return startOf(node) + (node.latencyMs ?? 0);
}

function second(ms: number): number {
  return Math.floor(ms / 1000);
}

function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}
