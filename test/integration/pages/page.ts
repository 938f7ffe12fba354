/**
 * A fenced block of a page that is played, named by the HTML comment on the line before it:
 *
 * - `<!-- file: agent.mjs -->` is written beside the commands,
 * - `<!-- install -->` installs packages, of the versions that the page says,
 * - `<!-- run -->` is run in a shell that keeps what earlier blocks set,
 * - `<!-- run: COMMAND -->` is that, but COMMAND is run instead: the same faster, or in the background,
 * - `<!-- output -->` is what the block before it printed,
 * - `<!-- output: COMMAND -->` is what that command prints, as soon as it prints it,
 * - `<!-- demo -->` is what the demo prints, with `…` for lines that are left out.
 */
export interface Block {
  readonly verb: 'file' | 'install' | 'run' | 'output' | 'demo';
  /** What stands behind the colon. */
  readonly what: string;
  readonly text: string;
  /** Where the text begins and ends in the page. */
  readonly start: number;
  readonly end: number;
}

const MARKED = /^<!-- (file|install|run|output|demo)(?:: (.+?))? -->\n+```\w*\n([\s\S]*?)^```$/gm;
const MARK = /^<!-- (?:file|install|run|output|demo)\b/gm;

/** @throws Error for a mark that no block follows */
export function blocksOf(page: string): readonly Block[] {
  const blocks = Array.from(page.matchAll(MARKED), (match): Block => {
    const [whole, verb, what = '', text = ''] = match;
    const end = match.index + whole.length - '```'.length;
    return { verb: verb as Block['verb'], what, text, start: end - text.length, end };
  });
  const marks = page.match(MARK)?.length ?? 0;
  if (marks !== blocks.length) throw new Error(`${marks} marks, and ${blocks.length} blocks behind them`);
  return blocks;
}

/** The page with other texts in some blocks. */
export function rewritten(page: string, texts: ReadonlyMap<Block, string>): string {
  let result = page;
  for (const [block, text] of [...texts].toSorted(([a], [b]) => b.start - a.start))
    result = result.slice(0, block.start) + text + result.slice(block.end);
  return result;
}
