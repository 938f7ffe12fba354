import type { CellAddress } from './cell-addresses.ts';

/** The current list, with listeners for its changes. */
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

  /** What comes of a list that cannot be had, for people, behind what is wrong. */
  protected get whatStays(): string {
    return this.cells.length > 0
      ? 'the cells that were known last stay'
      : 'no cell is known until it is well';
  }

  /** Replaces the list; listeners are told only if it differs. @param cells in the order of their names */
  take(cells: readonly CellAddress[]): void {
    if (JSON.stringify(cells) === JSON.stringify(this.cells)) return;
    this.cells = cells;
    for (const listener of this.listeners) listener(cells);
  }
}
