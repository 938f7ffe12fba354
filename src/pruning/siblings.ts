import type { ExplanationEdge } from '../model/node.ts';
import { compareIso } from '../model/time.ts';
import { joinBorders, NO_BORDER, type Border } from './border.ts';
import { beginsRunOfRuns, membersFrom, type Entry } from './entry.ts';
import type { Chunk } from './sorted-chunks.ts';
import { Totals } from './totals.ts';

/** What is noted of a chunk of siblings until one of them, or something below one, changes. */
interface Notes {
  /** Another one for every change. */
  readonly serial: number;
  totals: Totals | undefined;
  border: Border | undefined;
  crossing: readonly ExplanationEdge[] | undefined;
}

/** Neighbours among the folded siblings below one step. */
export interface Piece {
  readonly chunk: Chunk<Entry>;
  readonly kids: readonly Entry[];
}

/** The figures of siblings and all below them. */
export function totalsOfPiece(piece: Piece): Totals {
  const { chunk, kids } = piece;
  if (kids.length === chunk.items.length) return totalsOfChunk(chunk);
  return sumOf(kids);
}

export function membersOfPiece(piece: Piece): number {
  if (piece.kids.length === piece.chunk.items.length) return totalsOfChunk(piece.chunk).members;
  return piece.kids.reduce((count, kid) => count + membersFrom(kid), 0);
}

/** Equal when nothing about these siblings and what is below them changed. */
export function stateOfPiece({ chunk, kids }: Piece): string {
  const some = kids.length === chunk.items.length ? [] : kids.map(({ node }) => node.id);
  return [serialOf(chunk), ...some].join();
}

/** Another one for every change of the siblings in a chunk, or of anything below them. */
export function serialOf(chunk: Chunk<Entry>): number {
  return notesOf(chunk).serial;
}

export function totalsOfChunk(chunk: Chunk<Entry>): Totals {
  const notes = notesOf(chunk);
  notes.totals ??= sumOf(chunk.items);
  return notes.totals;
}

export function borderOfChunk(chunk: Chunk<Entry>): Border {
  const notes = notesOf(chunk);
  notes.border ??= chunk.items.reduce((border, kid) => joinBorders(border, kid.border), NO_BORDER);
  return notes.border;
}

let serials = 0;

/** A number that no state of siblings has had. */
export function nextSerial(): number {
  return ++serials;
}

export function notesOf(chunk: Chunk<Entry>): Notes {
  chunk.notes ??= {
    serial: nextSerial(),
    totals: undefined,
    border: undefined,
    crossing: undefined,
  } satisfies Notes;
  return chunk.notes as Notes;
}

function sumOf(kids: readonly Entry[]): Totals {
  const totals = new Totals();
  for (const kid of kids) {
    if (kid.totals) totals.add(kid.totals, 1);
    else totals.addNode(kid.node, 1);
  }
  return totals;
}

/**
 * Adds the ids of steps and all below them, each before what is below it, until there are `limit`.
 *
 * @returns how many are still to be passed over
 */
export function collect(kids: Iterable<Entry>, offset: number, limit: number, found: string[]): number {
  let skip = offset;
  // No recursion: a task may be one chain of tens of thousands of steps.
  const open = [kids[Symbol.iterator]()];
  for (let at = open.at(-1); at && found.length < limit; at = open.at(-1)) {
    const next = at.next();
    if (next.done === true) {
      open.pop();
      continue;
    }
    const entry = next.value;
    if (skip >= membersFrom(entry)) {
      skip -= membersFrom(entry);
      continue;
    }
    if (skip > 0) skip--;
    else found.push(entry.node.id);
    if (entry.kids) open.push(entry.kids[Symbol.iterator]());
  }
  return skip;
}

/** When the first of these steps started, ISO 8601. */
export function firstStart(kids: Iterable<Entry>): string {
  let first: string | undefined;
  for (const { node } of kids)
    if (first === undefined || compareIso(node.timestamp, first) < 0) first = node.timestamp;
  return first ?? '';
}

/** Neighbouring runs together, up to where a longer run begins. */
export function joined(runs: readonly (readonly Piece[])[], level: number, most: number): Piece[][] {
  const longer: Piece[][] = [];
  let count = 0;
  for (const run of runs) {
    const first = run[0]?.kids[0];
    const last = longer.at(-1);
    if (!last || count >= most || (first && beginsRunOfRuns(first, level))) {
      longer.push([...run]);
      count = 1;
    } else {
      last.push(...run);
      count++;
    }
  }
  return longer;
}
