import type { ExplanationNode } from '../model/node.ts';
import { framesOf, type Drawing } from './frames.ts';
import { nodeUi } from './ui-hints.ts';

/** The graph in Graphviz's language, in lines: every node and edge; of several tasks each is a cluster. */
export function* toDot(graph: Drawing): Generator<string, void> {
  const { tasks, names } = yield* framesOf(graph);
  yield 'digraph explanation {\n';
  yield '  rankdir=LR\n';
  yield '  node [shape=box, style=rounded]\n';
  let number = 0;
  for (const [taskId, nodes] of tasks) {
    if (tasks.size > 1) {
      yield `  subgraph cluster_${number++} {\n`;
      yield `  label="${quoted(taskId)}"\n`;
    }
    for (const node of nodes) yield `  ${names.get(node.id)} [${attributes(node)}]\n`;
    if (tasks.size > 1) yield '  }\n';
  }
  for (const { id, from, to, relation, evidence } of graph.edges) {
    const words = relation === 'NEXT_STEP' ? '' : `, label="${relation.toLowerCase().replaceAll('_', ' ')}"`;
    const line = evidence === 'inferred' ? ', style=dashed' : '';
    yield `  ${names.get(from)} -> ${names.get(to)} [id="${quoted(id)}", class="${evidence}"${words}${line}]\n`;
  }
  yield '}\n';
}

/** `id` and `class` stand in the SVG that Graphviz makes of it. */
function attributes(node: ExplanationNode): string {
  const { color, tooltip } = nodeUi(node);
  const said = {
    id: node.id,
    class: `${node.type} ${node.status} ${node.state}`,
    label: `${node.agent}\n${node.title}`,
    // Which Graphviz reads twice.
    tooltip: tooltip.replaceAll('\\', '\\\\'),
    color,
  };
  return Object.entries(said)
    .map(([name, text]) => `${name}="${quoted(text)}"`)
    .join(', ');
}

/** Within quotes Graphviz reads backslashes, and in labels HTML entities too. */
function quoted(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('&', '&amp;')
    .replaceAll('\n', '\\n')
    .replace(/\p{Cc}+/gu, ' ');
}
