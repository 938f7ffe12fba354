import type { ServerResponse } from 'node:http';
import type { Clock, Timer } from '../../../base/clock.ts';
import type { Encoding } from './encoding.ts';

/** Proxies and clients close what was silent for a minute, some for half of one. */
export const KEEP_ALIVE_MS = 15_000;

export interface SendOptions<E> {
  readonly encoding: Encoding<E>;
  readonly clock: Clock;
  /** Told when the reader has to take something first, and when it has. */
  readonly waits: (isWaiting: boolean) => void;
}

/**
 * Writes events as they are made; the next ones are asked for when the reader has room for them. The answer begins with
 * the first of them: what fails before can still be answered otherwise.
 */
export async function sendEvents<E>(
  response: ServerResponse,
  events: AsyncIterable<readonly E[]>,
  { encoding, clock, waits }: SendOptions<E>,
): Promise<void> {
  const { contentType, frameOf, keepAlive } = encoding;
  let timer: Timer | undefined;
  const stayAlive = (): void => {
    timer = clock.after(KEEP_ALIVE_MS, () => {
      if (keepAlive && response.writableLength === 0) response.write(keepAlive);
      stayAlive();
    });
  };
  try {
    for await (const some of events) {
      if (!response.headersSent) {
        // Else proxies collect what is meant to be seen at once.
        response.writeHead(200, { 'Content-Type': contentType, 'X-Accel-Buffering': 'no' });
        stayAlive();
      }
      for (const event of some) {
        if (response.destroyed) return;
        if (response.write(frameOf(event))) continue;
        waits(true);
        await drained(response);
        waits(false);
      }
    }
    response.end();
  } finally {
    timer?.cancel();
  }
}

/** Its reader has taken what was written, or has gone. */
function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
