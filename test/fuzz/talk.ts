import { connect, type Socket } from 'node:net';
import type { Port, Session } from './session.ts';

export interface Addresses extends Readonly<Record<Port, string>> {
  /** The URL of the agent that the service may run. */
  readonly agent: string;
}

/** What is kept of an answer: enough to look for ids in it and for failures. */
const MAX_KEPT = 256 * 1024;
const CONNECT_MS = 5_000;
/** Half requests and deaf connections that are held at the same time; the oldest goes for a new one. */
const MAX_HELD = 400;

/** Holds connections that say nothing more, and breaks them off when there are too many or at the end. */
export class Held {
  private readonly sockets = new Set<Socket>();

  hold(socket: Socket): void {
    socket.once('close', () => this.sockets.delete(socket));
    this.sockets.add(socket);
    const [oldest] = this.sockets;
    if (this.sockets.size > MAX_HELD) oldest?.destroy();
  }

  release(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}

/**
 * Plays one session. Never throws: whatever the service does to the connection is allowed.
 * @returns what the service said (latin1)
 */
export async function talk(session: Session, addresses: Addresses, held: Held): Promise<string> {
  const address = addresses[session.port];
  const colon = address.lastIndexOf(':');
  const socket = connect({
    host: address.slice(0, colon),
    port: Number(address.slice(colon + 1)),
    noDelay: true,
  });
  let received = '';
  let wake = (): void => {};
  socket.on('error', () => {});
  socket.on('data', (piece: Buffer) => {
    if (received.length < MAX_KEPT) received += piece.toString('latin1');
    wake();
  });
  socket.on('close', () => wake());
  /** Resolves when `isDone`, when the connection has ended, or when the time is over. */
  const wait = (ms: number, isDone: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(finish, ms);
      function finish(): void {
        clearTimeout(timer);
        wake = () => {};
        resolve();
      }
      wake = () => {
        if (isDone() || socket.destroyed) finish();
      };
      wake();
    });

  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, CONNECT_MS);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    socket.once('connect', done);
    socket.once('close', done);
  });
  if (session.manner === 'neverReads') socket.pause();
  for (const part of session.parts) {
    if (socket.destroyed) break;
    if (typeof part === 'function') await wait(ANSWER_MS, () => received !== '');
    await written(socket, typeof part === 'function' ? part(received) : part);
  }
  if (session.manner === 'silent' || session.manner === 'neverReads') {
    if (!socket.destroyed) held.hold(socket);
    return received;
  }
  if (session.manner === 'resets') socket.resetAndDestroy();
  if (session.manner === 'halfCloses') socket.end();
  await wait(session.patienceMs, () => session.isAnswered?.(received) ?? false);
  socket.destroy();
  return received;
}

/** For an answer that the next part is made of. */
const ANSWER_MS = 500;

/** Resolves when the kernel has the bytes, or takes no more: who does not read is not waited for long. */
function written(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ANSWER_MS);
    socket.write(bytes, () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
