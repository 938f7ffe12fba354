import type { Client, GraphChange, LiveGraph, SubscribeOptions } from '../../src/client/browser.ts';
import { GraphStore } from '../state/graph-store.ts';
import { useConnection } from './connection-state.ts';
import { FrameBatch } from './frame-batch.ts';
import { useSession } from './session.ts';

/** One subscription and the records that it brings. It lives outside React. */
export interface LiveFeed {
  readonly store: GraphStore;
  readonly live: LiveGraph;
  close(): void;
}

export function openFeed(client: Client, options: SubscribeOptions): LiveFeed {
  const connection = useConnection.getState();
  const store = new GraphStore();
  const live = client.subscribe(options);
  const batch = new FrameBatch<GraphChange>((changes) => {
    store.apply(changes, live.complete);
    connection.updated(changes.length, live.complete);
  });
  connection.opened();
  live.on('change', (change) => batch.add(change));
  live.on('state', ({ state, retryInMs }) => connection.changed(state, retryInMs));
  live.on('error', (error) => {
    connection.failed(error.message);
    if (error.code === 'UNAUTHENTICATED') useSession.getState().refuse();
  });
  // A graph without anything in it changes nothing: its first snapshot is told by this alone.
  void live.ready
    .then(() => {
      store.apply([], true);
      return connection.updated(0, true);
    })
    .catch(() => undefined);
  return {
    store,
    live,
    close() {
      batch.close();
      live.close();
    },
  };
}
