import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { Draw } from './draw.ts';

const INTERESTING = [0x00, 0x7f, 0x80, 0xff, 0x22, 0x5b, 0x7b, 0x0a] as const;

/** The bytes as they are about half of the time, else damaged. */
export function mutated(draw: Draw, bytes: Buffer): Buffer {
  switch (
    draw.weighted({ same: 6, flipped: 2, cut: 1, doubled: 0.5, inserted: 1, random: 0.3, overlong: 0.5 })
  ) {
    case 'same':
      return bytes;
    case 'flipped':
      return flipped(draw, bytes);
    case 'cut':
      return bytes.subarray(0, draw.int(bytes.length + 1));
    case 'doubled':
      return Buffer.concat([bytes, bytes]);
    case 'inserted':
      return spliced(draw, bytes, draw.bytes(draw.int(16)));
    case 'random':
      return draw.bytes(draw.int(300));
    case 'overlong':
      return spliced(draw, bytes, Buffer.alloc(draw.between(1, 12), 0xff));
  }
}

function flipped(draw: Draw, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  for (let times = draw.between(1, 4); times > 0 && copy.length > 0; times--)
    copy[draw.int(copy.length)] = draw.chance(0.5) ? draw.int(256) : draw.pick(INTERESTING);
  return copy;
}

function spliced(draw: Draw, bytes: Buffer, piece: Buffer): Buffer {
  const at = draw.int(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
}

/** Larger than the limit after decompression (64 MiB) and far smaller than the one before it. */
const BOMB_BYTES = 80 * 1024 * 1024;
let bomb: Buffer | undefined;

/** One of these costs the service what ten thousand other inputs do. */
const BOMB_CHANCE = 0.003;

/** A body as `content-encoding` names it, or as it does not. */
export function compressed(draw: Draw, bytes: Buffer): { readonly encoding: string; readonly bytes: Buffer } {
  const fast = { level: 1 };
  if (draw.chance(BOMB_CHANCE))
    return { encoding: 'gzip', bytes: (bomb ??= gzipSync(Buffer.alloc(BOMB_BYTES, ' '))) };
  switch (draw.weighted({ gzip: 4, deflate: 2, raw: 1, cut: 1, wrong: 1, twice: 0.5, unknown: 0.5 })) {
    case 'gzip':
      return { encoding: 'gzip', bytes: gzipSync(bytes, fast) };
    case 'deflate':
      return { encoding: 'deflate', bytes: deflateSync(bytes, fast) };
    case 'raw':
      return { encoding: 'deflate', bytes: deflateRawSync(bytes, fast) };
    case 'cut':
      return { encoding: 'gzip', bytes: mutated(draw, gzipSync(bytes, fast)) };
    case 'wrong':
      return { encoding: draw.pick(['gzip', 'deflate']), bytes };
    case 'twice':
      return { encoding: draw.pick(['gzip', 'gzip, gzip']), bytes: gzipSync(gzipSync(bytes, fast), fast) };
    case 'unknown':
      return { encoding: draw.pick(['br', 'zstd', 'GZIP', '', 'identity', 'gzip;q=1']), bytes };
  }
}
