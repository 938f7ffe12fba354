import type { ExplanationEdge, ExplanationNode } from '../../../src/client/browser.ts';
import { clip } from '../../../src/model/one-line.ts';
import { relationWords } from '../../state/format.ts';
import { byStart } from '../../state/node-times.ts';
import { shownStatus, titleOf } from '../../state/node-words.ts';

/** Longer words make boxes that nobody reads. */
const MAX_WORDS = 60;
/** What Mermaid refuses to draw unless its setting `maxEdges` is raised. */
const MAX_EDGES = 500;
/** The same for its setting `maxTextSize`; in characters. */
const MAX_TEXT_SIZE = 50_000;
const HEAD = [
  'flowchart LR',
  '  classDef error stroke:#9c0d2a,stroke-width:2px',
  '  classDef open stroke-dasharray:4 3',
];

interface Graph {
  readonly nodes: ReadonlyMap<string, ExplanationNode>;
  readonly edges: ReadonlyMap<string, ExplanationEdge>;
}

/** The graph as a flowchart of Mermaid: every node and edge, by start. */
export function mermaidOf({ nodes, edges }: Graph): string {
  const steps = [...nodes.values()].sort(byStart);
  const names = new Map(steps.map(({ id }, index) => [id, `n${index}`]));
  const boxes = steps.map((node) => {
    const status = shownStatus(node);
    const kind =
      status === 'error' ? ':::error' : status === 'running' || status === 'abandoned' ? ':::open' : '';
    return `  ${names.get(node.id)}["${quoted(node.agent)}<br>${quoted(titleOf(node))}"]${kind}`;
  });
  const arrows = [...edges.values()].flatMap(({ from, to, relation, evidence }) => {
    const [start, end] = [names.get(from), names.get(to)];
    if (start === undefined || end === undefined) return [];
    const line = evidence === 'inferred' ? '-.->' : '-->';
    const words = relation === 'NEXT_STEP' ? '' : `|${relationWords(relation)}|`;
    return `  ${start} ${line}${words} ${end}`;
  });
  const text = [...HEAD, ...boxes, ...arrows, ''].join('\n');
  const exceeded = [
    ...(arrows.length > MAX_EDGES ? [`maxEdges (${arrows.length})`] : []),
    ...(text.length > MAX_TEXT_SIZE ? [`maxTextSize (${text.length})`] : []),
  ];
  return exceeded.length === 0 ? text : `%% raise settings of Mermaid: ${exceeded.join(', ')}\n${text}`;
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
