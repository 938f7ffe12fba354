import { messageField } from '../../base/protobuf.ts';
import type { CotRecord, EventRecord } from '../../model/records.ts';
import { WireReader } from '../../base/wire-reader.ts';
import type { Item, Owner } from './items.ts';
import type { KeyValue } from './keys.ts';
import { isHint, isNameHint, readTold } from './read-told.ts';

/** The tags of what is looked at. Resource and Scope have their attributes in fields 1 and 3. */
export interface ItemTags {
  readonly traceId: number;
  readonly attributes: number;
}

/** Span: trace_id 1, attributes 9. */
export const SPAN_TAGS: ItemTags = { traceId: 10, attributes: 74 };
/** LogRecord: trace_id 9, attributes 6; besides body 5, event_name 12. */
export const LOG_TAGS: ItemTags = { traceId: 74, attributes: 50 };
const LOG_BODY = 42;
const LOG_EVENT_NAME = 98;

/** A message in a body, or none where it is empty: of a field that comes several times the last one, as readers take it. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The message in field 1 of what these bytes hold. */
export function ownerIn(body: Buffer, fields: readonly Range[], attributesTag: number): Owner {
  const reader = new WireReader(body);
  return {
    attribute: (name) => {
      let found: KeyValue;
      for (const { start, end } of fields) {
        reader.pos = start;
        if (reader.tag(end) !== 10) continue;
        found = attributeIn(reader, reader.lengthEnd(end), attributesTag, name);
      }
      return found;
    },
  };
}

/** Looks at one item after the other, so that none is made for each. */
export class ProtoItem implements Item {
  private readonly body: Buffer;
  private readonly tags: ItemTags;
  private readonly reader: WireReader;
  private start = 0;
  private end = 0;
  private trace = '';
  private mayTell = false;

  constructor(body: Buffer, tags: ItemTags) {
    this.body = body;
    this.tags = tags;
    this.reader = new WireReader(body);
  }

  get traceId(): string {
    return this.trace;
  }

  /** @throws BoundaryError INVALID_ARGUMENT when the bytes are no message */
  look(start: number, end: number): this {
    const { reader, tags } = this;
    this.start = start;
    this.end = end;
    this.trace = '';
    this.mayTell = false;
    const isLog = tags === LOG_TAGS;
    reader.pos = start;
    while (reader.pos < end) {
      const tag = reader.tag(end);
      if (tag === tags.traceId) this.trace = reader.id(reader.lengthEnd(end));
      else if (isLog && tag === tags.attributes) this.lookAtAttribute(reader.lengthEnd(end));
      else if (isLog && tag === LOG_EVENT_NAME) {
        this.hint(isNameHint(reader.name(reader.lengthEnd(end))));
      } else if (isLog && tag === LOG_BODY) this.lookAtBody(reader.lengthEnd(end));
      else reader.skip(tag, end);
    }
    return this;
  }

  attribute(name: string): KeyValue {
    this.reader.pos = this.start;
    return attributeIn(this.reader, this.end, this.tags.attributes, name);
  }

  told(): CotRecord | EventRecord | undefined {
    if (this.tags !== LOG_TAGS || !this.mayTell) return undefined;
    const record = messageField(2, [this.body.subarray(this.start, this.end)]);
    return readTold('protobuf', Buffer.concat(messageField(1, messageField(2, record))));
  }

  /** AnyValue: string 1, kvlist 6. */
  private lookAtBody(end: number): void {
    const { reader } = this;
    while (reader.pos < end) {
      const tag = reader.tag(end);
      if (tag === 10) {
        const textEnd = reader.lengthEnd(end);
        this.mayTell ||= isNameHint(
          this.body.toString('latin1', reader.pos, Math.min(textEnd, reader.pos + 16)),
        );
        reader.pos = textEnd;
      } else {
        this.mayTell ||= tag === 50;
        reader.skip(tag, end);
      }
    }
  }

  /** A method, so that what is read to know it is read also where it is known already. */
  private hint(mayTell: boolean): void {
    this.mayTell ||= mayTell;
  }

  private lookAtAttribute(end: number): void {
    const { reader } = this;
    while (reader.pos < end) {
      const tag = reader.tag(end);
      if (tag === 10) this.hint(isHint(reader.name(reader.lengthEnd(end))));
      else reader.skip(tag, end);
    }
  }
}

/** The last attribute of this name up to `end`. */
function attributeIn(reader: WireReader, end: number, attributesTag: number, name: string): KeyValue {
  let found: KeyValue;
  while (reader.pos < end) {
    const tag = reader.tag(end);
    if (tag !== attributesTag) {
      reader.skip(tag, end);
      continue;
    }
    const attributeEnd = reader.lengthEnd(end);
    const start = reader.pos;
    if (keyOf(reader, attributeEnd) === name) {
      reader.pos = start;
      found = valueOf(reader, attributeEnd) ?? found;
    }
    reader.pos = attributeEnd;
  }
  return found;
}

function keyOf(reader: WireReader, end: number): string {
  let key = '';
  while (reader.pos < end) {
    const tag = reader.tag(end);
    if (tag === 10) key = reader.name(reader.lengthEnd(end));
    else reader.skip(tag, end);
  }
  return key;
}

function valueOf(reader: WireReader, end: number): KeyValue {
  let value: KeyValue;
  while (reader.pos < end) {
    const tag = reader.tag(end);
    if (tag === 18) value = scalarOf(reader, reader.lengthEnd(end));
    else reader.skip(tag, end);
  }
  return value;
}

/** AnyValue: string 1, bool 2, int 3, double 4. */
function scalarOf(reader: WireReader, end: number): KeyValue {
  let value: KeyValue;
  while (reader.pos < end) {
    const tag = reader.tag(end);
    if (tag === 10) value = reader.text(reader.lengthEnd(end));
    else if (tag === 16) {
      reader.varint64(end);
      value = reader.lo !== 0 || reader.hi !== 0;
    } else if (tag === 24) {
      reader.varint64(end);
      value = BigInt.asIntN(64, (BigInt(reader.hi) << 32n) | BigInt(reader.lo));
    } else if (tag === 33) value = reader.double(end);
    else reader.skip(tag, end);
  }
  return value;
}
