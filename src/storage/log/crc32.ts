import * as zlib from 'node:zlib';

const POLYNOMIAL = 0xedb88320;

/** CRC-32 (ISO 3309, as in zip) of the bytes; node:zlib has it from Node 22.2 on. */
export const crc32: (bytes: Uint8Array, start?: number) => number =
  typeof (zlib as { crc32?: unknown }).crc32 === 'function' ? zlib.crc32 : crc32ByTable;

const TABLE = makeTable();

/** The same in plain code. @param start the checksum of what came before these bytes */
export function crc32ByTable(bytes: Uint8Array, start = 0): number {
  return crc32OfShort(bytes, 0, bytes.length, start);
}

/** The same of the bytes between two places: for a few of them it costs less than a view of them would. */
export function crc32OfShort(bytes: Uint8Array, from: number, to: number, start = 0): number {
  let crc = ~start;
  for (let at = from; at < to; at++) crc = (TABLE[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0) ^ (crc >>> 8);
  return ~crc >>> 0;
}

function makeTable(): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    return crc;
  });
}
