import { BoundaryError } from '../../base/boundary-error.ts';
import { Batch, type PlacedFrame } from './batch.ts';
import type { LogFiles } from './files.ts';
import { frameBytes, type FrameHeader } from './frame.ts';
import { OpenFiles } from './open-files.ts';
import { chunksOf, placeFrame, withoutLooseChunks, type ChunkPlaces } from './place-frame.ts';
import {
  HEAD_BYTES,
  makeHead,
  placeOf,
  readAll,
  readHead,
  SEGMENT_VERSION,
  scanSegment,
  segmentName,
  segmentNumber,
  segmentOf,
  temporaryName,
  type Scan,
} from './segment.ts';
import { readFrame, readHeaderAt } from './read-frame.ts';
import type { Say } from './say.ts';

export interface Segment {
  readonly number: number;
  readonly withoutTexts: boolean;
  generation: number;
  bytes: number;
  deadBytes: number;
  /** Of its last frame. */
  lastTime: number;
  /** What the index was told of it last. */
  noted?: string | undefined;
}

export interface SegmentsOptions {
  readonly segmentBytes: number;
  /** Nothing that is appended holds a text. */
  readonly withoutTexts: boolean;
}

/** The files of the log: frames are appended to the last one and read from all. */
export class Segments {
  readonly logId: number;
  private readonly files: LogFiles;
  private readonly segmentBytes: number;
  private readonly withoutTexts: boolean;
  private readonly all = new Map<number, Segment>();
  private readonly open: OpenFiles;
  /** Chunks of the last segment, by their SHA-256. */
  private chunks: ChunkPlaces = new Map();
  private last: Segment | undefined;
  private lastTime = 0;
  /** Numbers are not given twice, so that places of a segment that is gone lead nowhere. */
  private highest = 0;

  /**
   * Looks at the heads of all segments; nothing else is read yet.
   * @throws BoundaryError FAILED_PRECONDITION when a newer version wrote the log
   */
  constructor(files: LogFiles, { segmentBytes, withoutTexts }: SegmentsOptions, say: Say) {
    this.files = files;
    this.open = new OpenFiles(files);
    this.withoutTexts = withoutTexts;
    this.segmentBytes = segmentBytes;
    let logId: number | undefined;
    const names = files.list();
    for (const name of names) if (name.endsWith('.seg.tmp')) files.remove(name);
    const numbers = names.map(segmentNumber).filter((number) => number !== undefined);
    for (const number of numbers.sort((a, b) => a - b)) {
      const file = this.open.get(number);
      const first = Buffer.alloc(HEAD_BYTES);
      const head = file.read(first, 0) === HEAD_BYTES ? readHead(first) : undefined;
      if (head && head.version > SEGMENT_VERSION)
        throw new BoundaryError(
          'FAILED_PRECONDITION',
          `the log has format ${head.version}, and this version reads ${SEGMENT_VERSION}: use the version that wrote it, or set another dataDir`,
        );
      if (!head) say('error', { segment: number }, 'the head of a segment of the log is damaged');
      logId ??= head?.logId;
      this.highest = number;
      const generation = head?.generation ?? 0;
      const bytes = file.size;
      const withoutTexts = head?.withoutTexts ?? false;
      this.last = { number, generation, withoutTexts, bytes, deadBytes: 0, lastTime: 0 };
      this.all.set(number, this.last);
    }
    this.open.kept = this.last?.number;
    this.logId = logId ?? Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
  }

  list(): readonly Segment[] {
    return [...this.all.values()];
  }

  get(number: number): Segment | undefined {
    return this.all.get(number);
  }

  get active(): Segment | undefined {
    return this.last;
  }

  get bytes(): number {
    let sum = 0;
    for (const segment of this.all.values()) sum += segment.bytes;
    return sum;
  }

  /** Behind the last frame. */
  get end(): number {
    return this.last ? placeOf(this.last.number, this.last.bytes) : 0;
  }

  /** Reads a segment; a torn end of the last one is cut off. */
  scan(segment: Segment, say: Say): { readonly bytes: Buffer; readonly scan: Scan } {
    const file = this.open.get(segment.number);
    const bytes = readAll(file);
    const found = scanSegment(bytes);
    const scan = segment === this.last ? withoutLooseChunks(found) : found;
    if (scan.damagedBytes > 0)
      say(
        'error',
        { segment: segment.number, bytes: scan.damagedBytes },
        'damage in the log: what was in these bytes is lost, the rest is kept',
      );
    for (const { header } of scan.frames) segment.lastTime = Math.max(segment.lastTime, header.time);
    this.lastTime = Math.max(this.lastTime, segment.lastTime);
    if (segment === this.last) {
      this.cutTail(segment, scan.end, bytes.length, say);
      this.chunks = chunksOf(bytes, scan);
    } else if (scan.end < bytes.length) {
      say(
        'error',
        { segment: segment.number, bytes: bytes.length - scan.end },
        'damage at the end of a segment of the log: what was in these bytes is lost',
      );
    }
    return { bytes: bytes.subarray(0, scan.end), scan };
  }

  /** What was known of a segment that is not read. */
  note(segment: Segment, deadBytes: number, lastTime: number): void {
    segment.deadBytes = deadBytes;
    segment.lastTime = lastTime;
    this.lastTime = Math.max(this.lastTime, lastTime);
  }

  /**
   * Appends frames, which get their checksums here, in their order. `placed` is called for each that is in the log.
   * @throws Error of the file system: what was not placed is not in the log
   */
  append(frames: Buffer, now: number, placed: (frame: PlacedFrame) => void): void {
    // A clock that was set back does not bring the frames out of order.
    this.lastTime = Math.max(this.lastTime, now);
    let batch = this.startBatch();
    for (let at = 0; at < frames.length;) {
      const end = at + frameBytes(frames, at);
      if (batch.end + (end - at) > this.segmentBytes && batch.end > HEAD_BYTES) {
        this.write(batch, placed);
        this.rotate();
        batch = this.startBatch();
      }
      placeFrame(frames, at, end, this.lastTime, batch, this.chunks);
      at = end;
    }
    this.write(batch, placed);
  }

  /** Makes what was appended to the last segment durable. */
  sync(): void {
    if (this.last) this.open.get(this.last.number).sync();
  }

  /** The next frame starts a new segment. */
  rotate(): void {
    const number = this.highest + 1;
    const { logId, withoutTexts } = this;
    const head = makeHead({ generation: 0, logId, withoutTexts });
    const file = this.open.get(number);
    try {
      file.write(head, 0);
    } catch (error) {
      this.open.close(number);
      this.files.remove(segmentName(number));
      throw error;
    }
    this.highest = number;
    this.last = { number, generation: 0, withoutTexts, bytes: HEAD_BYTES, deadBytes: 0, lastTime: 0 };
    this.all.set(number, this.last);
    this.open.kept = number;
    this.chunks = new Map();
  }

  /** Undefined when it is damaged, or its segment is gone. */
  headerAt(place: number): FrameHeader | undefined {
    return this.all.has(segmentOf(place)) ? readHeaderAt(this.open, place) : undefined;
  }

  /** A frame with its content, put together from its chunks. @throws Error when it is damaged */
  read(place: number): PlacedFrame {
    return readFrame(this.open, place);
  }

  /** Puts other bytes in a segment's place, durably. */
  replace(segment: Segment, parts: readonly Buffer[]): void {
    const { number, withoutTexts } = segment;
    const temporary = temporaryName(number);
    this.files.remove(temporary);
    const generation = segment.generation + 1;
    const file = this.files.open(temporary);
    let bytes = 0;
    try {
      for (const part of [makeHead({ generation, logId: this.logId, withoutTexts }), ...parts]) {
        file.write(part, bytes);
        bytes += part.length;
      }
      file.sync();
    } catch (error) {
      file.close();
      this.files.remove(temporary);
      throw error;
    }
    file.close();
    this.open.close(number);
    this.files.rename(temporary, segmentName(number));
    this.files.syncFolder();
    segment.generation = generation;
    segment.bytes = bytes;
    segment.deadBytes = 0;
  }

  remove(segment: Segment): void {
    this.open.close(segment.number);
    this.files.remove(segmentName(segment.number));
    this.files.syncFolder();
    this.all.delete(segment.number);
    if (this.last === segment) this.last = this.open.kept = undefined;
  }

  close(): void {
    this.open.closeAll();
  }

  private startBatch(): Batch {
    if (!this.last) this.rotate();
    const { number, bytes } = this.last as Segment;
    return new Batch(number, bytes);
  }

  /** Writes to the last segment, which the batch was started for. */
  private write(batch: Batch, placed: (frame: PlacedFrame) => void): void {
    const segment = this.last as Segment;
    const file = this.open.get(segment.number);
    let at = segment.bytes;
    try {
      for (const bytes of batch.buffers()) {
        file.write(bytes, at);
        at += bytes.length;
      }
    } catch (error) {
      for (const key of batch.newChunks) this.chunks.delete(key);
      // Even where this fails nothing comes of the rest: the next frame is written over it.
      attempt(() => file.truncate(segment.bytes));
      throw error;
    }
    segment.bytes = batch.end;
    segment.lastTime = this.lastTime;
    for (const frame of batch.frames) placed(frame);
  }

  private cutTail(segment: Segment, end: number, found: number, say: Say): void {
    const kept = Math.max(end, HEAD_BYTES);
    if (found === kept) return;
    if (found > end)
      say(
        'warn',
        { segment: segment.number, bytes: found - end },
        'the log ends in the middle of a record, as after a crash: it is cut after the last whole one',
      );
    const file = this.open.get(segment.number);
    file.truncate(end);
    if (end < HEAD_BYTES) file.write(makeHead({ ...segment, logId: this.logId }), 0);
    segment.bytes = kept;
  }
}

function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // The caller goes on without.
  }
}
