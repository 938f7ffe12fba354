import { wholeCharacters } from './code-cutter.ts';

/** A fenced block: opening fence with its info string, and the closing fence or the end of the text. */
const FENCE = /^[ \t]{0,3}(`{3,16}|~{3,16})[^\r\n]{0,200}\r?\n/gm;
const CUT = /\[CODE_CUT:\d{1,12}\]\s*$/;

/**
 * Shortens fenced code blocks to `max` characters and says how many were left out: `[CODE_CUT:1234]`.
 * A text without a longer block is returned as it is.
 */
export function cutCodeBlocks(text: string, max: number): string {
  if (text.length <= max || !(text.includes('```') || text.includes('~~~'))) return text;
  let result = '';
  let copied = 0;
  FENCE.lastIndex = 0;
  for (let open = FENCE.exec(text); open; open = FENCE.exec(text)) {
    const start = open.index + open[0].length;
    const end = blockEnd(text, start, open[1] ?? '```');
    if (end - start > max && !CUT.test(text.slice(Math.max(start, end - 40), end))) {
      const keep = wholeCharacters(text, start + max);
      result += `${text.slice(copied, keep)}\n[CODE_CUT:${end - keep}]\n`;
      copied = end;
    }
    FENCE.lastIndex = nextLine(text, end);
  }
  return copied === 0 ? text : result + text.slice(copied);
}

/** Where the closing fence's line starts, or the end of the text. */
function blockEnd(text: string, start: number, fence: string): number {
  let at = text.startsWith(fence, start) ? start : text.indexOf(`\n${fence}`, start);
  if (at >= 0 && text.charAt(at) === '\n') at++;
  return at < 0 ? text.length : at;
}

function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}
