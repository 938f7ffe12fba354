import { hasFailed } from '../model/failure.ts';
import type { ExplanationNode } from '../model/node.ts';
import { clip } from '../model/one-line.ts';
import type { SummarySentence } from '../model/summary.ts';
import { titleLine } from '../model/title.ts';

export type Sentence = Omit<SummarySentence, 'by'>;

export const MAX_NAME_CHARS = 60;

/** What failed by its name: its title is why it failed. */
export function stepOf(node: ExplanationNode): string {
  const { title, name, type, agent } = node;
  const words = hasFailed(node) ? name : title;
  return `“${clip(titleLine(words) ?? titleLine(name) ?? type, MAX_NAME_CHARS)}” of ${agent}`;
}

/** With a full stop, unless it ends with one; `more` goes before it. */
export function sentence(text: string, more = ''): string {
  const whole = more === '' ? text : text.replace(/[.!?…]$/, '') + more;
  return /[.!?…]$/.test(whole) ? whole : `${whole}.`;
}
