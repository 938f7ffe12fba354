import { Attack } from './attack.ts';
import type { SessionName } from './channels.ts';
import { WatchedService } from './watched-service.ts';

/** The end of a process is not noticed at once. */
const AFTER_MS = 300;

/**
 * The smallest end of the last sessions that still ends a fresh service, played one after the other: halves are tried
 * until one alone does it. @returns undefined when even all of them leave it alive: they did it together, at once
 */
export async function narrow(
  seed: number,
  last: readonly SessionName[],
): Promise<readonly SessionName[] | undefined> {
  const killer = await killedBy(seed, last);
  if (killer === undefined) return undefined;
  const until = last.slice(0, killer + 1);
  for (let size = 1; size < until.length; size *= 2) {
    const few = until.slice(-size);
    if ((await killedBy(seed, few)) !== undefined) return few;
  }
  return until;
}

/** @returns the position of the session after which the service was gone */
async function killedBy(seed: number, sessions: readonly SessionName[]): Promise<number | undefined> {
  const service = await WatchedService.start(seed);
  const attack = new Attack(seed, service.addresses);
  try {
    for (const [position, session] of sessions.entries()) {
      await attack.replay([session], () => false);
      if (!service.isAlive) return position;
    }
    await new Promise((done) => setTimeout(done, AFTER_MS));
    return service.isAlive ? undefined : sessions.length - 1;
  } finally {
    attack.end();
    await service.remove();
  }
}
