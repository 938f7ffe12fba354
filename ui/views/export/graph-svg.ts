import type { ExplanationNode } from '../../../src/client/browser.ts';
import { duration, figuresLine, money, tokens } from '../../state/format.ts';
import { shownStatus, spokenName, titleOf, wordsOf } from '../../state/node-words.ts';
import type { TaskContext } from '../../state/task-context.ts';
import { TYPE_LETTERS } from '../../widgets/type-mark.tsx';
import { HEAD, RELATION_LETTERS } from '../graph/cause-arrow.tsx';
import { routeOf } from '../graph/edge-route.ts';
import { FlowElements } from '../graph/flow-elements.ts';
import type { BandNode, CauseEdge, Elements, NamesNode } from '../graph/flow-elements.ts';
import { CARD, STEP, placeOf } from '../graph/geometry.ts';
import { sessionOf } from '../graph/graph-session.ts';
import { SvgPen } from './pen.ts';
import { xml } from './xml.ts';

/** Sizes in pixels at zoom 1. */
export interface Picture {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

type Part = Elements['nodes'][number];

const MARGIN = 40;
/** For the names of lanes, at the left. */
const NAMES_WIDTH = 132;
/** From the edge of a card to its texts. */
const INSET = 13;
const NAME = { size: 13, weight: 600, fill: 'text' } as const;
const SAID = { size: 13, fill: 'text' } as const;
const SMALL = { size: 11, fill: 'muted' } as const;
const NONE: ReadonlySet<string> = new Set();

/** The graph of a task with everything in the place that it has on the page, as an SVG that needs nothing else. */
export function graphSvg({ store, highlight }: Pick<TaskContext, 'store' | 'highlight'>): Picture {
  const session = sessionOf(store);
  session.update(store);
  const { placement, anchors } = session;
  const wanted = highlight?.edges ?? NONE;
  const { nodes, edges } = new FlowElements().build({ store, cells: placement.cells, anchors, wanted });
  const parts = new Map(nodes.map((part) => [part.id, part]));
  const left = placement.first * STEP.x - NAMES_WIDTH - MARGIN;
  const width = placement.columns * STEP.x + NAMES_WIDTH + 2 * MARGIN;
  const height = placement.lanes.length * STEP.y + 2 * MARGIN;
  const pen = new SvgPen();
  const lanes = placement.lanes.map(({ row, agent, isBase }) => {
    const { y } = placeOf({ col: 0, row });
    const name = pen.text(pen.cut(agent, NAMES_WIDTH - 8, 2, NAME), left + 16, y + 38, NAME);
    const line = `<path d="M${left} ${y - 30}h${width}" stroke="${pen.colour('line')}"/>`;
    return isBase ? line + name : '';
  });
  const drawn = nodes.map((part) => {
    if (part.type === 'band')
      return band(pen, part as BandNode, store.nodes.get((part as BandNode).data.band.id));
    if (part.type === 'names') return names(pen, part as NamesNode, store.nodes);
    const step = store.nodes.get(part.id);
    return step ? card(pen, part, step) : '';
  });
  const arrows = edges.map((edge) => arrow(pen, edge, parts, highlight?.edges.has(edge.id) === true));
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${left} ${-MARGIN} ${width} ${height}" width="${width}" height="${height}" font-family="${SvgPen.family}">
<defs>${arrowHead(pen, 'arrow', 'line-strong')}${arrowHead(pen, 'arrow-lit', 'accent')}</defs>
${pen.box({ x: left, y: -MARGIN, width, height }, 0, 'page', 'page')}
${[...lanes, ...arrows, ...drawn].filter((shape) => shape !== '').join('\n')}
</svg>
`;
  pen.putDown();
  return { svg, width, height };
}

function band(
  pen: SvgPen,
  { position, width = 0, height = 0 }: BandNode,
  of: ExplanationNode | undefined,
): string {
  const stroke = of?.status === 'ERROR' ? 'error' : 'line';
  return `<g fill-opacity="0">${pen.box({ ...position, width, height }, 13, 'page', stroke)}</g>`;
}

function names(
  pen: SvgPen,
  { position, data }: NamesNode,
  nodes: ReadonlyMap<string, ExplanationNode>,
): string {
  const titles = data.ids.map((id) => nodes.get(id)).filter((node) => node !== undefined);
  const line = pen.cut(titles.map(titleOf).join(' · '), CARD.width, 1, SMALL);
  return pen.text(line, position.x, position.y + 13, SMALL);
}

function card(pen: SvgPen, { position: { x, y } }: Part, step: ExplanationNode): string {
  const status = shownStatus(step);
  const { what, failure } = wordsOf(step);
  const room = CARD.width - INSET - 10;
  const at = x + INSET;
  const figures = figuresLine(
    status === 'ok' ? '' : status,
    duration(step.latencyMs),
    tokens(step.summary ?? step),
    money(step.summary?.totalCostUsd ?? step.costUsd),
  );
  const type = `.type-${step.type.toLowerCase()}`;
  const shapes = [
    pen.box({ x, y, ...CARD }, 9, 'card', 'line'),
    `<path d="M${x + 2} ${y + 8}v${CARD.height - 16}" stroke="${pen.colour(status === 'skipped' ? 'muted' : status)}" stroke-width="4" stroke-linecap="round"/>`,
    pen.box({ x: at, y: y + 9, width: 14, height: 14 }, 4, 'card', type),
    pen.text([TYPE_LETTERS[step.type]], at + 7, y + 20, {
      size: 10,
      weight: 700,
      fill: type,
      anchor: 'middle',
    }),
    pen.text(pen.cut(step.agent, room - 110, 1, NAME), at + 20, y + 20.5, NAME),
    pen.text(pen.cut(step.model ?? '', 84, 1, SMALL), x + CARD.width - 10, y + 20.5, {
      ...SMALL,
      anchor: 'end',
    }),
    pen.text(pen.cut(what, room, failure === undefined ? 2 : 1, SAID), at, y + 38, SAID),
    pen.text(pen.cut(failure ?? '', room, 1, SAID), at, y + 55, { ...SAID, fill: 'error' }),
    pen.text([figures], at, y + 75, SMALL),
  ];
  const says = `data-node-id="${xml(step.id)}" data-type="${step.type}" data-status="${step.status}"`;
  return `<g ${says}><title>${xml(spokenName(step))}</title>${shapes.join('')}</g>`;
}

function arrow(pen: SvgPen, drawn: CauseEdge, parts: ReadonlyMap<string, Part>, isLit: boolean): string {
  const [from, to] = [parts.get(drawn.source), parts.get(drawn.target)];
  if (!drawn.data || !from || !to) return '';
  const { edge, way } = drawn.data;
  const { path, labelX, labelY } = routeOf({
    sourceX: from.position.x + (from.width ?? 0),
    sourceY: from.position.y + (from.height ?? 0) / 2,
    targetX: to.position.x - HEAD,
    targetY: to.position.y + (to.height ?? 0) / 2,
    way,
  });
  const isThin = edge.evidence === 'parentSpanId' || edge.evidence === 'content';
  const dashes = edge.bridged === true ? '8 5' : edge.evidence === 'inferred' ? '2 4' : 'none';
  const stroke = `stroke="${pen.colour(isLit ? 'accent' : 'line-strong')}" stroke-width="${isLit ? 3 : isThin ? 1 : 1.6}" stroke-dasharray="${dashes}"`;
  const letter = RELATION_LETTERS[edge.relation] ?? (edge.bridged === true ? '+n' : '');
  return `<g data-from="${xml(edge.from)}" data-to="${xml(edge.to)}"><path d="${path}" fill="none" ${stroke} marker-end="url(#arrow${isLit ? '-lit' : ''})"/>${pen.text([letter], labelX, labelY + 4, { ...SMALL, weight: 700, anchor: 'middle' })}</g>`;
}

function arrowHead(pen: SvgPen, id: string, fill: string): string {
  return `<marker id="${id}" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 1 9 5 0 9Z" fill="${pen.colour(fill)}"/></marker>`;
}
