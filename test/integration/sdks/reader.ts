import type { StepTexts } from '../../../src/model/facts.ts';
import type { ExplanationGraph } from '../../../src/model/node.ts';
import type { NodeDetail } from '../../../src/model/reader-messages.ts';
import type { TaskOverview } from '../../../src/model/task-overview.ts';
import { holdersOf, type ShownRecording } from '../recordings/shown-recording.ts';
import type { ExportedSpans } from './exported-spans.ts';

const ANSWER_LIMIT_MS = 10_000;

/** What readers get of a program's run over HTTP; texts of all nodes, derived ones included. */
export interface ShownRun extends ShownRecording {
  readonly texts: ReadonlyMap<string, StepTexts>;
}

/** @param readers host and port */
export async function readRun(readers: string, exported: ExportedSpans): Promise<ShownRun> {
  const ask = async <T>(path: string): Promise<T> => {
    const response = await fetch(`http://${readers}${path}`, {
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    if (!response.ok) throw new Error(`GET ${path} answered ${response.status}`);
    return (await response.json()) as T;
  };
  const traceIds = [...new Set(exported.spans.map(({ traceId }) => traceId))].join(',');
  const graph = await ask<ExplanationGraph>(`/api/graph?collapse=none&traceIds=${traceIds}`);
  const { tasks } = await ask<{ readonly tasks: readonly TaskOverview[] }>('/api/tasks');
  const texts = new Map<string, StepTexts>();
  for (const { id } of graph.nodes) {
    const detail = await ask<NodeDetail>(`/api/nodes/${encodeURIComponent(id)}`);
    texts.set(id, detail.texts ?? {});
  }
  const holders = holdersOf(graph);
  return {
    graph,
    tasks,
    texts,
    spans: exported.spans,
    nodeOf: (spanId) => holders.get(spanId),
    textsOf: ({ id }) => texts.get(id) ?? {},
  };
}
