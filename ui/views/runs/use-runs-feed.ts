import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { openFeed } from '../../connection/live-feed.ts';
import { useClient } from '../../connection/session.ts';

/** Failures from now on: few, worth showing at once, and their subscription tells how the connection is. */
export function useRunsFeed(): void {
  const client = useClient();
  const queries = useQueryClient();
  useEffect(() => {
    const start = new Date().toISOString();
    const feed = openFeed(client, {
      filters: { status: ['ERROR'], timeRange: { start, end: '9999-12-31T23:59:59.999Z' } },
    });
    const stop = feed.store.subscribe(() => void queries.invalidateQueries({ queryKey: ['runs'] }));
    return () => {
      stop();
      feed.close();
    };
  }, [client, queries]);
}
