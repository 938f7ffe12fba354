/** On the socket itself: HTTP/2 hands out a stand-in that passes on what is set on it. */
const OWNER = Symbol('who came on a connection');

/** The owner of a connection whose peer was let in and may be one of many. */
export const MANY = '';

/**
 * Whoever was let in on a connection has it; before, nobody has.
 * @param connection a socket, of which nothing else is known
 */
export function ownedBy(connection: object, who: string): void {
  try {
    Reflect.set(connection, OWNER, who);
  } catch {
    // The stand-in throws when its session has lost its socket.
  }
}

export function ownerOf(socket: object): string | undefined {
  return Reflect.get(socket, OWNER) as string | undefined;
}
