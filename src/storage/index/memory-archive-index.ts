import type { ArchiveIndex, LeftFrame, SegmentNote } from './archive-index.ts';

interface HeldFrame {
  place: number;
  readonly task: string;
  records: readonly (readonly number[])[];
  readonly nodeIds: readonly string[];
}

/**
 * The index of a process without `node:sqlite`: it is made from the whole log at every start, and takes memory for
 * every node in the log.
 */
export class MemoryArchiveIndex implements ArchiveIndex {
  position: { readonly logId: number; readonly place: number } | undefined;
  readonly bytes = 0;
  private readonly notes = new Map<number, SegmentNote>();
  private readonly byTask = new Map<string, Set<HeldFrame>>();
  private readonly byNode = new Map<string, HeldFrame>();
  private readonly byPlace = new Map<number, HeldFrame>();
  /** Places of records, with the frame of the node that they stand behind. */
  private readonly records = new Map<number, HeldFrame>();
  private readonly dead = new Set<number>();

  segments(): readonly SegmentNote[] {
    return [...this.notes.values()];
  }

  transaction(work: () => void): void {
    work();
  }

  setPosition(logId: number, place: number): void {
    this.position = { logId, place };
  }

  noteSegment(note: SegmentNote): void {
    this.notes.set(note.number, note);
  }

  forgetSegment(number: number): void {
    this.notes.delete(number);
  }

  addFrame({ place, task, records }: LeftFrame, nodeIds: readonly string[]): void {
    const frame: HeldFrame = { place, task, records, nodeIds };
    this.byPlace.set(place, frame);
    this.byTask.set(task, (this.byTask.get(task) ?? new Set()).add(frame));
    for (const id of nodeIds) this.byNode.set(id, frame);
    for (const places of records) for (const record of places) this.records.set(record, frame);
  }

  forgetNode(nodeId: string): void {
    this.byNode.delete(nodeId);
  }

  frameOfNode(nodeId: string): LeftFrame | undefined {
    return this.byNode.get(nodeId);
  }

  framesOfTask(task: string): LeftFrame[] {
    return [...(this.byTask.get(task) ?? [])].sort((a, b) => a.place - b.place);
  }

  hasTask(task: string): boolean {
    return this.byTask.has(task);
  }

  tasks(): Iterable<string> {
    return this.byTask.keys();
  }

  tasksBetween(from: number, to: number): string[] {
    const tasks = new Set<string>();
    for (const held of [this.records, this.byPlace])
      for (const [place, { task }] of held) if (place >= from && place < to) tasks.add(task);
    return [...tasks];
  }

  recordsBetween(from: number, to: number): number[] {
    return between(this.records.keys(), from, to);
  }

  framesBetween(from: number, to: number): number[] {
    return between(this.byPlace.keys(), from, to);
  }

  addDead(places: readonly number[]): void {
    for (const place of places) {
      this.records.delete(place);
      this.dead.add(place);
    }
  }

  deadBetween(from: number, to: number): number[] {
    return between(this.dead, from, to);
  }

  removeDead(from: number, to: number): void {
    for (const place of this.deadBetween(from, to)) this.dead.delete(place);
  }

  removeTask(task: string): { readonly records: readonly number[]; readonly frames: readonly number[] } {
    const records: number[] = [];
    const frames: number[] = [];
    for (const frame of this.byTask.get(task) ?? []) {
      frames.push(frame.place);
      this.byPlace.delete(frame.place);
      for (const id of frame.nodeIds) if (this.byNode.get(id) === frame) this.byNode.delete(id);
      for (const place of frame.records.flat()) if (this.records.delete(place)) records.push(place);
    }
    this.byTask.delete(task);
    this.addDead(records);
    return { records, frames };
  }

  move(places: ReadonlyMap<number, number>): void {
    const affected = new Set<HeldFrame>();
    const moved: [number, HeldFrame][] = [];
    for (const [from, to] of places) {
      const frame = this.records.get(from);
      if (frame) {
        this.records.delete(from);
        moved.push([to, frame]);
        affected.add(frame);
      }
    }
    for (const [to, frame] of moved) this.records.set(to, frame);
    for (const frame of affected)
      frame.records = frame.records.map((of) => of.map((place) => places.get(place) ?? place));
    const movedFrames = [...places].flatMap(([from, to]) => {
      const frame = this.byPlace.get(from);
      if (frame) this.byPlace.delete(from);
      return frame ? [[to, frame] as const] : [];
    });
    for (const [to, frame] of movedFrames) {
      frame.place = to;
      this.byPlace.set(to, frame);
    }
  }

  scrub(): void {}

  clear(): void {
    this.position = undefined;
    this.dead.clear();
    for (const map of [this.notes, this.byTask, this.byNode, this.byPlace, this.records]) map.clear();
  }

  close(): void {
    this.clear();
  }
}

function between(places: Iterable<number>, from: number, to: number): number[] {
  return [...places].filter((place) => place >= from && place < to).sort((a, b) => a - b);
}
