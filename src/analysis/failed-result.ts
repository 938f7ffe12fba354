import type { IsOver, Work } from '../base/in-turns.ts';
import type { ExplanationNode } from '../model/node.ts';
import { toolOf } from '../model/recovery.ts';
import type { Piece, Step } from './run.ts';

/** What a failure says of itself stands at the beginning of an answer; later on a page tells of other things. */
const PAGE_CHARS = 600;

const RAN_CODE = /exec|shell|terminal|bash|python|command|interpreter|\bcode/i;
/** What programs print when they fail, in any result; what says what went wrong goes before what only says that it did. */
const CRASHED = [
  /^[ \t]{0,20}(?:[\w.]{0,80})?(?:Error|Exception): [^\n]{0,200}/m,
  /Traceback \(most recent call last\)[^\n]*/,
  /\bexit[ _-]?code["']?\s{0,4}[:=]?\s{0,4}[1-9]\d{0,4}\b[^\n]{0,120}/i,
  /"isError"\s{0,4}:\s{0,4}true/,
];
/** What pages and services say, where nothing but a tool's own words can come. */
const REFUSED =
  /\berrors?\b|\b404\b|\bnot found\b|can['’]t be reached|\baccess denied\b|\bcaptcha\b|\bblocked\b/i;

/** Where a failure is told: in the status of the step, or by its result. */
export interface FailedResult {
  readonly step: Step;
  /** What says so; absent when only the status does. */
  readonly place: { readonly piece: Piece; readonly start: number; readonly end: number } | undefined;
}

/** The steps that failed, each with what says so; with undefined when only its status does. */
export type Failures = ReadonlyMap<Step, FailedResult['place']>;

export function* failuresIn(steps: readonly Step[], isOver: IsOver): Work<Failures> {
  const failures = new Map<Step, FailedResult['place']>();
  for (const step of steps) {
    const isError = step.node.status === 'ERROR';
    const place = isError || step.node.type === 'TOOL_CALL' ? placeOf(step) : undefined;
    if (isError || place) failures.set(step, place);
    if (isOver()) yield;
  }
  return failures;
}

/** What failed of what a step did: the first of its tool calls, or the step itself. */
export function failedResult(step: Step, failures: Failures): FailedResult | undefined {
  const failed = [step, ...step.asked].find((one) => failures.has(one));
  return failed && { step: failed, place: failures.get(failed) };
}

function placeOf({ node, own }: Step): FailedResult['place'] {
  for (const piece of own) {
    const first =
      node.type !== 'TOOL_CALL' || piece.field === 'error' ? ownWords(piece, node) : told(piece, node);
    if (first) return { piece, ...first };
  }
  return undefined;
}

function told({ text }: Piece, node: ExplanationNode): { start: number; end: number } | undefined {
  const patterns = RAN_CODE.test(toolOf(node)) ? CRASHED : [...CRASHED, REFUSED];
  for (const pattern of patterns) {
    const match = pattern.exec(pattern === REFUSED ? text.slice(0, PAGE_CHARS) : text);
    if (match) return { start: match.index, end: match.index + match[0].length };
  }
  return undefined;
}

/** The line of its message, which stands first or, in Python, last; where it is not found, the first. */
function ownWords(
  { field, text }: Piece,
  { details = {} }: ExplanationNode,
): { start: number; end: number } | undefined {
  if (field !== 'error') return undefined;
  const { errorMessage } = details;
  const [message = ''] = typeof errorMessage === 'string' ? errorMessage.trim().split('\n', 1) : [];
  const at = message === '' ? -1 : text.lastIndexOf(message);
  const start = at < 0 ? 0 : text.lastIndexOf('\n', at) + 1;
  const end = text.indexOf('\n', start);
  return { start, end: end < 0 ? text.length : end };
}
