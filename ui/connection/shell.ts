import { ROOT } from '../state/root.ts';

interface ScriptUrlPolicy {
  createScriptURL(url: string): string;
}

/** The page's one policy for addresses of scripts (Trusted Types): its own, and nothing else. */
const scriptUrls: ScriptUrlPolicy = makePolicy({
  createScriptURL(url) {
    const { origin, pathname } = new URL(url, ROOT);
    const isOwn =
      pathname.startsWith(`${ROOT.pathname}assets/`) || pathname === `${ROOT.pathname}shell-worker.js`;
    if (origin !== ROOT.origin || !isOwn) throw new TypeError('this is no script of the page');
    return url;
  },
});

function makePolicy(policy: ScriptUrlPolicy): ScriptUrlPolicy {
  const { trustedTypes } = globalThis as unknown as {
    trustedTypes?: { createPolicy(name: string, policy: ScriptUrlPolicy): ScriptUrlPolicy };
  };
  return trustedTypes?.createPolicy('ui-worker', policy) ?? policy;
}

/** Lets the page open as an app, its own files also without a network. Browsers do it for https and loopback only. */
export function registerShell(): void {
  if (!('serviceWorker' in navigator)) return;
  const url = scriptUrls.createScriptURL(new URL('shell-worker.js', ROOT).href);
  // A page without it is the same page.
  navigator.serviceWorker.register(url).catch(() => undefined);
}
