import type { NodeStatus } from '../model/node.ts';
import type { SafeSpan } from './convention.ts';
import { asText, firstText, flag, text, textOf } from './read.ts';

/** What any span, whatever its convention, says about having failed. */
export interface Failure {
  readonly status: NodeStatus;
  readonly errorType?: string | undefined;
  readonly errorMessage?: string | undefined;
  /** Message and stack trace. */
  readonly error?: string | undefined;
}

const NO_FAILURE: Failure = { status: 'OK' };

/**
 * ERROR by the span's status, by `error.type`, or by an exception that left the span. An unset status means
 * success: most instrumentations never set OK. A span that set OK has handled its exceptions.
 */
export function failureOf(span: SafeSpan): Failure {
  if (span.status === 'OK') return NO_FAILURE;
  const exception = span.events.findLast((event) => event.name === 'exception');
  const escaped = exception !== undefined && flag(exception.attributes.get('exception.escaped')) !== false;
  const a = span.attributes;
  const errorType = firstText(a, ['error.type', 'exception.type']);
  const told = firstText(a, ['error.message', 'exception.message', 'gen_ai.error.message']);
  if (span.status !== 'ERROR' && errorType === undefined && told === undefined && !escaped) return NO_FAILURE;
  const message =
    asText(exception?.attributes.get('exception.message')) ?? told ?? textOf(span.statusMessage);
  const stack = asText(exception?.attributes.get('exception.stacktrace')) ?? text(a, 'exception.stacktrace');
  return {
    status: 'ERROR',
    errorType: errorType ?? asText(exception?.attributes.get('exception.type')),
    errorMessage: textOf(span.statusMessage) ?? message,
    error:
      stack === undefined
        ? message
        : message === undefined || stack.includes(message)
          ? stack
          : `${message}\n${stack}`,
  };
}
