import { hash } from 'node:crypto';

/** Whose the ids of messages are: they are unique within a space, and a task that was named apart is told apart. */
export interface MewPlace {
  /** Empty where nobody names it. */
  readonly space: string;
  readonly namedTask: string | undefined;
}

const TRACE_HEX_DIGITS = 32;
const SPAN_HEX_DIGITS = 16;

/** A context with all inside it is one trace, and so is each message that stands in none. @param root the id of either */
export function mewTraceId({ space, namedTask }: MewPlace, root: string): string {
  return digest(['mew', namedTask ?? '', space, root]).slice(0, TRACE_HEX_DIGITS);
}

/** @param what of a context: what else is told of it */
export function mewSpanId({ space, namedTask }: MewPlace, id: string, what = ''): string {
  return digest(['mew', namedTask ?? '', space, id, what]).slice(0, SPAN_HEX_DIGITS);
}

/** By which a message is found from another space, where it is the only one with its id. */
export function anywhereSpanId(id: string): string {
  return digest(['mew anywhere', id]).slice(0, SPAN_HEX_DIGITS);
}

/** Of a tool call, of which what asks for it and what it answers tell. */
export function mewStepId({ space, namedTask }: MewPlace, id: string): string {
  return digest(['mew step', namedTask ?? '', space, id]).slice(0, TRACE_HEX_DIGITS);
}

/** As JSON, so that no two lists read alike. */
function digest(of: readonly string[]): string {
  return hash('sha256', JSON.stringify(of), 'hex');
}
