import type { ExplanationEdge } from '../model/node.ts';
import { joinBorders, NO_BORDER } from './border.ts';
import { isEntry, type Branch, type Entry } from './entry.ts';
import { borderOfChunk, notesOf, type Piece } from './siblings.ts';

/**
 * The edges beside the tree with one end below a branch and the other elsewhere, each once or twice, and some of which both
 * ends are below it. What no edge leads out of or into is passed over.
 *
 * @param leftOut what is neither looked at nor below what is
 */
export function* edgesBelow(
  branch: Branch,
  leftOut: ReadonlySet<Entry> = NOTHING,
): Generator<ExplanationEdge> {
  const open = [branch];
  for (let at = open.pop(); at; at = open.pop()) {
    if (isEntry(at) && joinBorders(at.border, at.ownBorder) === NO_BORDER) continue;
    const chunks = at.kids?.chunks ?? [];
    for (const chunk of chunks) {
      if (chunks.length > 1 && borderOfChunk(chunk) === NO_BORDER) continue;
      for (const kid of chunk.items) {
        if (kid.border === NO_BORDER || leftOut.has(kid)) continue;
        yield* edgesAt(kid);
        if (kid.kids) open.push(kid);
      }
    }
  }
}

/** As `edgesBelow`, of what is here as well. */
export function edgesOfPiece({ chunk, kids }: Piece): readonly ExplanationEdge[] {
  if (kids.length < chunk.items.length) return edgesFrom(kids);
  const notes = notesOf(chunk);
  notes.crossing ??= edgesFrom(kids);
  return notes.crossing;
}

function edgesFrom(kids: readonly Entry[]): ExplanationEdge[] {
  const edges = new Set<ExplanationEdge>();
  for (const kid of kids) {
    if (kid.border === NO_BORDER) continue;
    for (const edge of edgesAt(kid)) edges.add(edge);
    for (const edge of edgesBelow(kid)) edges.add(edge);
  }
  return [...edges];
}

/** The edges of a step that are not the tree's. */
function* edgesAt({ ins, treeEdge, extra }: Entry): Generator<ExplanationEdge> {
  for (const edge of ins) if (edge !== treeEdge) yield edge;
  if (extra) yield* extra;
}

const NOTHING: ReadonlySet<Entry> = new Set();
