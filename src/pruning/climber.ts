import type { Entry } from './entry.ts';

/**
 * Makes a function that goes from a step up to the first one for which `isTop` holds, or to the topmost. It remembers the
 * answers for all steps on the way, so that asking for many steps of one chain costs no more than the chain is long.
 */
export function climber(isTop: (entry: Entry) => boolean): (entry: Entry) => Entry {
  const tops = new Map<Entry, Entry>();
  return (entry) => {
    const way: Entry[] = [];
    let at = entry;
    let top = tops.get(at);
    while (!top && !isTop(at) && at.parent) {
      at = at.parent;
      way.push(at);
      top = tops.get(at);
    }
    for (const step of way) tops.set(step, top ?? at);
    return top ?? at;
  };
}
