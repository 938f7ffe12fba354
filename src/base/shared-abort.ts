import { setMaxListeners } from 'node:events';

/** For as many as want to listen: a page has many requests under way, a connection many calls. */
export function sharedAbort(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** @param listener given the reason, which is a text @returns takes it away */
export function onAbort(signal: AbortSignal | undefined, listener: (reason: string) => void): () => void {
  const told = (): void => listener(String(signal?.reason));
  signal?.addEventListener('abort', told);
  return () => signal?.removeEventListener('abort', told);
}
