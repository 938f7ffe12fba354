import type { ExplanationNode } from '../model/node.ts';
import type { SummarySentence } from '../model/summary.ts';
import { calledLine } from '../model/title.ts';

export type Sentence = Omit<SummarySentence, 'by'>;

export function stepOf(node: ExplanationNode): string {
  return `“${calledLine(node)}” of ${node.agent}`;
}

/** With a full stop, unless it ends with one; `more` goes before it. */
export function sentence(text: string, more = ''): string {
  const whole = more === '' ? text : text.replace(/[.!?…]$/, '') + more;
  return /[.!?…]$/.test(whole) ? whole : `${whole}.`;
}
