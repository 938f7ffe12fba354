import { ROOT } from '../state/root.ts';

interface ScriptUrlPolicy {
  createScriptURL(url: string): string;
}

/** The page's one policy for addresses of scripts (Trusted Types): its own, and nothing else. */
const policy: ScriptUrlPolicy = makePolicy({
  createScriptURL(url) {
    const { origin, pathname } = new URL(url, ROOT);
    const isOwn =
      pathname.startsWith(`${ROOT.pathname}assets/`) || pathname === `${ROOT.pathname}shell-worker.js`;
    if (origin !== ROOT.origin || !isOwn) throw new TypeError('this is no script of the page');
    return url;
  },
});

function makePolicy(given: ScriptUrlPolicy): ScriptUrlPolicy {
  const { trustedTypes } = globalThis as unknown as {
    trustedTypes?: { createPolicy(name: string, policy: ScriptUrlPolicy): ScriptUrlPolicy };
  };
  return trustedTypes?.createPolicy('ui-worker', given) ?? given;
}

/** The address of a script for whoever loads one: a worker. @throws TypeError when it is none of the page's own */
export function ownScript(url: string): string {
  return policy.createScriptURL(url);
}
