import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { JsonSplitter, type Item } from './json-splitter.ts';
import { isSse, SseLines } from './sse-lines.ts';

/** Enough to tell JSON from something else. */
const LOOKED_AT_BYTES = 512;
const GZIP = Buffer.from([0x1f, 0x8b]);
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const BLANKS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20]);
const BEGINS_JSON: ReadonlySet<number> = new Set([0x5b, 0x7b]);

export const STDIN = '-';

/** A file that cannot be read at all: the message says why and what to do. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/**
 * The values of a file, one after the other.
 * @param path `-` is standard input
 * @param onBytes told how many more were read
 * @throws UnreadableFile
 */
export async function* readItems(path: string, onBytes: (n: number) => void): AsyncGenerator<Item, void> {
  const splitter = new JsonSplitter();
  let isEmpty = true;
  let sse: SseLines | undefined;
  for await (const chunk of await chunksOf(path)) {
    const bytes = isEmpty ? withoutMark(chunk) : chunk;
    if (isEmpty && bytes.some((byte) => !BLANKS.has(byte))) {
      if (isSse(bytes)) sse = new SseLines();
      const problem = sse ? undefined : notJson(bytes);
      if (problem !== undefined) throw new UnreadableFile(problem);
      isEmpty = false;
    }
    yield* splitter.push(sse ? sse.push(bytes) : bytes);
    onBytes(chunk.length);
  }
  if (isEmpty) throw new UnreadableFile('is empty: there is nothing to send');
  if (sse) yield* splitter.push(sse.end());
  yield* splitter.end();
}

async function chunksOf(path: string): Promise<AsyncIterable<Buffer>> {
  if (path === STDIN) return process.stdin as AsyncIterable<Buffer>;
  try {
    if ((await stat(path)).isDirectory()) {
      throw new UnreadableFile('is a folder: name the files in it, such as FOLDER/*.json');
    }
    return await opened(createReadStream(path));
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new UnreadableFile(
      code === 'ENOENT' || code === 'ENOTDIR'
        ? 'does not exist: check the path'
        : `cannot be read (${code}): check its permissions`,
    );
  }
}

function opened(stream: Readable): Promise<AsyncIterable<Buffer>> {
  return new Promise((resolve, reject) => {
    stream.once('open', () => {
      stream.off('error', reject);
      resolve(stream as AsyncIterable<Buffer>);
    });
    stream.once('error', reject);
  });
}

/** Says what a file is that is no JSON. */
function notJson(bytes: Buffer): string | undefined {
  const beginning = bytes.subarray(0, LOOKED_AT_BYTES);
  if (beginning.subarray(0, 2).equals(GZIP)) {
    return 'is compressed: send it with "gunzip -c FILE | explainability-agent send -"';
  }
  // JSON has no control characters, and protobuf has always some.
  if (beginning.some((byte) => byte < 0x20 && !BLANKS.has(byte))) {
    return 'is not JSON but binary, such as protobuf: send takes JSON (the Collector\'s file exporter writes it with "format: json")';
  }
  const first = beginning.find((byte) => !BLANKS.has(byte));
  if (first !== undefined && !BEGINS_JSON.has(first)) {
    return 'is not JSON: send takes OTLP JSON, chain-of-thought entries or events, as one object, an array, or one object a line, and server-sent events of AG-UI';
  }
  return undefined;
}

function withoutMark(chunk: Buffer): Buffer {
  return chunk.subarray(0, 3).equals(BYTE_ORDER_MARK) ? chunk.subarray(3) : chunk;
}
