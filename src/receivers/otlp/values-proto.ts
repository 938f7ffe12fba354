import type { AttributeValue } from '../../model/attributes.ts';
import {
  DROPPED_ATTRIBUTES,
  TOO_DEEP,
  boundText,
  bytesMarker,
  int64FromHalves,
  setKey,
} from '../bounded-values.ts';
import type { AttributeCollector } from './attribute-collector.ts';
import type { DecodeState } from './decode-state.ts';
import type { WireReader } from '../../base/wire-reader.ts';

/** opentelemetry.proto.common.v1; numbers in comments are protobuf field numbers. */

/** One KeyValue message of an owner: key 1, value 2. */
export function readKeyValue(
  reader: WireReader,
  end: number,
  state: DecodeState,
  attributes: AttributeCollector,
): void {
  if (!attributes.take()) {
    reader.pos = end;
    return;
  }
  let key = '';
  let value: AttributeValue = null;
  while (reader.pos < end) {
    const tag = reader.tag(end);
    if (tag === 10) key = reader.name(reader.lengthEnd(end));
    else if (tag === 18) value = readAnyValue(reader, reader.lengthEnd(end), state, 0);
    else reader.skip(tag, end);
  }
  attributes.set(key, value);
}

/**
 * AnyValue: string 1, bool 2, int 3, double 4, array 5, kvlist 6, bytes 7. Of several, the last is taken.
 */
export function readAnyValue(
  reader: WireReader,
  end: number,
  state: DecodeState,
  depth: number,
): AttributeValue {
  let value: AttributeValue = null;
  while (reader.pos < end) {
    const tag = reader.tag(end);
    switch (tag) {
      case 10:
        value = boundText(reader.text(reader.lengthEnd(end)), state);
        break;
      case 16:
        reader.varint64(end);
        value = reader.lo !== 0 || reader.hi !== 0;
        break;
      case 24:
        reader.varint64(end);
        value = int64FromHalves(reader.hi, reader.lo);
        break;
      case 33:
        value = reader.double(end);
        break;
      case 42:
        value = readArray(reader, reader.lengthEnd(end), state, depth);
        break;
      case 50:
        value = readKeyValueList(reader, reader.lengthEnd(end), state, depth);
        break;
      case 58: {
        const fieldEnd = reader.lengthEnd(end);
        value = bytesMarker(fieldEnd - reader.pos);
        reader.pos = fieldEnd;
        break;
      }
      default:
        reader.skip(tag, end);
    }
  }
  return value;
}

/** ArrayValue: values 1. */
function readArray(reader: WireReader, end: number, state: DecodeState, depth: number): AttributeValue {
  if (depth >= state.limits.maxDepth) {
    reader.pos = end;
    return TOO_DEEP;
  }
  const items: AttributeValue[] = [];
  while (reader.pos < end) {
    const tag = reader.tag(end);
    if (tag !== 10) {
      reader.skip(tag, end);
      continue;
    }
    const itemEnd = reader.lengthEnd(end);
    if (state.takeValue()) items.push(readAnyValue(reader, itemEnd, state, depth + 1));
    else reader.pos = itemEnd;
  }
  return items;
}

/** KeyValueList: values 1. */
function readKeyValueList(
  reader: WireReader,
  end: number,
  state: DecodeState,
  depth: number,
): AttributeValue {
  if (depth >= state.limits.maxDepth) {
    reader.pos = end;
    return TOO_DEEP;
  }
  const out: Record<string, AttributeValue> = {};
  let kept = 0;
  let dropped = 0;
  while (reader.pos < end) {
    const tag = reader.tag(end);
    if (tag !== 10) {
      reader.skip(tag, end);
      continue;
    }
    const itemEnd = reader.lengthEnd(end);
    if (kept < state.limits.maxAttributes && state.takeValue()) {
      kept++;
      readEntry(reader, itemEnd, state, depth, out);
    } else {
      dropped++;
      reader.pos = itemEnd;
    }
  }
  if (dropped > 0) out[DROPPED_ATTRIBUTES] = dropped;
  return out;
}

function readEntry(
  reader: WireReader,
  end: number,
  state: DecodeState,
  depth: number,
  out: Record<string, AttributeValue>,
): void {
  let key = '';
  let value: AttributeValue = null;
  while (reader.pos < end) {
    const tag = reader.tag(end);
    if (tag === 10) key = reader.name(reader.lengthEnd(end));
    else if (tag === 18) value = readAnyValue(reader, reader.lengthEnd(end), state, depth + 1);
    else reader.skip(tag, end);
  }
  setKey(out, boundText(key, state), value);
}
