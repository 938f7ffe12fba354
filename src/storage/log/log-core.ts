import type { ArchiveIndex } from '../index/archive-index.ts';
import type { PlacedFrame } from './batch.ts';
import { Erasure, erasureFrame, readErasure, type ErasureOrder } from './erasure.ts';
import type { LogFiles } from './files.ts';
import { FRAME_KIND, HEADER_BYTES } from './frame.ts';
import { headerOf, LogReads, type LeftPage } from './log-reads.ts';
import type { StoredNode, StoredRecord } from './stored.ts';
import { LiveSources } from './live-sources.ts';
import { Restoring } from './restoring.ts';
import { IndexHealth } from './index-health.ts';
import { isIndexOf, noteAll, noteLeft, noteSegment } from './index-notes.ts';
import { sourceAt, type LogParts } from './rewrite.ts';
import { codeOf, type Say } from './say.ts';
import { placeOf } from './segment.ts';
import { Segments, type Segment } from './segments.ts';
import { Upkeep, type OnDropped, type UpkeepLimits } from './upkeep.ts';

export interface LogCoreOptions extends UpkeepLimits {
  readonly files: LogFiles;
  /** @param anew the one that there is does no good: it is put aside for an empty one */
  readonly openIndex: (anew: boolean) => ArchiveIndex;
  readonly say: Say;
  readonly onDropped: OnDropped;
  /** Nothing that is appended holds a text. */
  readonly withoutTexts: boolean;
}

/**
 * The log and its index. Everything here is synchronous: it runs in a thread of its own. The log alone is the
 * truth; the index, and which records nodes in memory stand on, are made from it.
 */
export class LogCore {
  /** Whether it was opened with segments that may hold texts. */
  readonly heldTexts: boolean;
  private readonly options: LogCoreOptions;
  private readonly segments: Segments;
  private readonly live: LiveSources;
  private index: ArchiveIndex;
  private parts: LogParts;
  private upkeep: Upkeep;
  private reads: LogReads;
  private erasure: Erasure | undefined;
  private restoring: Restoring;
  private isLoading = true;
  private readonly health: IndexHealth;

  /** @throws BoundaryError FAILED_PRECONDITION when a newer version wrote the log */
  constructor(options: LogCoreOptions) {
    this.options = options;
    this.health = new IndexHealth(options.say);
    this.segments = new Segments(options.files, options, options.say);
    this.live = new LiveSources((place) => headerOf(place, this.segments, options.say));
    this.index = options.openIndex(false);
    this.parts = this.makeParts();
    this.upkeep = this.makeUpkeep();
    this.reads = new LogReads(this.parts, options.say);
    this.loadOrRenew();
    this.restoring = new Restoring(this.live);
    this.heldTexts = this.segments.list().some((segment) => !segment.withoutTexts);
  }

  get bytes(): number {
    return this.segments.bytes + this.index.bytes;
  }

  /** Says what is wrong with the index; undefined when nothing is. */
  get problem(): string | undefined {
    return this.health.problem;
  }

  /**
   * Appends frames as they come from the other thread and, when `durable`, waits for the disk.
   * @throws Error of the file system: what it has of them then is whole frames, which a repetition replaces
   */
  append(frames: Buffer, now: number, durable: boolean): void {
    const placed: PlacedFrame[] = [];
    const before = this.segments.active;
    try {
      this.segments.append(frames, now, (frame) => placed.push(frame));
      if (durable) this.segments.sync();
    } finally {
      this.take(placed);
      const { active } = this.segments;
      if (before && before !== active) this.indexed(() => noteSegment(this.parts, before));
    }
  }

  /** A segment that is rewritten meanwhile would leave a gap in what is restored. */
  get isRestoring(): boolean {
    return this.restoring.isUnderWay;
  }

  /** The facts of the next records that nodes in memory stand on, as a JSON array; undefined when all were given. */
  restoreNext(): { readonly facts: string; readonly count: number } | undefined {
    return this.restoring.next(this.reads);
  }

  /** The texts of records that nodes in memory stand on, as JSON; absent where there are none. */
  texts(sources: readonly string[]): { readonly [source: string]: string } {
    return this.reads.texts(sources);
  }

  /** A node that left memory, and the records behind it. */
  leftNode(id: string): StoredNode | undefined {
    return this.asked(() => this.reads.leftNode(id));
  }

  /** Nodes of a task that left memory: see `LogReads.leftPage`. */
  leftPage(task: string, after: number): LeftPage {
    return this.asked(() => this.reads.leftPage(task, after)) ?? { entries: '[]', next: undefined };
  }

  leftTasks(): string[] {
    return this.asked(() => [...this.index.tasks()]) ?? [];
  }

  /** Every record that the log keeps, live or left, in its order. For looking into it, not for every day. */
  records(): Generator<StoredRecord> {
    return this.reads.records();
  }

  /**
   * Notes down what is to be erased, durably, so that a crash does not forget it, and erases it.
   * @throws Error when the disk or the index refuses: what could not be done is done at the next start
   */
  startErasure(order: ErasureOrder, now: number): void {
    this.append(erasureFrame(this.reads.wholeOrder(order), now), now, true);
    if (!this.health.isGood) throw new Error('the index of the store cannot be written');
  }

  /** Writes the next segment anew that holds something to be erased. @returns whether there is more to do */
  eraseStep(): boolean {
    if (!this.erasure) return false;
    if (this.erasure.step()) return true;
    this.erasure = undefined;
    this.health.scrub(this.index);
    return false;
  }

  /** One step of what has to be done from time to time. @returns whether there is more to do */
  maintain(now: number): boolean {
    if (this.isRestoring) return false;
    if (this.health.isDue(now)) this.loadOrRenew();
    if (!this.health.isGood) return false;
    try {
      return this.erasure ? this.eraseStep() : this.upkeep.step(now);
    } catch (error) {
      this.options.say(
        'error',
        { code: codeOf(error) },
        'the log could not be made smaller; it is tried again',
      );
      return false;
    }
  }

  /** What is appended from now on stands apart from what was before. @returns for `dropBefore` */
  startAnew(): number {
    this.segments.rotate();
    return this.segments.active?.number ?? 0;
  }

  /** Removes everything that was there before `startAnew`. */
  dropBefore(number: number): void {
    for (const segment of this.segments.list()) if (segment.number < number) this.segments.remove(segment);
    this.index.clear();
    this.loadOrRenew();
    this.restoring = new Restoring(this.live);
    this.health.scrub(this.index);
  }

  close(): void {
    this.indexed(() => noteAll(this.parts));
    this.index.close();
    this.segments.close();
  }

  private makeParts(): LogParts {
    const { segments, live, index } = this;
    return { files: this.options.files, segments, live, index };
  }

  private makeUpkeep(): Upkeep {
    return new Upkeep(this.parts, this.options, this.options.say, this.options.onDropped);
  }

  /** Brings the index up to date, one that cannot be used made anew. */
  private loadOrRenew(): void {
    try {
      this.health.tryAgain();
      this.load();
    } catch (error) {
      this.renew(error);
    }
  }

  private renew(why: unknown): void {
    this.health.renewed(why);
    this.index.close();
    this.index = this.options.openIndex(true);
    this.parts = this.makeParts();
    this.upkeep = this.makeUpkeep();
    this.reads = new LogReads(this.parts, this.options.say);
    this.load();
  }

  private load(): void {
    const { index, segments } = this;
    this.isLoading = true;
    this.live.clear();
    this.erasure = undefined;
    if (!isIndexOf(this.parts)) {
      if (index.position && segments.list().length > 0)
        this.options.say('warn', {}, 'the index is not that of this log: it is made anew from the log');
      index.clear();
    }
    const known = index.position?.place ?? 0;
    const notes = new Map(index.segments().map((note) => [note.number, note]));
    for (const segment of segments.list()) {
      segment.noted = undefined;
      const note = notes.get(segment.number);
      const isBehind = placeOf(segment.number + 1, 0) > known;
      if (note && !note.isNeeded && !isBehind) segments.note(segment, note.deadBytes, note.lastTime);
      else this.loadSegment(segment, known);
    }
    // A power cut may leave the log its length and not its content: what was cut off, the index must not know.
    if (known > segments.end) {
      index.clear();
      return this.load();
    }
    index.transaction(() => noteAll(this.parts));
    this.isLoading = false;
    while (this.eraseStep());
  }

  /** @param known up to here the index knows what left memory and what is dead */
  private loadSegment(segment: Segment, known: number): void {
    const { bytes, scan } = this.segments.scan(segment, this.options.say);
    const from = placeOf(segment.number, 0);
    const to = placeOf(segment.number + 1, 0);
    const gone = new Set([...this.index.recordsBetween(from, to), ...this.index.deadBetween(from, to)]);
    segment.deadBytes = 0;
    for (const place of this.index.deadBetween(from, to)) this.upkeep.countDead(place);
    for (const found of scan.frames) {
      const place = placeOf(segment.number, found.offset);
      const { kind } = found.header;
      if (kind === FRAME_KIND.record) {
        if (!gone.has(place)) this.addRecord(place, sourceAt(bytes, found), found);
      } else if (kind === FRAME_KIND.erase || (kind === FRAME_KIND.left && place >= known)) {
        this.take([this.segments.read(place)]);
      }
    }
  }

  /** Frames are in the log: from now on they count. */
  private take(placed: readonly PlacedFrame[]): void {
    for (const frame of placed) {
      const { kind } = frame;
      if (kind === FRAME_KIND.record) this.addRecord(frame.place, frame.source, frame);
      else if (kind === FRAME_KIND.left) this.indexed(() => this.takeLeft(frame));
      else if (kind === FRAME_KIND.erase) this.takeErasure(frame);
    }
  }

  private addRecord(place: number, source: string, frame: Pick<PlacedFrame, 'header'>): void {
    for (const dead of this.live.add(source, place, frame)) this.upkeep.countDead(dead);
  }

  private takeLeft(frame: PlacedFrame): void {
    const { sources, dead } = noteLeft(this.parts, frame);
    this.leaving = sources;
    for (const place of dead) this.upkeep.countDead(place);
    // Not the end of the log: what was appended with it may still have to be noted when a crash comes.
    if (!this.isLoading) noteAll(this.parts, frame.place + HEADER_BYTES + frame.header.length);
  }

  /** Sources whose nodes leave with the transaction that is under way. */
  private leaving: readonly string[] = [];

  /** Where the index fails, the order waits in the log for the next look at it. */
  private takeErasure(frame: PlacedFrame): void {
    if (!this.health.isGood) return;
    this.erasure ??= new Erasure(this.parts);
    try {
      this.erasure.add(readErasure(frame.content), frame.place);
    } catch (error) {
      this.health.failed(error);
    }
  }

  /** Changes the index as a whole; when it fails, the log is still right, and the index catches up later. */
  private indexed(work: () => void): void {
    if (!this.health.isGood) return;
    this.leaving = [];
    try {
      this.index.transaction(work);
      for (const source of this.leaving) this.live.remove(source);
    } catch (error) {
      if (this.isLoading) throw error;
      this.health.failed(error);
    }
  }

  private asked<T>(question: () => T): T | undefined {
    try {
      return question();
    } catch (error) {
      this.health.failed(error);
      return undefined;
    }
  }
}
