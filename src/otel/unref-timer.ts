/** A timer that does not keep a Node process alive. In browsers timers are numbers, and nothing needs to be done. */
export function unrefTimer<T>(timer: T): T {
  (timer as { unref?: () => unknown }).unref?.();
  return timer;
}
