import type { PlacedFrame } from './batch.ts';
import { HEADER_BYTES, isWhole, readHeader, type FrameHeader } from './frame.ts';
import type { OpenFiles } from './open-files.ts';
import { offsetOf, placeOf, segmentOf } from './segment.ts';

/** Read at once with a header: most records are smaller. */
const READ_AHEAD_BYTES = 4096;

/** Undefined when it is damaged. */
export function readHeaderAt(files: OpenFiles, place: number): FrameHeader | undefined {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES);
  return readHeader(bytes.subarray(0, files.get(segmentOf(place)).read(bytes, offsetOf(place))), 0);
}

/** A frame with its content, put together from its chunks. @throws Error when it is damaged */
export function readFrame(files: OpenFiles, place: number): PlacedFrame {
  const { bytes, header } = readRaw(files, place);
  const { kind } = header;
  const source = bytes.toString('utf8', HEADER_BYTES, HEADER_BYTES + header.sourceLength);
  const rest = bytes.subarray(HEADER_BYTES + header.sourceLength, HEADER_BYTES + header.length);
  if (!header.isChunked) return { place, kind, header, source, content: rest };
  const segment = segmentOf(place);
  const parts: Buffer[] = [];
  for (let at = 0; at < rest.length; at += 4) {
    const chunk = readRaw(files, placeOf(segment, rest.readUInt32LE(at)));
    parts.push(chunk.bytes.subarray(HEADER_BYTES + chunk.header.sourceLength));
  }
  return { place, kind, header, source, content: Buffer.concat(parts) };
}

function readRaw(files: OpenFiles, place: number): { readonly bytes: Buffer; readonly header: FrameHeader } {
  const file = files.get(segmentOf(place));
  const offset = offsetOf(place);
  const ahead = Buffer.allocUnsafe(READ_AHEAD_BYTES);
  const first = ahead.subarray(0, file.read(ahead, offset));
  const header = readHeader(first, 0);
  if (!header) throw new Error('no frame at a place of the log where one was');
  const size = HEADER_BYTES + header.length;
  let bytes = first.subarray(0, size);
  if (bytes.length < size) {
    bytes = Buffer.allocUnsafe(size);
    file.read(bytes, offset);
  }
  if (!isWhole(bytes, 0, header)) throw new Error('a damaged frame of the log');
  return { bytes, header };
}
