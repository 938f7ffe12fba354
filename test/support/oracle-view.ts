import type { Filters } from '../../src/model/filters.ts';
import type { ExplanationGraph, ExplanationNode } from '../../src/model/node.ts';
import { applyUpdate } from '../../src/model/apply-update.ts';
import type { NodeDetail, ServerFrame } from '../../src/model/reader-messages.ts';
import type { ReaderApi } from '../../src/subscriptions/reader-api.ts';
import { matchesOracle } from './filter-oracles.ts';

export interface OracleSpec {
  readonly filters: Filters;
  readonly collapse: 'auto' | 'none';
  readonly expandedSummaries: ReadonlySet<string>;
  readonly expandedTasks: ReadonlySet<string>;
}

/**
 * What a reader should see, worked out from the rules of docs/spec.md by brute force: from the whole graph,
 * the members of its summaries, and a search for paths. Nodes by id; edges as "from relation to" or
 * "from >> to" for a bridged one.
 */
export function oracleView(reader: ReaderApi, spec: OracleSpec): { nodes: string[]; edges: string[] } {
  const whole = reader.getGraph({ collapse: 'none' }) as ExplanationGraph;
  const folded = reader.getGraph({}) as ExplanationGraph;
  const summaryOf = new Map<string, string>();
  const shown = new Set<string>();
  const matching = new Set(
    whole.nodes.filter((node) => matchesOracle(spec.filters, node)).map((node) => node.id),
  );
  const notices: ExplanationNode[] = [];
  const foldedMatch = new Set<string>();
  for (const node of folded.nodes) {
    if (spec.collapse === 'none' || spec.expandedTasks.has(node.taskId)) continue;
    if (node.id.startsWith('notice:')) notices.push(node);
    if (node.type !== 'SUMMARY') continue;
    if (allMembers(reader, node.id).some((id) => matching.has(id))) foldedMatch.add(node.taskId);
    for (const id of closedWithin(reader, [node.id], spec.expandedSummaries)) {
      const members = allMembers(reader, id);
      for (const member of members) summaryOf.set(member, id);
      if (members.some((member) => matching.has(member))) shown.add(id);
    }
  }
  for (const notice of notices) if (foldedMatch.has(notice.taskId)) shown.add(notice.id);
  for (const id of matching) if (!summaryOf.has(id)) shown.add(id);
  return { nodes: [...shown].sort(), edges: oracleEdges(whole, shown, summaryOf) };
}

/** Page by page. */
function allMembers(reader: ReaderApi, id: string): string[] {
  const found: string[] = [];
  for (;;) {
    const { members = [], memberCount } = reader.getNode(id, {
      offset: found.length,
      limit: 2,
    }) as NodeDetail;
    found.push(...members.map((member) => member.id));
    if (members.length === 0 || found.length === memberCount) return found;
  }
}

/** The summaries that are seen where the last of these is: itself when it is closed, else what is closed in it. */
function closedWithin(reader: ReaderApi, path: readonly string[], open: ReadonlySet<string>): string[] {
  const id = path.at(-1) ?? '';
  if (!open.has(id)) return [id];
  const before = summariesWith(reader, path.slice(0, -1));
  const inside = [...summariesWith(reader, path)].filter((summary) => !before.has(summary));
  return inside.flatMap((part) => closedWithin(reader, [...path, part], open));
}

/** What a reader who opened these, one in the other, sees closed. */
function summariesWith(reader: ReaderApi, opened: readonly string[]): Set<string> {
  let seen: ExplanationGraph = { nodes: [], edges: [], lastUpdated: '' };
  const write = (frame: ServerFrame): void => {
    if (frame.type === 'subscribed') seen = frame.graph;
    else if (frame.type === 'update') seen = applyUpdate(seen, frame.update);
  };
  const { subscriptionId } = reader.subscribe({}, { write, writable: true, close() {} });
  for (const id of opened) reader.expand(subscriptionId, id);
  reader.unsubscribe(subscriptionId);
  return new Set(seen.nodes.filter((node) => node.type === 'SUMMARY').map((node) => node.id));
}

function oracleEdges(
  whole: ExplanationGraph,
  shown: ReadonlySet<string>,
  summaryOf: ReadonlyMap<string, string>,
): string[] {
  const targetOf = (id: string): string => summaryOf.get(id) ?? id;
  const edges = new Set<string>();
  const direct = new Set<string>();
  for (const edge of whole.edges) {
    const to = targetOf(edge.to);
    if (!shown.has(edge.from) || !shown.has(to)) continue;
    edges.add(`${edge.from} ${edge.relation} ${to}`);
    direct.add(`${edge.from} ${to}`);
  }
  for (const from of shown) {
    // Everything that is reached through hidden nodes only; a folded node counts as hidden on the way.
    const hidden = new Set<string>();
    const queue = whole.edges.filter((edge) => edge.from === from).map((edge) => edge.to);
    for (const id of queue) {
      if (shown.has(id) || hidden.has(id)) continue;
      hidden.add(id);
      for (const edge of whole.edges) {
        if (edge.from !== id) continue;
        queue.push(edge.to);
        const to = targetOf(edge.to);
        const inside = summaryOf.get(id) === to;
        if (shown.has(to) && !inside && !direct.has(`${from} ${to}`)) edges.add(`${from} >> ${to}`);
      }
    }
  }
  return [...edges].sort();
}
