import type { CheckedRecording } from './check-recording.ts';

/** One line a recording: what of it is in the graph. Tokens are those of LLM calls, as containers repeat them. */
export function recordingRow({ name, spans, graph, problems }: CheckedRecording): object {
  const calls = graph.nodes.filter((node) => node.type === 'LLM_CALL');
  return {
    result: problems.length === 0 ? 'ok' : 'FAIL',
    recording: name,
    spans,
    nodes: graph.nodes.length,
    edges: graph.edges.length,
    types: countedBy(graph.nodes.map((node) => node.type)),
    agents: distinct(graph.nodes.map((node) => node.agent)),
    models: distinct(graph.nodes.map((node) => node.model)),
    'tokens in': sum(calls.map((node) => node.tokensIn)),
    'tokens out': sum(calls.map((node) => node.tokensOut)),
  };
}

function countedBy(words: readonly string[]): string {
  const counts = Object.entries(Object.groupBy(words, (word) => word));
  return counts.map(([word, same]) => `${same?.length ?? 0} ${word}`).join(', ');
}

function distinct(words: readonly (string | undefined)[]): string {
  return [...new Set(words.filter((word) => word !== undefined))].sort().join(', ');
}

function sum(numbers: readonly (number | undefined)[]): number {
  return numbers.reduce<number>((total, value) => total + (value ?? 0), 0);
}
