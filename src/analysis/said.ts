import type { Piece, Step } from './run.ts';
import { valuesIn, wordsIn } from './words.ts';

/** Where something stands in a text of a step. */
export interface Place {
  readonly piece: Piece;
  readonly start: number;
  readonly end: number;
}

/** The figures, names and words of texts. Each text is read once. */
export class Said {
  private readonly values = new Map<Piece, ReadonlyMap<string, Place>>();
  private readonly words = new Map<Piece, ReadonlyMap<string, Place>>();

  /** Each figure and name by where it stands first. */
  valuesOf(piece: Piece): ReadonlyMap<string, Place> {
    return this.held(this.values, piece, valuesIn);
  }

  wordsOf(piece: Piece): ReadonlyMap<string, Place> {
    return this.held(this.words, piece, wordsIn);
  }

  /** Where a step says this itself. */
  placeOf(token: string, pieces: readonly Piece[]): Place | undefined {
    for (const piece of pieces) {
      const place = this.valuesOf(piece).get(token) ?? this.wordsOf(piece).get(token);
      if (place) return place;
    }
    return undefined;
  }

  /** The figures and names of what a step said and got. */
  valuesOfStep({ own, results }: Step): Map<string, Place> {
    const all = new Map<string, Place>();
    for (const piece of [...own, ...results])
      for (const [token, place] of this.valuesOf(piece)) if (!all.has(token)) all.set(token, place);
    return all;
  }

  private held(
    of: Map<Piece, ReadonlyMap<string, Place>>,
    piece: Piece,
    read: typeof valuesIn,
  ): ReadonlyMap<string, Place> {
    const known = of.get(piece);
    if (known) return known;
    const places = new Map<string, Place>();
    for (const { token, start, end } of read(piece.text))
      if (!places.has(token)) places.set(token, { piece, start, end });
    of.set(piece, places);
    return places;
  }
}
