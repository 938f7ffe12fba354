/** A record as the store has it: JSON of its facts, and of its texts, which is empty where there are none. */
export interface StoredRecord {
  readonly facts: string;
  readonly texts: string;
}

/** A record of a node in memory. */
export interface LiveItem extends StoredRecord {
  readonly kind: 'live';
}

/** A node that left memory, with the records behind it. */
export interface LeftItem {
  readonly kind: 'left';
  readonly task: string;
  /** Of the `LeavingNode`. */
  readonly json: string;
  readonly ties: readonly number[];
  readonly records: readonly StoredRecord[];
}

/** Where what follows belongs to. */
export interface ProjectItem {
  readonly kind: 'project';
  readonly name: string;
  /** The same where the redaction key is the same; says nothing else of it. */
  readonly key: string;
}

/** What a store has, in the order in which another takes it. */
export type StoredItem = LiveItem | LeftItem;
