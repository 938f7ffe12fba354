import type { Clock } from './clock.ts';

/** Resolves when it is done, or after so many milliseconds; rejects when it does before. */
export async function atMost(ms: number, done: Promise<void>, clock: Clock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.after(ms, resolve);
  try {
    await Promise.race([done, promise]);
  } finally {
    timer.cancel();
  }
}
