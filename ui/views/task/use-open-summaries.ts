import { useCallback, useEffect, useRef } from 'react';
import type { LiveFeed } from '../../connection/live-feed.ts';
import type { UrlState } from '../../state/url.ts';

const MAX_OPEN = 50;

/** Keeps what is opened in the URL (`open=ID,ID`) and the subscription in step. @returns what opens or closes one */
export function useOpenSummaries(
  feed: LiveFeed | undefined,
  { params, set }: UrlState,
): (id: string) => void {
  const wanted = params.get('open') ?? '';
  const done = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    if (!feed) return;
    const ids = new Set(wanted.split(',').filter((id) => id !== ''));
    // One that is gone since stays closed; the graph shows what there is.
    for (const id of ids) if (!done.current.has(id)) feed.live.expand(id).catch(() => undefined);
    for (const id of done.current) if (!ids.has(id)) feed.live.collapse(id).catch(() => undefined);
    done.current = ids;
  }, [feed, wanted]);
  return useCallback(
    (id) => {
      const ids = wanted.split(',').filter((one) => one !== '');
      const next = ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id].slice(-MAX_OPEN);
      set({ open: next.join(',') || null }, 'push');
    },
    [set, wanted],
  );
}
