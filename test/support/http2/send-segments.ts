import { connect } from 'node:net';

/** What a service that is alive says to a connection in far less time. */
const PATIENCE_MS = 20;

/** How the client leaves: it waits for a word, ends its half, resets, or goes without waiting at all. */
export type Leaving = 'waits' | 'ends' | 'resets' | 'at once';

export const LEAVINGS: readonly Leaving[] = ['waits', 'ends', 'resets', 'at once'];

/** Writes segments to a port of this machine, one write each, and leaves. Resolves when the socket is closed; never throws. */
export function sendSegments(port: number, segments: readonly Buffer[], leaving: Leaving): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true }, () => {
      for (const segment of segments) socket.write(segment);
      socket.write('', () => leave());
    });
    const leave = (): void => {
      if (leaving === 'ends') socket.end();
      if (leaving === 'resets') socket.resetAndDestroy();
      else if (leaving === 'at once') socket.destroy();
      else setTimeout(() => socket.destroy(), PATIENCE_MS);
    };
    socket.resume();
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
  });
}
