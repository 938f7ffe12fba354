import { Multimap } from '../base/multimap.ts';

interface Watcher {
  readonly onEnd: (reason: string) => void;
}

/** What ends with the right of somebody to be there: each connection adds itself, and takes itself away when it ends. */
export class Watchers {
  private readonly held = new Multimap<Watcher>();

  /** @returns takes it away */
  add(id: string, onEnd: (reason: string) => void): () => void {
    const watcher = { onEnd };
    this.held.add(id, watcher);
    return () => this.held.delete(id, watcher);
  }

  end(id: string, reason: string): void {
    for (const watcher of this.held.all(id)) {
      this.held.delete(id, watcher);
      watcher.onEnd(reason);
    }
  }
}
