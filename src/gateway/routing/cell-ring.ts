import { Ring } from './ring.ts';

/** A cell as routing knows it. */
export interface RoutedCell {
  /** Stays when its address changes. */
  readonly name: string;
  /** As the Collector's `load_balancing` exporter has it: what the ring is made of. */
  readonly endpoint: string;
  /** It keeps the thoughts that it has, and gets nothing new. */
  readonly drain?: true;
}

/** The cells there are, away or not: what a key is owned by does not depend on how they are. */
export class CellRing {
  readonly names: readonly string[];
  private readonly ring: Ring;
  private readonly byEndpoint: ReadonlyMap<string, string>;

  /** @param cells at least one that is not drained; of two with one endpoint the first name counts */
  constructor(cells: readonly RoutedCell[]) {
    this.names = cells.map(({ name }) => name);
    const taking = cells.filter(({ drain }) => drain !== true);
    this.ring = new Ring(taking.map(({ endpoint }) => endpoint));
    this.byEndpoint = new Map(cells.toReversed().map(({ name, endpoint }) => [endpoint, name]));
  }

  /** The name of the cell that gets what has this key. */
  of(key: Buffer | string): string {
    return this.byEndpoint.get(this.ring.endpointOf(key)) as string;
  }

  has(name: string): boolean {
    return this.names.includes(name);
  }
}
