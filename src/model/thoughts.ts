import { firstLine } from './one-line.ts';

/** Steps of one reasoning text that are told apart; what comes after belongs to the last one. */
export const MAX_THOUGHTS = 64;
/** A summary of a thought, in characters (founding spec 4.1.3). */
const MAX_LINE_CHARS = 200;
/** Reasoning texts are split up to here; the rest belongs to the last step. */
export const MAX_SPLIT_CHARS = 64 * 1024;

/**
 * A new step begins at a blank line, a numbered or bulleted item, a heading, or a keyword of a ReAct transcript:
 * an action and what came of it are steps of their own.
 */
const STEP_START =
  /^(?:\(?\d{1,3}[.):]\s|[-*\u2022\u2013]\s|#{1,6}\s|\*\*[^*]{1,200}\*\*|(?:Thought|Step|Action|Observation|Plan|Reflection|Conclusion|Final Answer|First|Second|Third|Next|Then|Finally)\b[^:\n]{0,20}:)/;
/** What belongs to the line before it, although it looks like a step. */
const CONTINUES = /^Action Input\b/;
/** A rule between parts: no text. */
const RULE = /^(?:[-*_=~]\s?){3,}$/;
const FENCE = /^(?:```|~~~)/;

/**
 * The steps of a reasoning text, each as one line of at most 200 characters: paragraphs, items of a list, or the
 * thoughts of a ReAct transcript; a heading goes with what follows it, code stays in one piece. Never an empty list
 * for a text that is not blank. Linear in the text's length.
 */
export function thoughtSteps(text: string): string[] {
  if (text.length <= MAX_LINE_CHARS && !text.includes('\n')) {
    const line = shown(text);
    return line === '' ? [] : [line];
  }
  const steps: string[] = [];
  let current = '';
  let blank = true;
  let isHeading = false;
  let inCode = false;
  for (const raw of text.slice(0, MAX_SPLIT_CHARS).split('\n')) {
    const line = raw.trim();
    if (FENCE.test(line)) inCode = !inCode;
    if (line === '' || RULE.test(line)) {
      blank = true;
      continue;
    }
    const begins = !inCode && (blank || STEP_START.test(line)) && !CONTINUES.test(line);
    blank = false;
    if (begins && current !== '' && !isHeading && steps.length < MAX_THOUGHTS - 1) {
      steps.push(current);
      current = '';
    }
    isHeading = begins && isTitle(line);
    // A line is as long as what is shown of it; the rest is in the full text.
    if (current.length <= MAX_LINE_CHARS) current = current === '' ? line : `${current} ${line}`;
  }
  if (current !== '') steps.push(current);
  return steps.map(shown);
}

/** `## Plan`, `**Checking the tests**`, `Steps:`: names what follows. */
function isTitle(line: string): boolean {
  return line.length <= 100 && (/^(?:#{1,6}\s.*|\*\*[^*]+\*\*:?)$/.test(line) || /^\w[\w ]*:$/.test(line));
}

function shown(text: string): string {
  return firstLine(text, MAX_LINE_CHARS);
}
