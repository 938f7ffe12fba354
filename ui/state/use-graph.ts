import { useCallback, useSyncExternalStore } from 'react';
import type { ExplanationNode } from '../../src/client/browser.ts';
import type { GraphStore } from './graph-store.ts';

/** Draws again after every batch of updates. @returns the number of the batch, for `useMemo` */
export function useGraphVersion(store: GraphStore): number {
  return useSyncExternalStore(store.subscribe, () => store.version);
}

/** Draws again only when a node or edge came or went. */
export function useStructure(store: GraphStore): number {
  return useSyncExternalStore(store.subscribe, () => store.structure);
}

/** What is read of all records: draws again only when that is another. @param read gives the same value for the same records */
export function useFact<Value>(store: GraphStore, read: (store: GraphStore) => Value): Value {
  return useSyncExternalStore(store.subscribe, () => read(store));
}

/** One record: draws again only when it is another. */
export function useNode(store: GraphStore, id: string): ExplanationNode | undefined {
  const subscribe = useCallback((listener: () => void) => store.subscribeNode(id, listener), [store, id]);
  return useSyncExternalStore(subscribe, () => store.nodes.get(id));
}
