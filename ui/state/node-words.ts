import type { ExplanationNode } from '../../src/client/browser.ts';
import { clip } from '../../src/model/one-line.ts';
import { duration, typeWords } from './format.ts';

/** A status as people see it: a running or abandoned node has none yet, and runs recover. */
export type ShownStatus = 'ok' | 'running' | 'warning' | 'error' | 'skipped' | 'abandoned' | 'recovered';

export function shownStatus({ state, status }: ExplanationNode): ShownStatus {
  if (state === 'RUNNING') return 'running';
  if (state === 'ABANDONED') return 'abandoned';
  return status.toLowerCase() as ShownStatus;
}

/** What a step is, and apart from it what went wrong in it, for places that show both. */
export interface StepWords {
  readonly what: string;
  /** Undefined where nothing failed, or `what` says it already. */
  readonly failure: string | undefined;
}

export function wordsOf(node: ExplanationNode): StepWords {
  const message = messageOf(node);
  const what = withoutFailure(node.title, message) || node.name;
  return { what, failure: message === what ? undefined : message };
}

/** What tells a step from its siblings, in one line: what it is, then what went wrong. */
export function titleOf(node: ExplanationNode): string {
  const { what, failure } = wordsOf(node);
  return failure === undefined ? what : `${what}: ${clip(firstLine(failure), MAX_TITLE)}`;
}

/** Characters of a title, as the service cuts it. */
const MAX_TITLE = 120;

function messageOf({ status, details }: ExplanationNode): string | undefined {
  const { errorMessage, errorType } = details ?? {};
  if (typeof errorMessage === 'string' && errorMessage.trim() !== '') return errorMessage;
  return status === 'ERROR' && typeof errorType === 'string' && errorType !== '' ? errorType : undefined;
}

/** The service's title of a failed step is its message, or ends in it; either may be cut. */
function withoutFailure(title: string, message: string | undefined): string {
  if (message === undefined) return title;
  const failure = firstLine(message);
  const isFailure = (text: string): boolean => text !== '' && failure.startsWith(text.replace(/…$/, ''));
  if (isFailure(title)) return '';
  for (let at = title.indexOf(': '); at > 0; at = title.indexOf(': ', at + 1))
    if (isFailure(title.slice(at + 2))) return title.slice(0, at);
  return title;
}

function firstLine(text: string): string {
  return (text.trim().split(/[\r\n]/, 1)[0] ?? '').replace(/\s+/g, ' ');
}

/** How a screen reader names it: who, what, how it went. */
export function spokenName(node: ExplanationNode): string {
  const parts = [
    node.agent,
    typeWords(node.type),
    titleOf(node),
    shownStatus(node),
    duration(node.latencyMs),
  ];
  return parts.filter((part) => part !== '').join(', ');
}
