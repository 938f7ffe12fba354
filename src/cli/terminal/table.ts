import { displayWidth, plainText } from './plain-text.ts';

/** Columns of cells, each as `plainText` makes it; `right` names the columns of figures. */
export function tableLines(
  cells: readonly (readonly string[])[],
  right: ReadonlySet<number> = new Set(),
): readonly string[] {
  const rows = cells.map((row) => row.map(plainText));
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, displayWidth(cell));
  }
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const fill = ' '.repeat((widths[column] ?? 0) - displayWidth(cell));
        return right.has(column) ? fill + cell : cell + fill;
      })
      .join('  ')
      .trimEnd(),
  );
}
