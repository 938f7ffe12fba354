import { ROOT } from '../state/root.ts';
import { ownScript } from './own-script.ts';

/** Lets the page open as an app, its own files also without a network. Browsers do it for https and loopback only. */
export function registerShell(): void {
  if (!('serviceWorker' in navigator)) return;
  const url = ownScript(new URL('shell-worker.js', ROOT).href);
  // A page without it is the same page.
  navigator.serviceWorker.register(url).catch(() => undefined);
}
