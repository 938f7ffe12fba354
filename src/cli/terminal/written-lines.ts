import { breakLine, painter, paintLine, wantsColours, type Line } from './line.ts';

interface Output {
  readonly isTTY?: boolean;
  /** Cells; absent or 0 where it is not known. */
  readonly columns?: number;
}

/** Lines as they are written: coloured, and broken at blanks to the width, where they go to a terminal. */
export function writtenLines(
  lines: readonly Line[],
  { isTTY = false, columns = 0 }: Output = process.stdout,
  env: Readonly<Record<string, string | undefined>> = process.env,
): readonly string[] {
  const paint = painter(wantsColours(env, isTTY));
  const fitting = isTTY && columns > 0 ? lines.flatMap((line) => breakLine(line, columns)) : lines;
  return fitting.map((line) => paintLine(line, paint));
}
