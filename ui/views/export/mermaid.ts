import type { ExplanationEdge, ExplanationNode } from '../../../src/client/browser.ts';
import { clip } from '../../../src/model/one-line.ts';
import { relationWords } from '../../state/format.ts';
import { byStart } from '../../state/node-times.ts';
import { shownStatus, titleOf } from '../../state/node-words.ts';

/** Longer words make boxes that nobody reads. */
const MAX_WORDS = 60;
/** What Mermaid refuses to draw unless its setting `maxEdges` is raised. */
const MAX_EDGES = 500;
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
  const warning = arrows.length > MAX_EDGES ? [`%% ${arrows.length} edges: raise maxEdges of Mermaid`] : [];
  return [...warning, ...HEAD, ...boxes, ...arrows, ''].join('\n');
}

/** Everything that means something to Mermaid or to HTML is written by its number. */
function quoted(text: string): string {
  return clip(text, MAX_WORDS).replace(/[^\p{L}\p{N} .,:()/_=+-]/gu, (sign) => `#${sign.codePointAt(0)};`);
}
