import type { Client, GraphChange, LiveGraph, SubscribeOptions } from '../../src/client/browser.ts';
import { GraphStore } from '../state/graph-store.ts';
import { useConnection } from './connection-state.ts';
import { FrameBatch } from './frame-batch.ts';
import { useSession } from './session.ts';

/** Of what piled up (a connection that came back, a window that was hidden) so much is done in one frame. */
const MOST_IN_A_FRAME = 50;
/** A page that is not looked at draws no frames. */
const HIDDEN_MS = 500;
const NONE = { added: [], changed: [], removed: [] };
const NOTHING: GraphChange = { nodes: NONE, edges: NONE };

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
  const batch = new FrameBatch<GraphChange>(nextFrame, (changes, left) => {
    // What begins whole stays whole with every update; parts are whole with the last of them.
    const isComplete = live.complete && (store.isComplete || left === 0);
    store.apply(changes, isComplete);
    connection.updated(changes.length, isComplete, left);
  });
  connection.opened();
  live.on('change', (change) => batch.add(change));
  live.on('state', connection.changed);
  live.on('error', (error) => {
    connection.failed(error.message);
    if (error.code === 'UNAUTHENTICATED') useSession.getState().refuse();
  });
  // A graph without anything in it changes nothing: its first snapshot is told by this alone.
  void live.ready.then(() => batch.add(NOTHING)).catch(() => undefined);
  return {
    store,
    live,
    close() {
      batch.close();
      live.close();
    },
  };
}

function nextFrame(hand: (most: number) => void): void {
  if (document.visibilityState === 'hidden') setTimeout(() => hand(Infinity), HIDDEN_MS);
  else requestAnimationFrame(() => hand(MOST_IN_A_FRAME));
}
