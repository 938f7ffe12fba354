import { WebSocket } from 'ws';
import type { ControlFrame, InterruptFrame } from '../../src/servers/control-api.ts';
import { until } from './until.ts';

/** An agent that waits, as bytes on the wire; every frame that came is kept. */
export interface ControlAgent {
  readonly frames: readonly ControlFrame[];
  /** Resolves when so many interrupts came. */
  interrupts(count: number): Promise<readonly InterruptFrame[]>;
  close(): void;
}

type Headers = Readonly<Record<string, string>>;

/** Over server-sent events. @param query such as `agent=CoderAgent` @throws Error with the status where it is refused */
export async function waitOverSse(base: string, query: string, headers: Headers = {}): Promise<ControlAgent> {
  const ending = new AbortController();
  const response = await fetch(`${base}/api/control?${query}`, { headers, signal: ending.signal });
  if (response.status !== 200 || !response.body) throw new Error(String(response.status));
  const frames: ControlFrame[] = [];
  const read = async (body: ReadableStream<Uint8Array>): Promise<void> => {
    let text = '';
    for await (const piece of body.pipeThrough(new TextDecoderStream())) {
      const parts = (text + piece).split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) {
        const data = /^data: (.*)$/m.exec(part)?.[1];
        if (data !== undefined) frames.push(JSON.parse(data) as ControlFrame);
      }
    }
  };
  read(response.body).catch(() => undefined);
  await until('it waits', () => frames.length > 0);
  return agentOf(frames, () => ending.abort());
}

/** Over a WebSocket, where it answers as well. */
export async function waitOverWebSocket(
  base: string,
  query: string,
  headers: Headers = {},
): Promise<ControlAgent & { send(frame: object): void }> {
  const socket = new WebSocket(`${base.replace('http', 'ws')}/api/control?${query}`, { headers });
  const frames: ControlFrame[] = [];
  socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString('utf8')) as ControlFrame));
  socket.on('error', () => undefined);
  await until('it waits', () => frames.length > 0);
  return {
    ...agentOf(frames, () => socket.terminate()),
    send: (frame) => socket.send(JSON.stringify(frame)),
  };
}

function agentOf(frames: readonly ControlFrame[], close: () => void): ControlAgent {
  const told = (): readonly InterruptFrame[] => frames.filter((frame) => frame.type === 'interrupt');
  return {
    frames,
    close,
    async interrupts(count) {
      await until(`${count} interrupts came`, () => told().length >= count);
      return told();
    },
  };
}
