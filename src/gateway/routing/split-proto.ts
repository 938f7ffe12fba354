import { BoundaryError } from '../../base/boundary-error.ts';
import type { IsOver, Work } from '../../base/in-turns.ts';
import { varint } from '../../base/protobuf.ts';
import { WireReader } from '../../base/wire-reader.ts';
import type { Choose, Part } from './items.ts';
import { ownerIn, ProtoItem, type ItemTags, type Range } from './proto-items.ts';

/** Tag of field 1 of a request, in which resources with their scopes are; of field 2 on the two levels below. */
const GROUPS = 10;
const MEMBERS = 18;

/**
 * What all parts may be together, as a multiple of the body: resources and scopes are copied to each cell that gets
 * some of their items. The memory for this is reserved with the request (`DECODED_PER_BYTE`).
 */
const MOST_COPIED = 4;
const FREE_BYTES = 64 * 1024;

/** A message, cut into what holds more messages and what is around them. */
interface Cut {
  readonly members: readonly Range[];
  /** Whole fields, with their tags. */
  readonly around: readonly Range[];
}

/**
 * Shares out an OTLP export request of spans or log records, by slices of its bytes: no item is decoded, and unknown
 * fields stay. A resource and a scope go with each group of their items. It yields when a turn is over.
 * @returns a part a lane, the body itself when there is one; none when there is no item
 * @throws BoundaryError INVALID_ARGUMENT for bytes that are no such message; TOO_LARGE
 */
export function* splitProto(
  body: Buffer,
  tags: ItemTags,
  choose: Choose,
  isOver: IsOver,
): Work<readonly Part[]> {
  const whole = cut(new WireReader(body), 0, body.length, GROUPS);
  const lanes = new Lanes(body);
  const item = new ProtoItem(body, tags);
  for (const group of whole.members) {
    const inGroup = cut(new WireReader(body), group.start, group.end, MEMBERS);
    const resource = ownerIn(body, inGroup.around, 10);
    for (const member of inGroup.members) {
      const inScope = cut(new WireReader(body), member.start, member.end, MEMBERS);
      const scope = ownerIn(body, inScope.around, 26);
      for (const { start, end } of inScope.members) {
        const lane = choose(item.look(start, end), scope, resource);
        lanes.add(`${lane.cell}${lane.hasThoughts ? '\n' : ''}`, lane.cell, start, end);
        if (isOver()) yield;
      }
      lanes.endScope(inScope.around);
    }
    lanes.endResource(inGroup.around);
  }
  return lanes.parts(whole.around);
}

function cut(reader: WireReader, start: number, end: number, wanted: number): Cut {
  const members: Range[] = [];
  const around: Range[] = [];
  reader.pos = start;
  while (reader.pos < end) {
    const from = reader.pos;
    const tag = reader.tag(end);
    if (tag === wanted) {
      const memberEnd = reader.lengthEnd(end);
      members.push({ start: reader.pos, end: memberEnd });
      reader.pos = memberEnd;
    } else {
      reader.skip(tag, end);
      around.push({ start: from, end: reader.pos });
    }
  }
  return { members, around };
}

/** Bytes that are put together from the end: what is inside is known before its length is written. */
class Pieces {
  list: Buffer[] = [];
  size = 0;

  add(piece: Buffer): void {
    this.list.push(piece);
    this.size += piece.length;
  }

  /** Moves all to `to`, as one message in the field of this tag, behind what stands around. */
  moveTo(to: Pieces, tag: number, around: readonly Buffer[]): void {
    const size = around.reduce((sum, { length }) => sum + length, this.size);
    to.add(Buffer.concat([Buffer.from([tag]), varint(size)]));
    for (const piece of around) to.add(piece);
    for (const piece of this.list) to.list.push(piece);
    to.size += this.size;
    this.list = [];
    this.size = 0;
  }
}

/** The bytes of one lane: of the scope that is being read, of its resource, and of all before. */
class LaneBytes {
  readonly cell: string;
  readonly items = new Pieces();
  readonly scopes = new Pieces();
  readonly groups = new Pieces();

  constructor(cell: string) {
    this.cell = cell;
  }
}

class Lanes {
  private readonly body: Buffer;
  private readonly byName = new Map<string, LaneBytes>();
  private run: { lane: LaneBytes; start: number; end: number } | undefined;
  private copied = 0;

  constructor(body: Buffer) {
    this.body = body;
  }

  /** Neighbours of one lane become one piece. */
  add(name: string, cell: string, start: number, end: number): void {
    let lane = this.byName.get(name);
    if (lane === undefined) this.byName.set(name, (lane = new LaneBytes(cell)));
    const header = headerStart(start, end);
    if (this.run?.lane === lane && this.run.end === header) {
      this.run.end = end;
      return;
    }
    this.endRun();
    // A length may be written in more bytes than it needs: then the header is written anew.
    if (isHeader(this.body, header, end - start)) this.run = { lane, start: header, end };
    else {
      lane.items.add(Buffer.concat([Buffer.from([MEMBERS]), varint(end - start)]));
      this.run = { lane, start, end };
    }
  }

  endScope(around: readonly Range[]): void {
    this.endRun();
    this.moveAll(
      around,
      ({ items, scopes }, copies) => items.size > 0 && items.moveTo(scopes, MEMBERS, copies),
    );
  }

  endResource(around: readonly Range[]): void {
    this.moveAll(
      around,
      ({ scopes, groups }, copies) => scopes.size > 0 && scopes.moveTo(groups, GROUPS, copies),
    );
  }

  parts(around: readonly Range[]): readonly Part[] {
    const lanes = [...this.byName.values()];
    if (lanes.length === 1) return lanes.map(({ cell }) => ({ cell, body: this.body }));
    const rest = this.slices(around);
    return lanes.map(({ cell, groups }) => ({ cell, body: Buffer.concat([...groups.list, ...rest]) }));
  }

  private moveAll(
    around: readonly Range[],
    move: (lane: LaneBytes, copies: readonly Buffer[]) => unknown,
  ): void {
    const copies = this.slices(around);
    const size = copies.reduce((sum, { length }) => sum + length, 0);
    for (const lane of this.byName.values()) if (move(lane, copies) !== false) this.copied += size;
    if (this.copied > this.body.length * MOST_COPIED + FREE_BYTES) throw tooManyCopies();
  }

  private slices(ranges: readonly Range[]): readonly Buffer[] {
    return ranges.map(({ start, end }) => this.body.subarray(start, end));
  }

  private endRun(): void {
    if (this.run) this.run.lane.items.add(this.body.subarray(this.run.start, this.run.end));
    this.run = undefined;
  }
}

/** Where the tag of a message stands, if its length is written as short as it can be. */
function headerStart(start: number, end: number): number {
  let header = start - 2;
  for (let rest = (end - start) >>> 7; rest > 0; rest >>>= 7) header--;
  return header;
}

function isHeader(body: Buffer, at: number, size: number): boolean {
  if (at < 0 || body[at] !== MEMBERS) return false;
  let rest = size;
  for (let i = at + 1; ; i++) {
    if (body[i] !== (rest < 0x80 ? rest : (rest & 0x7f) | 0x80)) return false;
    if (rest < 0x80) return true;
    rest >>>= 7;
  }
}

function tooManyCopies(): BoundaryError {
  return new BoundaryError(
    'TOO_LARGE',
    'its resources and scopes are large, and their items belong to many cells; send batches of fewer traces',
  );
}
