import type { ExplanationNode } from '../model/node.ts';
import { clip } from '../model/one-line.ts';
import { framesOf, type Drawing } from './frames.ts';

/** Longer words make boxes that nobody reads; in characters. */
const MAX_WORDS = 60;
/** What Mermaid refuses to draw unless its setting `maxEdges` is raised. */
const MAX_EDGES = 500;
/** The same for its setting `maxTextSize`; in characters. */
const MAX_TEXT_SIZE = 50_000;

/** The graph as a flowchart of Mermaid, in lines: every node and edge; of several tasks each is a subgraph. */
export function* toMermaid(graph: Drawing): Generator<string, void> {
  let size = 0;
  for (const line of flowchart(graph)) {
    size += line.length;
    yield line;
  }
  const exceeded = [
    ...(graph.edges.length > MAX_EDGES ? [`maxEdges (${graph.edges.length})`] : []),
    ...(size > MAX_TEXT_SIZE ? [`maxTextSize (${size})`] : []),
  ];
  if (exceeded.length > 0) yield `%% to draw it, raise these settings of Mermaid: ${exceeded.join(', ')}\n`;
}

function* flowchart(graph: Drawing): Generator<string, void> {
  const { tasks, names } = yield* framesOf(graph);
  yield 'flowchart LR\n';
  yield '  classDef error stroke:#9c0d2a,stroke-width:2px\n';
  yield '  classDef open stroke-dasharray:4 3\n';
  let number = 0;
  for (const [taskId, nodes] of tasks) {
    if (tasks.size > 1) yield `  subgraph t${number++}["${quoted(taskId)}"]\n`;
    for (const node of nodes)
      yield `  ${names.get(node.id)}["${quoted(node.agent)}<br>${quoted(node.title)}"]${classOf(node)}\n`;
    if (tasks.size > 1) yield '  end\n';
  }
  for (const { from, to, relation, evidence } of graph.edges) {
    const line = evidence === 'inferred' ? '-.->' : '-->';
    const words = relation === 'NEXT_STEP' ? '' : `|${relation.toLowerCase().replaceAll('_', ' ')}|`;
    yield `  ${names.get(from)} ${line}${words} ${names.get(to)}\n`;
  }
}

function classOf({ status, state }: ExplanationNode): string {
  if (state !== 'ENDED') return ':::open';
  return status === 'ERROR' ? ':::error' : '';
}

/** What Mermaid reads within texts as well: formulas (`$$`), breaks (`\n`), icons (`fa:fa-…`). */
const READ_IN_TEXTS = /(?<=\$)(?=\$)|(?<=\\)(?=n)|(?<=:)(?=fa-)/g;
/** Seen by nobody. */
const ZERO_WIDTH_SPACE = '\u200b';

/**
 * Everything that means something to Mermaid or to HTML is written by its number; a colon, too, since Mermaid takes the
 * last `;` off a line in which one stands before a number.
 */
function quoted(text: string): string {
  return clip(text, MAX_WORDS)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(READ_IN_TEXTS, ZERO_WIDTH_SPACE)
    .replace(/[^\p{L}\p{N} .,()/_=+-]/gu, (sign) => `#${sign.codePointAt(0)};`);
}
