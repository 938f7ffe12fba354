import { BoundaryError } from '../../base/boundary-error.ts';
import { SharedPlaces } from '../../base/shared-places.ts';

/** Agents of one key that wait: without keys all have one. */
export const MAX_STREAMS_PER_KEY = 100;
/** Of all projects. */
export const MAX_STREAMS = 1_000;
const RETRY_MS = 5_000;

/** How many control streams there may be. When all are taken, who has most makes room for who has less. */
export class ControlPlaces {
  private readonly taken = new Map<string, number>();
  private readonly all = new SharedPlaces({
    most: MAX_STREAMS,
    refusal: () => full(`${MAX_STREAMS} control streams are open`),
  });

  /**
   * @param who the id of a principal @param end called when it has to make room
   * @returns gives it back @throws BoundaryError RESOURCE_EXHAUSTED
   */
  take(who: string, end: () => void): () => void {
    const own = this.taken.get(who) ?? 0;
    if (own >= MAX_STREAMS_PER_KEY) throw full(`${MAX_STREAMS_PER_KEY} control streams are open by this key`);
    const free = this.all.take(who, end);
    this.taken.set(who, own + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      free();
      const left = (this.taken.get(who) ?? 1) - 1;
      if (left > 0) this.taken.set(who, left);
      else this.taken.delete(who);
    };
  }
}

function full(what: string): BoundaryError {
  return new BoundaryError('RESOURCE_EXHAUSTED', `${what}: end one first`, { retryAfterMs: RETRY_MS });
}
