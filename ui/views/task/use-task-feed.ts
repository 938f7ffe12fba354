import { useEffect, useRef, useState } from 'react';
import { ClientError } from '../../../src/client/browser.ts';
import { openFeed } from '../../connection/live-feed.ts';
import type { LiveFeed } from '../../connection/live-feed.ts';
import { useClient } from '../../connection/session.ts';
import { filterValues, filtersOf } from '../../state/filters.ts';

interface TaskFeed {
  readonly feed: LiveFeed | undefined;
  /** What the service says against the filters. */
  readonly refusal: string | undefined;
}

/** The subscription of one task, with the filters of the URL, folded unless it says `all`; another filter changes it in place. */
export function useTaskFeed(taskId: string, params: URLSearchParams): TaskFeed {
  const client = useClient();
  const [feed, setFeed] = useState<LiveFeed>();
  const [refusal, refuse] = useState<string>();
  const key = JSON.stringify(filterValues(params));
  const isAll = params.get('all') !== null;
  const latest = useRef(params);
  latest.current = params;
  /** How often a feed was opened anew, because the service had refused the one before as a whole. */
  const [reopened, reopen] = useState(0);
  const applied = useRef(key);
  useEffect(() => {
    const opened = openFeed(client, {
      filters: { ...filtersOf(latest.current), taskIds: [taskId] },
      include: ['archived'],
      ...(isAll && { collapse: 'none' }),
    });
    opened.live.ready.catch((error: unknown) => refuse(ClientError.from(error).message));
    setFeed(opened);
    return () => opened.close();
  }, [client, taskId, isAll, reopened]);
  useEffect(() => {
    if (!feed || applied.current === key) return;
    applied.current = key;
    refuse(undefined);
    if (feed.live.state === 'closed') return reopen((times) => times + 1);
    feed.live
      .updateFilters({ ...filtersOf(params), taskIds: [taskId] })
      .catch((error: unknown) => refuse(ClientError.from(error).message));
  }, [feed, key, params, taskId]);
  return { feed, refusal };
}
