import type { StepTexts } from '../../../src/model/facts.ts';
import type { ExplanationGraph, ExplanationNode, NodeType } from '../../../src/model/node.ts';
import type { TaskOverview } from '../../../src/model/task-overview.ts';
import type { Recording } from './load-recordings.ts';
import type { LiveService } from './live-service.ts';
import { recordedSpans, type RecordedSpan } from './recording-spans.ts';

/** What readers see of a recording. */
export interface ShownRecording {
  readonly graph: ExplanationGraph;
  readonly tasks: readonly TaskOverview[];
  readonly spans: readonly RecordedSpan[];
  /** The node that stands for a span. */
  nodeOf(spanId: string): ExplanationNode | undefined;
  textsOf(node: ExplanationNode): StepTexts;
}

/** These are made out of steps and may name the span of theirs, but do not stand for it. */
const DERIVED: ReadonlySet<NodeType> = new Set(['REASONING', 'MODEL_SWITCH', 'USER_QUERY', 'SUMMARY']);

/** Sends a recording to a service that holds nothing else, and reads it back. */
export async function showRecording(recording: Recording, service: LiveService): Promise<ShownRecording> {
  for (const request of recording.requests) {
    const problem = await service.send(Buffer.from(JSON.stringify(request)), 'application/json');
    if (problem !== undefined) throw new Error(`${recording.name}: ${problem}`);
  }
  const spans = recordedSpans(recording.requests);
  const graph = await service.graph(new Set(spans.map(({ traceId }) => traceId)));
  const holders = holdersOf(graph);
  const texts = new Map<string, StepTexts>();
  for (const node of new Set(holders.values())) texts.set(node.id, (await service.node(node.id)).texts ?? {});
  return {
    graph,
    spans,
    tasks: await service.tasks(),
    nodeOf: (spanId) => holders.get(spanId),
    textsOf: (node) => texts.get(node.id) ?? {},
  };
}

/** The node that stands for each span, by span id. */
export function holdersOf(graph: ExplanationGraph): ReadonlyMap<string, ExplanationNode> {
  const standing = graph.nodes.filter(({ type }) => !DERIVED.has(type));
  return new Map(standing.flatMap((node) => spanIdsOf(node).map((spanId) => [spanId, node] as const)));
}

/** All spans that a node stands for. */
export function spanIdsOf({ details }: ExplanationNode): readonly string[] {
  const { spanIds, spanId } = details ?? {};
  if (Array.isArray(spanIds)) return spanIds.filter((id): id is string => typeof id === 'string');
  return typeof spanId === 'string' ? [spanId] : [];
}
