import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';
import type { CauseCandidate, CauseEvidence, WhyAnswer } from '../model/why.ts';
import { count } from '../model/figures.ts';
import { titledLine } from './terminal/describe-node.ts';
import type { Line, Span } from './terminal/line.ts';
import { plainText } from './terminal/plain-text.ts';

/** Of a longer path the two ends are shown. */
const MAX_PATH_NODES = 12;
const PATH_END_NODES = 5;

/** Of an error; the whole is in the node. */
const MAX_ERROR_CHARS = 500;

/** Of what speaks for a reason so much is quoted. */
const MAX_QUOTES = 2;

/** An answer to "why" for people: the step, the candidates in order with what speaks for them, how to read it. */
export function whyLines(answer: WhyAnswer): readonly Line[] {
  const nodes = new Map(answer.graph.nodes.map((node) => [node.id, node]));
  const edges = new Map(answer.graph.edges.map((edge) => [edge.id, edge]));
  const asked = nodes.get(answer.nodeId);
  const known: Known = { nodes, edges, asked: answer.nodeId };
  return [
    ...(asked === undefined ? [] : [titledLine(asked), about(asked)]),
    ...errorLines(answer, asked),
    [],
    answer.candidates.length === 0
      ? [{ text: answer.unexplained === true ? 'Unexplained.' : 'No other step is named.', style: 'bold' }]
      : [{ text: `${count(answer.candidates.length, 'candidate')}: where to look first`, style: 'bold' }],
    ...answer.candidates.flatMap((candidate) => candidateLines(candidate, known)),
    [],
    [
      { text: `The way back has ${count(answer.graph.nodes.length, 'step')}` },
      { text: answer.truncated === true ? '; it is longer, the closest part is looked at.' : '.' },
    ],
    [{ text: plainText(answer.notice), style: 'dim' }],
  ];
}

/** What the failure says of itself, unless the line of the step has said it. */
function errorLines({ outcome: { error } }: WhyAnswer, asked: ExplanationNode | undefined): readonly Line[] {
  if (!error) return [];
  const text = plainText(error.text).replace(/\s+/g, ' ').slice(0, MAX_ERROR_CHARS);
  const said = asked
    ? titledLine(asked)
        .map((span) => span.text)
        .join('')
    : '';
  return said.includes(text) ? [] : [[{ text: `  Its error: ${text}` }]];
}

interface Known {
  readonly nodes: ReadonlyMap<string, ExplanationNode>;
  readonly edges: ReadonlyMap<string, ExplanationEdge>;
  readonly asked: string;
}

function about({ id, taskId, timestamp }: ExplanationNode): Line {
  return [{ text: `  ${plainText(id)}  task ${plainText(taskId)}  ${timestamp}`, style: 'dim' }];
}

function candidateLines({ nodeId, rank, reasons }: CauseCandidate, known: Known): readonly Line[] {
  const node = known.nodes.get(nodeId);
  const what: Line = node === undefined ? [{ text: plainText(nodeId) }] : titledLine(node);
  const shown = new Set<string>();
  const lines: Line[] = [
    [],
    [{ text: `${rank}. `, style: 'bold' }, ...what],
    [{ text: `   ${plainText(nodeId)}`, style: 'dim' }],
  ];
  for (const { rule, statement, strength, evidence } of reasons) {
    lines.push([
      { text: '   • ' },
      { text: plainText(statement).replace(/ {2,}/g, ' ') },
      { text: `  [${rule}${strength === 'order' ? ', by order alone' : ''}]`, style: 'dim' },
    ]);
    for (const { text } of evidence.quotes.slice(0, MAX_QUOTES)) {
      if (shown.has(text)) continue;
      shown.add(text);
      lines.push([{ text: `     “${plainText(text).replace(/ {2,}/g, ' ')}”`, style: 'cyan' }]);
    }
    const key = evidence.path.join('\n');
    if (evidence.path.length < 2 || shown.has(key)) continue;
    shown.add(key);
    lines.push(...pathLines(evidence, known));
  }
  return lines;
}

/** The way from the candidate to the step that was asked about, one step a line, each hanging from the one before. */
function pathLines({ path, edgeIds }: CauseEvidence, known: Known): readonly Line[] {
  const all = path.map((id, index): Line => {
    const node = known.nodes.get(id);
    const edge = index === 0 ? undefined : known.edges.get(edgeIds[index - 1] ?? '');
    return [
      ...relation(edge, index),
      ...(node === undefined ? [{ text: plainText(id) }] : titledLine(node)),
      ...(id === known.asked ? [{ text: '  ← asked about', style: 'dim' } as const] : []),
    ];
  });
  const hidden = all.length - 2 * PATH_END_NODES;
  const shown =
    all.length <= MAX_PATH_NODES
      ? all
      : [
          ...all.slice(0, PATH_END_NODES),
          [{ text: `… ${count(hidden, 'more step')} …`, style: 'dim' } as const],
          ...all.slice(-PATH_END_NODES),
        ];
  return shown.map((line, depth) => [{ text: `     ${'  '.repeat(depth)}` }, ...line]);
}

function relation(edge: ExplanationEdge | undefined, index: number): readonly Span[] {
  if (index === 0) return [];
  if (edge === undefined) return [{ text: '└ ', style: 'dim' }];
  return [
    { text: `└ ${edge.relation}${edge.bridged === true ? ' (past hidden steps)' : ''} ▸ `, style: 'dim' },
  ];
}
