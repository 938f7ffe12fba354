import { spanKey } from '../../../src/model/ids.ts';
import type { ExplanationGraph } from '../../../src/model/node.ts';
import type { Recording } from './load-recordings.ts';
import type { LiveService } from './live-service.ts';
import { toProtobuf } from './otlp-protobuf.ts';
import { recordedSpans, type RecordedSpan } from './recording-spans.ts';
import { holdersOf, spanIdsOf } from './shown-recording.ts';

export interface CheckedRecording {
  readonly name: string;
  readonly spans: number;
  readonly graph: ExplanationGraph;
  /** Empty when the recording is whole in the graph. */
  readonly problems: readonly string[];
}

/**
 * Sends a recording as OTLP/JSON, looks for all of it in the graph, and sends it again as protobuf, which must
 * change nothing.
 */
export async function checkRecording(recording: Recording, service: LiveService): Promise<CheckedRecording> {
  const spans = recordedSpans(recording.requests);
  const traceIds = new Set(spans.map((span) => span.traceId));
  const problems: string[] = [];
  const json = recording.requests.map((request) => Buffer.from(JSON.stringify(request)));
  for (const body of json) add(problems, await service.send(body, 'application/json'));
  const graph = await service.graph(traceIds);
  problems.push(...whatIsMissing(spans, graph), ...whatIsMalformed(graph));
  for (const request of recording.requests)
    add(problems, await service.send(toProtobuf(request), 'application/x-protobuf'));
  if (!sameContent(graph, await service.graph(traceIds)))
    problems.push('the same spans sent again as protobuf changed the graph');
  problems.push(...service.takeErrors().map((message) => `logged as an error: ${message}`));
  if (spans.length === 0) problems.push('there is no span in it');
  return { name: recording.name, spans: spans.length, graph, problems };
}

function add(problems: string[], problem: string | undefined): void {
  if (problem !== undefined) problems.push(problem);
}

/**
 * Spans without a node, and parents that their children are not joined with. A node that stands for several
 * spans is joined with one of their parents; with the others, over that one, if there is any way.
 */
export function whatIsMissing(spans: readonly RecordedSpan[], graph: ExplanationGraph): string[] {
  const holders = holdersOf(graph);
  const known = new Set(graph.nodes.map(({ id }) => id));
  const nodeOf = ({ traceId, spanId }: RecordedSpan): string | undefined => {
    const own = spanKey(traceId, spanId);
    return known.has(own) ? own : holders.get(spanId)?.id;
  };
  const members = new Map([...holders.values()].map((node) => [node.id, spanIdsOf(node).length]));
  const joined = new Set(graph.edges.map((edge) => `${edge.from} ${edge.to}`));
  const byKey = new Map(spans.map((span) => [spanKey(span.traceId, span.spanId), span]));
  const problems: string[] = [];
  for (const span of spans) {
    const node = nodeOf(span);
    if (node === undefined) problems.push(`span ${span.spanId} has no node`);
    const parent =
      span.parentSpanId === undefined ? undefined : byKey.get(spanKey(span.traceId, span.parentSpanId));
    const above = parent && nodeOf(parent);
    if (node === undefined || above === undefined || above === node || joined.has(`${above} ${node}`))
      continue;
    if ((members.get(node) ?? 1) > 1 && reachedFrom(above, graph).has(node)) continue;
    problems.push(`span ${span.spanId} is not joined with its parent`);
  }
  return problems;
}

function reachedFrom(start: string, { edges }: ExplanationGraph): ReadonlySet<string> {
  const next = Map.groupBy(edges, ({ from }) => from);
  const reached = new Set([start]);
  for (const id of reached) for (const { to } of next.get(id) ?? []) reached.add(to);
  return reached;
}

/** Edges without nodes, and cycles. */
export function whatIsMalformed(graph: ExplanationGraph): string[] {
  const problems: string[] = [];
  const waitingFor = new Map(graph.nodes.map((node) => [node.id, 0]));
  const next = new Map<string, string[]>();
  for (const { id, from, to } of graph.edges) {
    if (!waitingFor.has(from) || !waitingFor.has(to)) {
      problems.push(`edge ${id} lacks a node`);
      continue;
    }
    waitingFor.set(to, (waitingFor.get(to) ?? 0) + 1);
    next.set(from, [...(next.get(from) ?? []), to]);
  }
  const free = [...waitingFor].filter(([, count]) => count === 0).map(([id]) => id);
  for (const id of free) {
    for (const to of next.get(id) ?? []) {
      const left = (waitingFor.get(to) ?? 0) - 1;
      waitingFor.set(to, left);
      if (left === 0) free.push(to);
    }
  }
  if (free.length < waitingFor.size) problems.push('the graph has a cycle');
  return problems;
}

function sameContent(a: ExplanationGraph, b: ExplanationGraph): boolean {
  return JSON.stringify([a.nodes, a.edges]) === JSON.stringify([b.nodes, b.edges]);
}
