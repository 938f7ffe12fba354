import type { GraphReader } from '../../src/graph/graph-reader.ts';
import { summaryId } from '../../src/model/ids.ts';
import type { ExplanationNode } from '../../src/model/node.ts';
import type { FoldLimits } from '../../src/pruning/fold.ts';

/** What folding says of a task, in plain words. */
export interface PlainFold {
  readonly shown: readonly string[];
  readonly groups: readonly {
    readonly id: string;
    readonly members: readonly string[];
    readonly count: number;
    readonly reason: string | undefined;
    readonly avgLatencyMs: number | undefined;
    readonly totalCostUsd: number | undefined;
    readonly types: unknown;
  }[];
  readonly isTruncated: boolean;
}

/** How a task is folded, worked out from the rules of docs/spec.md from scratch, looking at every node and edge. */
export function oracleFold(
  graph: GraphReader,
  taskId: string,
  limits: FoldLimits,
  inSight: ReadonlySet<string> = new Set(),
): PlainFold {
  const task = new OracleTask(graph, taskId, limits, inSight);
  const routine = task.foldAllBut(task.unfolded(), 'routine');
  if (routine.shown.length + routine.groups.length <= limits.maxNodesPerTask) return routine;
  return { ...task.foldAllBut(task.mostImportant(), 'limit'), isTruncated: true };
}

class OracleTask {
  private readonly graph: GraphReader;
  private readonly taskId: string;
  private readonly limits: FoldLimits;
  private readonly inSight: ReadonlySet<string>;
  private readonly nodes: readonly ExplanationNode[];

  constructor(graph: GraphReader, taskId: string, limits: FoldLimits, inSight: ReadonlySet<string>) {
    this.inSight = inSight;
    this.graph = graph;
    this.taskId = taskId;
    this.limits = limits;
    this.nodes = [...graph.nodesOfTask(taskId)].map((id) => graph.node(id) as ExplanationNode);
  }

  unfolded(): Set<string> {
    const folded = new Set<string>();
    const canFold = (node: ExplanationNode): boolean =>
      this.isDull(node) &&
      this.graph.inEdges(node.id).length > 0 &&
      this.graph.outEdges(node.id).every((edge) => folded.has(edge.to));
    // One step further from the leaves with every round.
    for (let before = -1; before !== folded.size;) {
      before = folded.size;
      for (const node of this.nodes) if (canFold(node)) folded.add(node.id);
    }
    return new Set(this.nodes.map((node) => node.id).filter((id) => !folded.has(id)));
  }

  mostImportant(): Set<string> {
    const unfolded = this.unfolded();
    const budget = Math.max(0, Math.floor((this.limits.maxNodesPerTask - 2) / 2));
    const ranked = this.nodes
      .filter((node) => unfolded.has(node.id))
      .sort(
        (a, b) =>
          this.importance(b) - this.importance(a) || startOf(b) - startOf(a) || (a.id < b.id ? -1 : 1),
      )
      .map((node) => node.id);
    const isError = (id: string): boolean => this.inSight.has(id) || this.graph.node(id)?.status === 'ERROR';
    const kept = new Set<string>();
    const keep = (ids: readonly string[], upTo: number): void => {
      for (const id of ids.slice(0, 4 * budget)) {
        if (kept.size >= upTo) return;
        const way = this.ancestorsOf(id).filter((step) => !kept.has(step));
        if (kept.size + way.length <= upTo) for (const step of way) kept.add(step);
      }
    };
    keep(ranked.slice(0, 1), budget);
    keep(this.criticalPath(unfolded), Math.floor(budget / 4));
    keep(ranked.filter(isError), Math.floor(budget / 2));
    keep(
      ranked.filter((id) => !isError(id)),
      budget,
    );
    keep(ranked, budget);
    return kept;
  }

  foldAllBut(kept: ReadonlySet<string>, reason: 'routine' | 'limit'): PlainFold {
    const folded = this.nodes.filter((node) => !kept.has(node.id));
    const anchorOf = (id: string): string => {
      const parent = this.parentOf(id);
      return parent === undefined ? '' : kept.has(parent) ? parent : anchorOf(parent);
    };
    const isFolded = (id: string): boolean => folded.some((node) => node.id === id);
    const name = new Map(folded.map((node) => [anchorOf(node.id), anchorOf(node.id)]));
    for (const { id } of folded) {
      for (const { to } of this.graph.outEdges(id)) {
        if (!isFolded(to)) continue;
        const [a, b] = [name.get(anchorOf(id)) ?? '', name.get(anchorOf(to)) ?? ''];
        for (const [anchor, held] of name) if (held === a || held === b) name.set(anchor, a < b ? a : b);
      }
    }
    const shown = [...kept];
    const groups: PlainFold['groups'][number][] = [];
    for (const group of new Set(name.values())) {
      const members = folded.filter((node) => name.get(anchorOf(node.id)) === group);
      const steps = members.filter((node) => node.type !== 'REASONING').length || members.length;
      if ((reason === 'limit' ? members.length : steps) < 2) shown.push(...members.map(({ id }) => id));
      else {
        const first = members.filter((node) => !isFolded(this.parentOf(node.id) ?? ''));
        groups.push(this.group(group, members, steps, reason, first));
      }
    }
    groups.sort((a, b) => (a.id < b.id ? -1 : 1));
    return { shown: shown.sort(), groups, isTruncated: false };
  }

  private group(
    anchor: string,
    members: readonly ExplanationNode[],
    count: number,
    reason: 'routine' | 'limit',
    firstLevel: readonly ExplanationNode[],
  ): PlainFold['groups'][number] {
    const types: { [type: string]: number } = {};
    for (const { type } of members) types[type] = (types[type] ?? 0) + 1;
    const latencies = members.flatMap((node) => node.latencyMs ?? []);
    const costs = members.flatMap((node) => node.costUsd ?? []);
    const isRepeated = firstLevel.some((node) => this.isRepetition(node));
    return {
      id: summaryId(anchor === '' ? `task:${this.taskId}` : anchor),
      members: members.map(({ id }) => id).sort(),
      count,
      reason: reason === 'routine' && isRepeated ? 'repeated' : reason,
      avgLatencyMs: latencies.length === 0 ? undefined : rounded(sum(latencies) / latencies.length, 1e3),
      totalCostUsd: costs.length === 0 ? undefined : rounded(sum(costs), 1e9),
      types,
    };
  }

  private isDull(node: ExplanationNode): boolean {
    if (!this.isQuiet(node)) return false;
    const parent = this.graph.node(this.parentOf(node.id) ?? '');
    if (node.type === 'REASONING') {
      const thinks = parent?.type === 'LLM_CALL' || parent?.type === 'REASONING';
      const place = node.details?.['step'];
      if (typeof place === 'number' && place > this.limits.maxCoTDepth) return true;
      return thinks && this.isDull(parent);
    }
    const lineage = this.lineageOf(node);
    const depth = lineage.filter((step) => step.type === 'LLM_CALL').length;
    return (
      this.isRoutine(node) ||
      depth > this.limits.maxCoTDepth ||
      lineage.some((step) => this.isRepetition(step))
    );
  }

  private isQuiet(node: ExplanationNode): boolean {
    const isOver = node.status === 'OK' && node.state === 'ENDED';
    return isOver && !isNotable(node) && !this.inSight.has(node.id);
  }

  private isRoutine({ latencyMs, costUsd }: ExplanationNode): boolean {
    const { pruneLatencyThresholdMs, minCostUsdDetail } = this.limits;
    return (
      latencyMs !== undefined &&
      latencyMs < pruneLatencyThresholdMs &&
      !(costUsd !== undefined && costUsd >= minCostUsdDetail)
    );
  }

  /** One of many siblings alike, and none that stands out. */
  private isRepetition(node: ExplanationNode): boolean {
    const parent = this.parentOf(node.id);
    const alike = this.nodes.filter(
      (other) =>
        this.parentOf(other.id) === parent &&
        other.type === node.type &&
        other.name === node.name &&
        other.agent === node.agent &&
        this.isQuiet(other) &&
        !this.isRoutine(other),
    );
    if (parent === undefined || node.type === 'REASONING' || !alike.includes(node)) return false;
    if (alike.length < (this.limits.minRepeated ?? 10)) return false;
    return !(['latencyMs', 'costUsd'] as const).some((measure) => {
      const known = alike.filter((other) => other[measure] !== undefined);
      const average = sum(known.map((other) => other[measure] ?? 0)) / known.length;
      const greatest = known
        .sort((a, b) => (b[measure] ?? 0) - (a[measure] ?? 0) || (a.id < b.id ? -1 : 1))
        .slice(0, 3);
      return greatest.includes(node) && (node[measure] ?? 0) > 3 * average;
    });
  }

  private importance(node: ExplanationNode): number {
    const spike = Math.max(
      (node.latencyMs ?? 0) / this.limits.pruneLatencyThresholdMs,
      (node.costUsd ?? 0) / this.limits.minCostUsdDetail,
    );
    const classes = [
      this.inSight.has(node.id),
      node.status === 'ERROR',
      isNotable(node),
      node.status === 'WARNING',
      node.state === 'RUNNING',
      this.graph.inEdges(node.id).length === 0,
      true,
    ];
    return (6 - classes.indexOf(true)) * 1e12 + spike;
  }

  private criticalPath(unfolded: ReadonlySet<string>): string[] {
    const path: string[] = [];
    const end = (node: ExplanationNode): number => startOf(node) + (node.latencyMs ?? 0);
    for (let parent: string | undefined; ; parent = path.at(-1)) {
      const [last] = this.nodes
        .filter((node) => this.parentOf(node.id) === parent)
        .sort((a, b) => end(b) - end(a) || (a.id < b.id ? -1 : 1));
      if (!last || !unfolded.has(last.id)) return path;
      path.push(last.id);
    }
  }

  private ancestorsOf(id: string): string[] {
    const found = new Set([id]);
    for (const step of found) {
      for (const { from } of this.graph.inEdges(step))
        if (this.graph.node(from)?.taskId === this.taskId) found.add(from);
    }
    return [...found];
  }

  private lineageOf(node: ExplanationNode): ExplanationNode[] {
    const parent = this.graph.node(this.parentOf(node.id) ?? '');
    return parent ? [node, ...this.lineageOf(parent)] : [node];
  }

  /** Up the tree within the task. */
  private parentOf(id: string): string | undefined {
    const candidates = this.graph
      .inEdges(id)
      .filter((edge) => edge.evidence === 'parentSpanId' && edge.relation === 'NEXT_STEP')
      .filter((edge) => this.graph.node(edge.from)?.taskId === this.taskId);
    return candidates.sort((a, b) => (a.id < b.id ? -1 : 1))[0]?.from;
  }
}

function isNotable({ type, details }: ExplanationNode): boolean {
  const types: readonly string[] = ['MODEL_SWITCH', 'REFLEXION_ACTION', 'USER_QUERY'];
  return types.includes(type) || details?.['annotations'] !== undefined;
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}

function rounded(value: number, steps: number): number {
  return Math.round(value * steps) / steps;
}

/** Epoch ms, with the microseconds that `Date.parse` cuts. */
function startOf({ timestamp }: ExplanationNode): number {
  return Date.parse(timestamp) + Number(timestamp.slice(23, -1)) / 1000;
}
