/** A frame of the log that holds nodes which left memory, all of one task. */
export interface LeftFrame {
  readonly place: number;
  readonly task: string;
  /** The records behind each of its nodes, by the node's position in the frame. */
  readonly records: readonly (readonly number[])[];
}

/** What is known of a segment without reading it. */
export interface SegmentNote {
  readonly number: number;
  readonly generation: number;
  readonly bytes: number;
  /** Of records in it that no node in memory and none that left stands on any more. */
  readonly deadBytes: number;
  /** Whether it has to be read at the start: a node in memory stood on it, or it was not looked through to its end. */
  readonly isNeeded: boolean;
  readonly lastTime: number;
}

/**
 * Where in the log those nodes are that left memory. All of it can be made again from the log; what it says is
 * as of `position`, up to which the log was looked at. Places change only through `move`.
 */
export interface ArchiveIndex {
  /** Undefined: it knows nothing, and has to be made from the log. */
  readonly position: { readonly logId: number; readonly place: number } | undefined;
  segments(): readonly SegmentNote[];
  /** Everything that is done within is kept as a whole, or not at all. */
  transaction(work: () => void): void;

  setPosition(logId: number, place: number): void;
  noteSegment(note: SegmentNote): void;
  forgetSegment(number: number): void;

  /** Of a node that left before, the newest frame counts. */
  addFrame(frame: LeftFrame, nodeIds: readonly string[]): void;
  /** It is in no frame any more. */
  forgetNode(nodeId: string): void;
  frameOfNode(nodeId: string): LeftFrame | undefined;
  /** Oldest first. */
  framesOfTask(task: string): LeftFrame[];
  hasTask(task: string): boolean;
  tasks(): Iterable<string>;
  /** Tasks of which a record or a frame lies between these places. */
  tasksBetween(from: number, to: number): string[];
  /** Of records that stand behind nodes which left, those between these places. */
  recordsBetween(from: number, to: number): number[];
  /** Records that nothing stands on any more, though they are still in the log: they must not come back. */
  addDead(places: readonly number[]): void;
  deadBetween(from: number, to: number): number[];
  /** Dead records were taken out of the log. */
  removeDead(from: number, to: number): void;
  framesBetween(from: number, to: number): number[];
  /** Takes a task out; its records are dead from now on. @returns the places of its records and frames */
  removeTask(task: string): { readonly records: readonly number[]; readonly frames: readonly number[] };
  /** Records and frames have another place now. */
  move(places: ReadonlyMap<number, number>): void;

  /** What was taken out stands nowhere on the disk any more. */
  scrub(): void;

  /** Bytes on disk. */
  readonly bytes: number;
  clear(): void;
  close(): void;
}
