/** The first field of a stream of server-sent events, or a comment. */
const SSE = /^\s*(?:data|event|id|retry)?:/;
const FIELD = /^(?:data|event|id|retry)?:/;
const DATA = /^data: ?/;

/** Is it a stream of server-sent events, as an agent answers over AG-UI? */
export function isSse(beginning: Buffer): boolean {
  return SSE.test(beginning.toString('utf8', 0, 64));
}

/** The data of server-sent events on the lines on which they stand; all else of them is left out. */
export class SseLines {
  private rest = '';
  private readonly decoder = new TextDecoder();

  push(chunk: Buffer): Buffer {
    const lines = (this.rest + this.decoder.decode(chunk, { stream: true })).split('\n');
    this.rest = lines.pop() ?? '';
    return Buffer.from(lines.map((line) => `${dataOf(line)}\n`).join(''));
  }

  end(): Buffer {
    return Buffer.from(dataOf(this.rest + this.decoder.decode()));
  }
}

function dataOf(line: string): string {
  return DATA.test(line) ? line.replace(DATA, '') : FIELD.test(line) ? '' : line;
}
