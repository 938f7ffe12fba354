import { Position } from '@xyflow/react';
import type { Edge, Node } from '@xyflow/react';
import type { ExplanationEdge } from '../../../src/client/browser.ts';
import { frameBands } from '../../layout/frames.ts';
import type { Band } from '../../layout/frames.ts';
import { isContainment } from '../../layout/graph-reading.ts';
import type { Cell } from '../../layout/place.ts';
import type { GraphStore } from '../../state/graph-store.ts';
import { Obstacles } from './edge-route.ts';
import { CARD, NAMES_HEIGHT, NAMES_MIDDLE, STEP, placeOf } from './geometry.ts';

interface Cause extends Record<string, unknown> {
  readonly edge: ExplanationEdge;
  readonly isBackward: boolean;
  /** See `routeOf`. */
  readonly way: number | undefined;
}

export type CauseEdge = Edge<Cause, 'cause'>;
export type NamesNode = Node<{ readonly ids: readonly string[] }, 'names'>;
export type BandNode = Node<{ readonly band: Band }, 'band'>;
type AnyNode = Node | NamesNode | BandNode;

export interface Elements {
  readonly nodes: AnyNode[];
  readonly edges: CauseEdge[];
}

interface Input {
  readonly store: GraphStore;
  readonly cells: ReadonlyMap<string, Cell>;
  readonly anchors: ReadonlyMap<string, string>;
  /** Edges that are drawn whatever they are. */
  readonly wanted: ReadonlySet<string>;
}

/** What React Flow is given. An object stays the same as long as nothing in it changes, so that nothing is drawn again. */
export class FlowElements {
  private held = new Map<string, AnyNode>();
  private heldEdges = new Map<string, CauseEdge>();
  private edges: CauseEdge[] = [];

  build(input: Input): Elements {
    const nodes = [...bands(input), ...cards(input), ...names(input)].map((node) =>
      same(this.held.get(node.id), node),
    );
    this.held = new Map(nodes.map((node) => [node.id, node]));
    const edges = causes(input).map((edge) => {
      const before = this.heldEdges.get(edge.id);
      const [was, is] = [before?.data, edge.data];
      const isEqual = was?.edge === is?.edge && was?.isBackward === is?.isBackward && was?.way === is?.way;
      return isEqual && before ? before : edge;
    });
    this.heldEdges = new Map(edges.map((edge) => [edge.id, edge]));
    const isSame = edges.length === this.edges.length && edges.every((edge, i) => edge === this.edges[i]);
    if (!isSame) this.edges = edges;
    return { nodes, edges: this.edges };
  }
}

function same(before: AnyNode | undefined, after: AnyNode): AnyNode {
  const isSame =
    before?.position.x === after.position.x &&
    before.position.y === after.position.y &&
    before.width === after.width &&
    JSON.stringify(before.data) === JSON.stringify(after.data);
  return isSame ? before : after;
}

/** Size and handles are given, so that React Flow has nothing to measure. */
function box(width: number, height: number): Pick<Node, 'width' | 'height' | 'measured' | 'handles'> {
  const middle = { y: height / 2, width: 1, height: 1 } as const;
  return {
    width,
    height,
    measured: { width, height },
    handles: [
      { type: 'source', position: Position.Right, x: width, ...middle },
      { type: 'target', position: Position.Left, x: 0, ...middle },
    ],
  };
}

function cards({ store, cells }: Input): Node[] {
  return [...cells]
    .filter(([id]) => store.nodes.has(id))
    .map(([id, cell]) => ({
      id,
      type: 'card',
      position: placeOf(cell),
      ...box(CARD.width, CARD.height),
      data: {},
    }));
}

function names({ store, cells, anchors }: Input): NamesNode[] {
  const present = [...anchors].filter(([id]) => store.nodes.has(id) && !cells.has(id));
  return [...Map.groupBy(present, ([, card]) => card)].flatMap(([card, frames]) => {
    const cell = cells.get(card);
    if (!cell) return [];
    const { x, y } = placeOf(cell);
    return {
      id: namesId(card),
      type: 'names' as const,
      position: { x, y: y + NAMES_MIDDLE - NAMES_HEIGHT / 2 },
      ...box(CARD.width, NAMES_HEIGHT),
      data: { ids: frames.map(([id]) => id) },
    };
  });
}

function namesId(card: string): string {
  return `names of ${card}`;
}

function bands({ store, cells }: Input): BandNode[] {
  return frameBands(store, cells).map((band) => {
    const out = 5 + band.height * 5;
    const { x, y } = placeOf({ col: band.from, row: band.row });
    const width = (band.to - band.from) * STEP.x + CARD.width + 2 * out;
    return {
      id: `band ${band.row} ${band.from} ${band.id}`,
      type: 'band' as const,
      position: { x: x - out, y: y - out },
      ...box(width, CARD.height + 2 * out),
      zIndex: -1,
      data: { band },
    };
  });
}

/** Causes are arrows. Containment is a frame, and an arrow only where a card holds one that nothing else led to. */
function causes({ store, cells, anchors, wanted }: Input): CauseEdge[] {
  const led = new Set<string>();
  for (const edge of store.edges.values()) if (!isContainment(edge) && cells.has(edge.from)) led.add(edge.to);
  const obstacles = new Obstacles([...cells].flatMap(([id, cell]) => (store.nodes.has(id) ? [cell] : [])));
  const wayOf = (from: string, to: string): number | undefined => {
    const [source, target] = [from, to].map((id) => cells.get(id) ?? cells.get(anchors.get(id) ?? ''));
    if (!source || !target) return undefined;
    const { y } = placeOf(source);
    return obstacles.way(source, target, y + (cells.has(from) ? CARD.height / 2 : NAMES_MIDDLE));
  };
  const endOf = (id: string): string | undefined => {
    if (!store.nodes.has(id)) return undefined;
    if (cells.has(id)) return id;
    const card = anchors.get(id);
    return card === undefined || !store.nodes.has(card) ? undefined : namesId(card);
  };
  return [...store.edges.values()].flatMap((edge) => {
    const [source, target] = [endOf(edge.from), endOf(edge.to)];
    if (source === undefined || target === undefined || source === target) return [];
    const isQuiet =
      isContainment(edge) &&
      (led.has(edge.to) || !cells.has(edge.from) || store.nodes.get(edge.from)?.type === 'OTHER');
    if (isQuiet && !wanted.has(edge.id)) return [];
    const [from, to] = [cells.get(edge.from), cells.get(edge.to)];
    const isBackward = from !== undefined && to !== undefined && from.col >= to.col;
    return {
      id: edge.id,
      type: 'cause' as const,
      source,
      target,
      data: { edge, isBackward, way: wayOf(edge.from, edge.to) },
    };
  });
}
