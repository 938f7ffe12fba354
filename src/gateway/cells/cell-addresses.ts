/** Where a cell is. */
export interface CellAddress {
  /** In notices, logs and labels of metrics; no other cell has it. At most 260 characters. */
  readonly name: string;
  /** Its port for readers, `host:port`; no other cell has it. */
  readonly address: string;
  /** By which a Collector's `load_balancing` exporter knows it, `host:port`; no other cell has it. */
  readonly endpoint: string;
  /** It gets nothing new, as it is to be taken out; its readers are served. */
  readonly drain?: true;
}

/** Which cells there are, in the order of their names. */
export interface CellAddresses {
  /** Empty before `start`, and as long as it is not known. */
  current(): readonly CellAddress[];
  /** Told of the whole list whenever it is another. @returns stops that */
  onChange(listener: (cells: readonly CellAddress[]) => void): () => void;
  /** Looks for the cells, and goes on looking. Resolves after the first look, also when that failed: then `problem` says why. */
  start(): Promise<void>;
  stop(): void;
  /** Why the list may be an old one, or empty, for people; undefined while all is well. */
  readonly problem: string | undefined;
}

/** A cell as it is given: what is left out follows from its address. */
export interface GivenCell {
  readonly name?: string | undefined;
  readonly address: string;
  readonly endpoint?: string | undefined;
  readonly drain?: boolean | undefined;
}

/**
 * The cells with all that is known of them, in the order of their names. Where no endpoint is given it is the host with
 * `otlpPort`; where others have that as well, as on one machine, it is the address, where OTLP comes in too.
 */
export function completeCells(given: readonly GivenCell[], otlpPort: number): readonly CellAddress[] {
  const usual = ({ endpoint, address }: GivenCell): string => endpoint ?? `${hostOf(address)}:${otlpPort}`;
  const uses = new Map<string, number>();
  for (const cell of given) uses.set(usual(cell), (uses.get(usual(cell)) ?? 0) + 1);
  return given
    .map((cell) => {
      const { name, address, endpoint, drain } = cell;
      const own = endpoint ?? (uses.get(usual(cell)) === 1 ? usual(cell) : address);
      return { name: name ?? address, address, endpoint: own, ...(drain === true && { drain }) };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(':'));
}
