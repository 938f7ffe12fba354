/** Rows as lines of text under a head line, columns wide enough for what is in them; numbers to the right. */
export function plainTable(
  rows: readonly { readonly [column: string]: string | number }[],
): readonly string[] {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? '')))];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines.map((line) =>
    line
      .map((word, at) => (at === 0 ? word.padEnd(widths[at] ?? 0) : word.padStart(widths[at] ?? 0)))
      .join('  '),
  );
}
