import { graphStoreContract } from '../graph-store.contract.ts';
import { MemoryGraphStore } from './memory-graph-store.ts';

graphStoreContract('memory', () => {
  const store = new MemoryGraphStore();
  return Promise.resolve({ open: () => Promise.resolve(store) });
});
