import { FRAME_KIND, HEADER_BYTES, makeFrame } from './frame.ts';
import { recordsOfNode } from './index-notes.ts';
import { rewriteSegment, sourceAt, type LogParts } from './rewrite.ts';
import { readWhole, scanSegment, segmentName, segmentOf, type FoundFrame } from './segment.ts';
import type { LeftEntry } from './stored.ts';

/** What is to be erased: everything of these tasks that left memory, and these records of nodes in memory. */
export interface ErasureOrder {
  readonly tasks: readonly string[];
  readonly sources: readonly string[];
  /** The records behind what left memory: after a crash the index may have forgotten them already. */
  readonly left?: readonly string[];
  /** What left memory: where it stood in another task before, it goes there too. */
  readonly nodes?: readonly string[];
}

const NOTHING = Buffer.alloc(0);

/** An order as it stands in the log. */
export function erasureFrame(order: ErasureOrder, time: number): Buffer {
  const fields = { kind: FRAME_KIND.erase, factsLength: 0, time, rank: 0, part: 0 };
  return makeFrame(fields, NOTHING, Buffer.from(JSON.stringify(order)));
}

export function readErasure(content: Buffer): ErasureOrder {
  return JSON.parse(content.toString('utf8')) as ErasureOrder;
}

/**
 * Takes records off the disk for good, states of them that were replaced long ago included: every segment that
 * holds one is written anew. The order itself stands in the log until then, so that a crash does not end it halfway.
 */
export class Erasure {
  private readonly parts: LogParts;
  private readonly sources = new Set<string>();
  private readonly tasks = new Set<string>();
  private readonly nodes = new Set<string>();
  /** Segments that hold an order: they come last, and with the last of them the orders are gone. */
  private readonly ordered = new Set<number>();
  private toDo: number[] = [];

  constructor(parts: LogParts) {
    this.parts = parts;
  }

  /** @param place of the order: what comes after it may be the same again, and stays */
  add({ tasks, sources, left = [], nodes = [] }: ErasureOrder, place: number): void {
    const { index, live, segments } = this.parts;
    for (const source of left) this.sources.add(source);
    index.transaction(() => {
      for (const task of tasks) {
        this.tasks.add(task);
        index.removeTask(task);
      }
      for (const node of nodes) {
        this.nodes.add(node);
        if ((index.frameOfNode(node)?.place ?? Infinity) > place) continue;
        index.addDead(recordsOfNode(this.parts, node));
        index.forgetNode(node);
      }
      for (const source of sources) {
        this.sources.add(source);
        const { places, dead } = live.of(source);
        index.addDead([...places, ...dead]);
      }
    });
    for (const source of sources) live.remove(source);
    this.ordered.add(segmentOf(place));
    if (segments.active?.number === segmentOf(place)) segments.rotate();
    const last = Math.max(...this.ordered);
    const numbers = segments.list().map(({ number }) => number);
    this.toDo = [
      ...numbers.filter((number) => number < last && !this.ordered.has(number)),
      ...[...this.ordered].sort((a, b) => a - b),
    ];
  }

  /** Writes one segment anew. @returns whether there is more to do */
  step(): boolean {
    for (let number = this.toDo.shift(); number !== undefined; number = this.toDo.shift()) {
      const segment = this.parts.segments.get(number);
      const isOrdered = this.ordered.has(number);
      if (!segment || !(isOrdered || this.holdsAny(number))) continue;
      rewriteSegment(this.parts, segment, !isOrdered);
      return this.toDo.length > 0;
    }
    return false;
  }

  private holdsAny(number: number): boolean {
    const bytes = readWhole(this.parts.files, segmentName(number));
    return scanSegment(bytes).frames.some((found) => {
      const { kind } = found.header;
      if (kind === FRAME_KIND.record) return this.sources.has(sourceAt(bytes, found));
      return (
        kind === FRAME_KIND.left && (this.tasks.has(sourceAt(bytes, found)) || this.holdsNode(bytes, found))
      );
    });
  }

  private holdsNode(bytes: Buffer, { offset, header }: FoundFrame): boolean {
    const start = offset + HEADER_BYTES;
    const json = bytes.toString('utf8', start + header.sourceLength, start + header.length);
    return (JSON.parse(json) as readonly LeftEntry[]).some(({ node }) => this.nodes.has(node.id));
  }
}
