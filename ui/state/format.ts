import type { EdgeRelation, NodeType } from '../../src/client/browser.ts';

/** Figures for people; one way for each everywhere. */

export function money(usd: number | undefined): string {
  if (usd === undefined) return '';
  if (usd === 0) return '$0';
  if (usd >= 1) return `$${usd.toFixed(2)}`;
  return `$${Number(usd.toPrecision(2))}`;
}

export function duration(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms)) return '';
  if (ms > 0 && ms < 1) return '<1 ms';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.round((ms % 60_000) / 1000)} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${count(Math.floor(hours / 24))} d ${hours % 24} h`;
}

export function count(number: number): string {
  if (number < 10_000) return number.toLocaleString('en');
  if (number < 1_000_000) return `${(number / 1000).toFixed(number < 100_000 ? 1 : 0)} k`;
  return `${(number / 1_000_000).toFixed(1)} M`;
}

export function tokens(given: { readonly tokensIn?: number; readonly tokensOut?: number }): string {
  const { tokensIn, tokensOut } = given;
  if (tokensIn === undefined && tokensOut === undefined) return '';
  return `${count((tokensIn ?? 0) + (tokensOut ?? 0))} tok`;
}

export function plural(number: number, word: string): string {
  return `${count(number)} ${word}${number === 1 ? '' : 's'}`;
}

/** Those that are known, on one line. */
export function figuresLine(...figures: readonly (string | undefined)[]): string {
  return figures.filter((figure) => figure !== undefined && figure !== '').join(' · ');
}

/** Since when: `12 s ago`, `4 min ago`, then the date. */
export function ago(iso: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(iso)) / 1000);
  if (seconds < 60) return `${Math.round(seconds)} s ago`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.round(seconds / 3600)} h ago`;
  return new Date(iso).toLocaleDateString();
}

/** Every node type in words. */
export const TYPE_WORDS: Readonly<Record<NodeType, string>> = {
  LLM_CALL: 'LLM call',
  STATIC_ANALYSIS: 'analysis',
  TEST_RUN: 'test run',
  MODEL_SWITCH: 'model switch',
  REFLEXION_ACTION: 'reflexion',
  USER_QUERY: 'user',
  TOOL_CALL: 'tool call',
  REASONING: 'thought',
  SUMMARY: 'summary',
  OTHER: 'step',
};

/** A node type in words. */
export function typeWords(type: string): string {
  return TYPE_WORDS[type as NodeType] ?? type.toLowerCase();
}

/** A relation in words. */
export function relationWords(relation: EdgeRelation): string {
  return relation.toLowerCase().replaceAll('_', ' ');
}

/** Times in a sentence of the service, as ISO 8601 in UTC, in the reader's own way. */
export function withOwnTimes(text: string): string {
  return text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (iso) =>
    new Date(iso).toLocaleString(),
  );
}

/** Messages of the service and the client begin small, and end as they like. */
export function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
