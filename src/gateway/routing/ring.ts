import { crc32 } from 'node:zlib';
import { assert } from '../../base/assert.ts';

/** Places on the ring. A prime near 2^17, so that 200 points of each of hundreds of endpoints hardly meet. */
const PLACES = 131_071;
/** Points of each endpoint. */
const POINTS = 200;
/** How far a point whose place is taken moves on before it is left out. */
const MOVES = 10;

interface Point {
  readonly place: number;
  readonly hash: number;
  readonly endpoint: string;
}

/**
 * Which endpoint gets a key: the same ring as the Collector's `load_balancing` exporter makes (version 0.161), so that
 * what comes over a gateway finds what came over a Collector. It is a function of the set of endpoints, compared as
 * the texts that the Collector's resolver gives: `host:4317` where its list or its port says so, else the host alone.
 */
export class Ring {
  /** In rising order of places. */
  private readonly places: Uint32Array;
  private readonly owners: readonly string[];

  /** @param endpoints at least one; their order says nothing */
  constructor(endpoints: Iterable<string>) {
    const points = [...new Set(endpoints)].flatMap(pointsOf).sort(inOrder);
    assert(points.length > 0, 'a ring has endpoints');
    const taken = new Map<number, string>();
    for (const { place, endpoint } of points) {
      const free = freePlace(place, taken);
      if (free !== undefined) taken.set(free, endpoint);
    }
    const sorted = [...taken].sort(([a], [b]) => a - b);
    this.places = Uint32Array.from(sorted, ([place]) => place);
    this.owners = sorted.map(([, endpoint]) => endpoint);
  }

  /** @param key bytes, or text that stands for its UTF-8 */
  endpointOf(key: Buffer | string): string {
    const place = crc32(key) % PLACES;
    let low = 0;
    let high = this.places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.places[middle] as number) < place) low = middle + 1;
      else high = middle;
    }
    // Behind the last point comes the first.
    return this.owners[low === this.owners.length ? 0 : low] as string;
  }
}

function pointsOf(endpoint: string): Point[] {
  const start = crc32(endpoint);
  const number = Buffer.alloc(4);
  return Array.from({ length: POINTS }, (_, i) => {
    number.writeUInt32LE(i);
    const hash = crc32(number, start);
    return { place: hash % PLACES, hash, endpoint };
  });
}

/** By place; of those that meet the lower hash is first, then the name. */
function inOrder(a: Point, b: Point): number {
  if (a.place !== b.place) return a.place - b.place;
  if (a.hash !== b.hash) return a.hash - b.hash;
  return Buffer.compare(Buffer.from(a.endpoint), Buffer.from(b.endpoint));
}

function freePlace(wanted: number, taken: ReadonlyMap<number, string>): number | undefined {
  for (let moved = 0; moved < MOVES; moved++) {
    const place = (wanted + moved) % PLACES;
    if (!taken.has(place)) return place;
  }
  return undefined;
}
