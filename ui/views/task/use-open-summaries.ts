import { useCallback, useEffect, useRef } from 'react';
import type { LiveFeed } from '../../connection/live-feed.ts';
import type { UrlState } from '../../state/url.ts';

const MAX_OPEN = 50;

/**
 * Keeps what is opened in the URL (`open=ID,ID`) and the subscription in step.
 * @returns what opens a SUMMARY, or closes the one that a step came out of
 */
export function useOpenSummaries(
  feed: LiveFeed | undefined,
  { params, set }: UrlState,
): (id: string) => void {
  const wanted = params.get('open') ?? '';
  const done = useRef<{ readonly feed: LiveFeed | undefined; readonly ids: ReadonlySet<string> }>(undefined);
  const put = useCallback(
    (ids: readonly string[]) => set({ open: ids.slice(-MAX_OPEN).join(',') || null }, 'push'),
    [set],
  );
  useEffect(() => {
    if (!feed) return;
    const before = done.current?.feed === feed ? done.current.ids : new Set<string>();
    const ids = new Set(idsIn(wanted));
    // One that is gone since stays closed; the graph shows what there is.
    for (const id of ids) if (!before.has(id)) feed.live.expand(id).catch(() => undefined);
    for (const id of before) if (!ids.has(id)) feed.live.collapse(id).catch(() => undefined);
    done.current = { feed, ids };
  }, [feed, wanted]);
  useEffect(() => {
    // Closed by way of a member, it is there again.
    const open = new Set<string>();
    return feed?.store.subscribe(() => {
      const ids = idsIn(wanted);
      for (const id of ids) if (!feed.store.nodes.has(id)) open.add(id);
      const closed = ids.filter((id) => open.has(id) && feed.store.nodes.has(id));
      if (closed.length > 0) put(ids.filter((id) => !closed.includes(id)));
    });
  }, [feed, put, wanted]);
  return useCallback(
    (id) => {
      const ids = idsIn(wanted);
      if (ids.includes(id)) put(ids.filter((one) => one !== id));
      else if (feed?.store.nodes.get(id)?.type === 'SUMMARY') put([...ids, id]);
      else feed?.live.collapse(id).catch(() => undefined);
    },
    [feed, put, wanted],
  );
}

function idsIn(wanted: string): readonly string[] {
  return wanted.split(',').filter((id) => id !== '');
}
