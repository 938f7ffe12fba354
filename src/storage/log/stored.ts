/** One record as it stands in the log: JSON. */
export interface StoredRecord {
  readonly source: string;
  readonly facts: string;
  /** Empty when it brought none. */
  readonly texts: string;
}

/** A node that left memory, as the frame of its task's nodes has it. */
export interface LeftEntry {
  readonly node: { readonly id: string; readonly [key: string]: unknown };
  readonly edges: readonly { readonly id: string; readonly [key: string]: unknown }[];
  /** Of the records behind it. */
  readonly sources: readonly string[];
}

/** A node that left memory, with the records behind it. */
export interface StoredNode {
  readonly entry: LeftEntry;
  readonly records: readonly StoredRecord[];
}

/** Stands in a frame where a node was that has left again since, or was erased: the others keep their positions. */
export const NO_NODE = '';
