import type { CellAddress } from './cell-addresses.ts';

/** The list as it is now, and who wants to know when it is another. */
export class CellList {
  private cells: readonly CellAddress[] = [];
  private readonly listeners = new Set<(cells: readonly CellAddress[]) => void>();

  current(): readonly CellAddress[] {
    return this.cells;
  }

  onChange(listener: (cells: readonly CellAddress[]) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Takes the place of the list; nobody is told when it is the same. @param cells in the order of their names */
  take(cells: readonly CellAddress[]): void {
    if (JSON.stringify(cells) === JSON.stringify(this.cells)) return;
    this.cells = cells;
    for (const listener of this.listeners) listener(cells);
  }
}
