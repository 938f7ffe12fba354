import type { ExplanationNode } from '../model/node.ts';

/** What kind of step it is, whoever does it: the same over runs of one program. */
export interface StepRole {
  readonly type: string;
  readonly tool?: string;
  /** With `#` for words that hold digits (ids, dates, versions): these tell runs apart. */
  readonly name?: string;
}

/** By the tool, else the name; of an LLM call neither, since which model is called is no matter of its role. */
export function stepRole({ type, name, details = {} }: ExplanationNode): StepRole {
  const { toolName } = details;
  if (typeof toolName === 'string') return { type, tool: toolName };
  return type === 'LLM_CALL' ? { type } : { type, name: name.replace(/\S+/g, withoutDigits) };
}

/** Word by word: a pattern that looks for a digit from each character on takes minutes for a word of 100,000. */
function withoutDigits(word: string): string {
  return /\d/.test(word) ? '#' : word;
}
