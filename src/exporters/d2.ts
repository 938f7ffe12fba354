import type { ExplanationNode } from '../model/node.ts';
import { quoted, quotedTooltip } from './d2-text.ts';
import { framesOf, type Drawing } from './frames.ts';
import { nodeUi } from './ui-hints.ts';

/** The graph in the language D2, in lines: every node and edge, each task a container. */
export function* toD2(graph: Drawing): Generator<string, void> {
  const { tasks, names } = yield* framesOf(graph);
  const places = new Map<string, string>();
  yield 'direction: down\n';
  let number = 0;
  for (const [taskId, nodes] of tasks) {
    const frame = `run_${++number}`;
    yield `${frame}: ${quoted(taskId)} {\n`;
    for (const node of nodes) {
      const name = names.get(node.id) ?? '';
      places.set(node.id, `${frame}.${name}`);
      yield `  ${name}: ${shape(node)}\n`;
    }
    yield '}\n';
  }
  for (const { from, to, relation, evidence } of graph.edges) {
    const words = relation === 'NEXT_STEP' ? '' : `: ${quoted(relation.toLowerCase().replaceAll('_', ' '))}`;
    const line = evidence === 'inferred' ? ' {style.stroke-dash: 4}' : '';
    yield `${places.get(from)} -> ${places.get(to)}${line === '' ? words : `${words === '' ? ':' : words}${line}`}\n`;
  }
}

function shape(node: ExplanationNode): string {
  const { color, tooltip } = nodeUi(node);
  const label = quoted(`${node.agent}\n${node.title}`);
  const more = quotedTooltip(`${tooltip}\n${node.id}`);
  return `${label} {tooltip: ${more}; style.stroke: ${color}}`;
}
