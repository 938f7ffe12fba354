import { seldom, type IsOver, type Work } from '../base/in-turns.ts';
import type { Piece } from './run.ts';
import { valuesIn, wordsIn } from './words.ts';

/** Where something stands in a text of a step. */
export interface Place {
  readonly piece: Piece;
  readonly start: number;
  readonly end: number;
}

const NOTHING: ReadonlyMap<string, Place> = new Map();

/** The figures, names and words of texts that were read. Each text is read once. */
export class Said {
  private readonly values = new Map<Piece, ReadonlyMap<string, Place>>();
  private readonly words = new Map<Piece, ReadonlyMap<string, Place>>();

  *read(pieces: readonly Piece[], isOver: IsOver): Work<void> {
    for (const piece of pieces) {
      if (this.values.has(piece)) continue;
      this.values.set(piece, yield* placesIn(piece, valuesIn, isOver));
      this.words.set(piece, yield* placesIn(piece, wordsIn, isOver));
    }
  }

  /** Each figure and name by where it stands first; none of a text that was not read. */
  valuesOf(piece: Piece): ReadonlyMap<string, Place> {
    return this.values.get(piece) ?? NOTHING;
  }

  wordsOf(piece: Piece): ReadonlyMap<string, Place> {
    return this.words.get(piece) ?? NOTHING;
  }

  /** Where a step says this itself. */
  placeOf(token: string, pieces: readonly Piece[]): Place | undefined {
    for (const piece of pieces) {
      const place = this.valuesOf(piece).get(token) ?? this.wordsOf(piece).get(token);
      if (place) return place;
    }
    return undefined;
  }
}

function* placesIn(piece: Piece, found: typeof valuesIn, isOver: IsOver): Work<ReadonlyMap<string, Place>> {
  const isRest = seldom(isOver);
  const places = new Map<string, Place>();
  for (const { token, start, end } of found(piece.text)) {
    if (!places.has(token)) places.set(token, { piece, start, end });
    if (isRest()) yield;
  }
  if (isOver()) yield;
  return places;
}
