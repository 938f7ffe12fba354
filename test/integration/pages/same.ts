/** What differs between two runs of the same commands, and what stands for it. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'UUID'],
  [/\b(?:[0-9a-f]{32}|[0-9a-f]{16})\b/g, 'ID'],
  [/\[([A-Z_]+):[a-z0-9]+\]/g, '[$1:MARK]'],
  [/(?:<1|\b\d+(?:\.\d+)?) (?:ms|s)\b|\b\d+m\d\ds\b/g, 'TIME'],
];
/** Stands in a page for lines that are left out. */
const LEFT_OUT = '…';

/**
 * Whether a page shows what was printed. Steps of about the same millisecond have no order, so the lines of a passage
 * (between two places where lines are left out) are compared as a set; passages stand in their order.
 */
export function isSame(shown: string, printed: string): boolean {
  const actual = linesOf(printed);
  const passages = passagesOf(linesOf(shown));
  if (passages.length === 1) return isSameSet(passages[0] ?? [], actual);
  let at = 0;
  for (const passage of passages) {
    while (at + passage.length <= actual.length && !isSameSet(passage, actual.slice(at, at + passage.length)))
      at++;
    at += passage.length;
  }
  return at <= actual.length;
}

/** The lines between those that say that something is left out. */
function passagesOf(lines: readonly string[]): readonly (readonly string[])[] {
  const passages: string[][] = [[]];
  for (const line of lines) {
    if (line.trim() === LEFT_OUT) passages.push([]);
    else passages.at(-1)?.push(line);
  }
  return passages;
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return some.toSorted().join('\n') === others.toSorted().join('\n');
}

function linesOf(text: string): readonly string[] {
  const steady = VOLATILE.reduce((result, [pattern, word]) => result.replaceAll(pattern, word), text);
  return steady
    .replace(/^\n+|\s+$/g, '')
    .split('\n')
    .map((line) => line.trimEnd());
}
