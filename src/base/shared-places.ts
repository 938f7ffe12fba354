import type { BoundaryError } from './boundary-error.ts';
import { whoMakesRoom } from './who-makes-room.ts';

export interface SharedPlacesOptions {
  readonly most: number;
  /** For who comes when all are taken and nobody has more. */
  readonly refusal: () => BoundaryError;
}

/** Places that all share: when they are taken, who has most of them makes room for who has less, by the last. */
export class SharedPlaces {
  private readonly options: SharedPlacesOptions;
  /** Whose each is, by what ends it; in the order of coming. */
  private readonly held = new Map<() => void, string>();

  constructor(options: SharedPlacesOptions) {
    this.options = options;
  }

  /**
   * @param end called when it has to make room
   * @returns frees it; further calls do nothing
   * @throws what `refusal` gives
   */
  take(who: string, end: () => void): () => void {
    const { most, refusal } = this.options;
    if (this.held.size >= most) {
      const last = whoMakesRoom(this.held, who);
      if (last === undefined) throw refusal();
      this.held.delete(last);
      last();
    }
    const mine = (): void => end();
    this.held.set(mine, who);
    return () => void this.held.delete(mine);
  }
}
