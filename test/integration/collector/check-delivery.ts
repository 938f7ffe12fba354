import { eventNodeId, requestNodeId, spanKey } from '../../../src/model/ids.ts';
import type { ExplanationGraph, ExplanationNode } from '../../../src/model/node.ts';
import { whatIsMalformed, whatIsMissing } from '../recordings/check-recording.ts';
import { spanIdsOf } from '../recordings/shown-recording.ts';
import type { RecordedSpan } from '../recordings/recording-spans.ts';
import type { AgentRun } from './agent-run.ts';

/** Thoughts asked for at one time. */
const AT_ONCE = 8;

/** What was sent and must be in the graph, once each, with nothing beside it. */
export interface Sent {
  readonly spans: readonly RecordedSpan[];
  readonly runs: readonly AgentRun[];
}

/** Who shows it: a service, or several together. */
export interface Shown {
  graph(): Promise<ExplanationGraph>;
  /** The whole chain of thought behind a node. */
  thought(nodeId: string): Promise<string | undefined>;
}

/** Spans that are not there, or more than once; children without their parent; thoughts that are not whole. */
export async function whatIsWrong(service: Shown, sent: Sent): Promise<readonly string[]> {
  const graph = await service.graph();
  const spans = [...sent.spans, ...sent.runs.flatMap((run) => run.recorded)];
  const wrong = [
    ...whatIsMissing(spans, graph),
    ...whatIsMalformed(graph),
    ...whatIsNotOnce(spans, graph),
    ...whatIsUnknown(sent.runs, spans, graph),
  ];
  return wrong.length > 0 ? wrong : whatIsNotWhole(service, sent.runs);
}

function whatIsNotOnce(spans: readonly RecordedSpan[], graph: ExplanationGraph): string[] {
  const holders = new Map<string, number>();
  for (const key of graph.nodes.flatMap(spanKeysOf)) holders.set(key, (holders.get(key) ?? 0) + 1);
  const expected = new Set(spans.map(({ traceId, spanId }) => spanKey(traceId, spanId)));
  const problems: string[] = [];
  for (const key of expected) {
    const count = holders.get(key) ?? 0;
    if (count !== 1) problems.push(`span ${key} is in ${count} nodes`);
  }
  for (const key of holders.keys()) if (!expected.has(key)) problems.push(`span ${key} was never sent`);
  return problems;
}

/** The keys of the spans that a node stands for. */
function spanKeysOf(node: ExplanationNode): readonly string[] {
  const traceId = node.details?.['traceId'];
  if (typeof traceId !== 'string') return [];
  // In the order of the span ids, where they are of several traces.
  const traceIds = (node.details?.['traceIds'] ?? []) as readonly string[];
  return spanIdsOf(node).map((id, i) => spanKey(traceIds[i] ?? traceId, id));
}

/** Nodes that stand for nothing that was sent, and events that are not there once. */
function whatIsUnknown(
  runs: readonly AgentRun[],
  spans: readonly RecordedSpan[],
  graph: ExplanationGraph,
): string[] {
  // Thoughts, queries and switches of model are made from the records of another node.
  const nodes = graph.nodes.filter(({ details }) => details?.['partOf'] === undefined);
  const events = nodes.filter((node) => spanKeysOf(node).length === 0);
  const problems: string[] = [];
  const ids = events.map(({ id }) => id).sort();
  const expected = runs.map(({ eventId }) => eventNodeId(eventId)).sort();
  if (ids.join() !== expected.join())
    problems.push(
      `${ids.length} nodes without a span, of ${expected.length} events: ${ids.slice(0, 3).join()}`,
    );
  if (nodes.length > spans.length + runs.length)
    problems.push(`${nodes.length} nodes for ${spans.length} spans and ${runs.length} events`);
  return problems;
}

async function whatIsNotWhole(service: Shown, runs: readonly AgentRun[]): Promise<readonly string[]> {
  const thoughts = runs.flatMap((run) => run.thoughts);
  const problems: string[] = [];
  for (let from = 0; from < thoughts.length; from += AT_ONCE) {
    const group = thoughts.slice(from, from + AT_ONCE);
    const found = await Promise.all(
      group.map(async ({ requestId, text }) => {
        const thought = await service.thought(requestNodeId(requestId));
        if (thought === text) return undefined;
        return `request ${requestId}: ${thought?.length ?? 'no'} characters of a thought of ${text.length}`;
      }),
    );
    problems.push(...found.filter((problem) => problem !== undefined));
  }
  return problems;
}
