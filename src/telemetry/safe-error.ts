import { BoundaryError } from '../base/boundary-error.ts';
import { InvariantError } from '../base/assert.ts';

/** An error as it may stand in the log. */
export interface SafeError {
  readonly name: string;
  readonly code?: string | number;
  /** Only of our own errors: their messages never hold input. */
  readonly message?: string;
  /** The places only, without the message that a stack begins with. */
  readonly stack?: readonly string[];
  readonly cause?: SafeError;
}

/** Frames kept: as many as V8 records, so that more lines than that cannot all be frames. */
const MAX_FRAMES = 10;
/** Causes followed: enough for a boundary error around a library's error around a system error. */
const MAX_CAUSES = 3;

const IDENTIFIER = /^[\w.$:-]{1,80}$/;
const FRAME = /^\s+at (?:.+ \()?(?:file:\/\/|node:|\/|[A-Za-z]:\\|<anonymous>).*?:\d+:\d+\)?$/;

/**
 * What may be logged of an error: its name, its code and where it happened. The message of an error that we did
 * not make can hold text of records (`JSON.parse` quotes its input), so it is left out.
 */
export function safeError(error: unknown, depth = 0): SafeError {
  if (!(error instanceof Error)) return { name: `thrown ${typeof error}` };
  const ours = error instanceof BoundaryError || error instanceof InvariantError;
  const code = 'code' in error ? safeCode(error.code) : undefined;
  const stack = frames(error);
  return {
    name: IDENTIFIER.test(error.name) ? error.name : 'Error',
    ...(code !== undefined && { code }),
    ...(ours && { message: error.message }),
    ...(stack.length > 0 && { stack }),
    ...(error.cause !== undefined && depth < MAX_CAUSES && { cause: safeError(error.cause, depth + 1) }),
  };
}

/** The class of an error, or of what is behind a boundary error: its text may quote what was sent. */
export function errorName(thrown: unknown): string {
  const cause = thrown instanceof BoundaryError ? thrown.cause : thrown;
  return cause instanceof Error ? cause.name : typeof cause;
}

function safeCode(code: unknown): string | number | undefined {
  if (typeof code === 'number') return code;
  return typeof code === 'string' && IDENTIFIER.test(code) ? code : undefined;
}

/** `Error: ` or `TypeError [ERR_INVALID_ARG_TYPE]: `, and without a message `Error`. */
const HEADING = /^[\w.$]+(?: \[\w+\])?: $/;
const BARE_HEADING = /^[\w.$]+(?: \[\w+\])?$/;

/**
 * The message comes first in a stack and may have lines that look like frames, so it is cut off before. Where it
 * does not stand there as it is now (somebody changed it), nothing tells frames from text: then there are none.
 */
function frames({ stack, message }: Error): string[] {
  if (typeof stack !== 'string') return [];
  const [heading, rest] = message === '' ? cutAtLine(stack) : cutAround(stack, message);
  if (!(message === '' ? BARE_HEADING : HEADING).test(heading) || !rest.startsWith('\n')) return [];
  const lines = rest.split('\n').filter((line) => FRAME.test(line));
  return lines.slice(-MAX_FRAMES).map((line) => line.trim());
}

function cutAround(stack: string, message: string): [before: string, after: string] {
  const at = stack.indexOf(message);
  return at === -1 ? ['', ''] : [stack.slice(0, at), stack.slice(at + message.length)];
}

function cutAtLine(stack: string): [before: string, after: string] {
  const at = stack.indexOf('\n');
  return at === -1 ? ['', ''] : [stack.slice(0, at), stack.slice(at)];
}
