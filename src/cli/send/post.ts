import { setTimeout as sleep } from 'node:timers/promises';
import { failure } from '../cli-error.ts';
import { tokenProblem } from '../explain-failure.ts';
import { reachProblem } from '../reach-problem.ts';
import type { Kind } from './classify.ts';

/** With the waits below some two minutes, longer than a service takes to restart. */
const MAX_ATTEMPTS = 8;
const FIRST_WAIT_MS = 500;
/** No wait is longer, whatever the service asks for: somebody sits before the terminal. */
const MAX_WAIT_MS = 30_000;
const ANSWER_TIMEOUT_MS = 60_000;
/** OTLP, "Retryable Response Codes". */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export interface Destination {
  readonly readers: string;
  readonly otlp: string;
  readonly token: string | undefined;
}

/** What the service said about a request. */
export interface Answer {
  readonly status: number;
  readonly body: { readonly [key: string]: unknown };
}

export interface PostOptions {
  /** Told before each wait. */
  readonly onWait: (status: number, waitMs: number) => void;
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/**
 * Sends one request, again where the service asks for it.
 * @returns its answer, also when it refuses
 * @throws CliError when there is nobody who understands it: sending more makes no sense then
 */
export async function post(
  to: Destination,
  kind: Kind,
  body: string,
  { onWait, sleep: wait = sleep }: PostOptions,
): Promise<Answer> {
  const place = placeOf(to, kind);
  for (let attempt = 1; ; attempt++) {
    const response = await send(place, body, to.token);
    const text = await response.text().catch((error: unknown) => {
      throw unreachable(error, place);
    });
    if (RETRYABLE.has(response.status) && attempt < MAX_ATTEMPTS) {
      const waitMs = waitFor(response.headers.get('retry-after'), attempt);
      onWait(response.status, waitMs);
      await wait(waitMs);
      continue;
    }
    if (response.status === 401) {
      throw failure(tokenProblem({ url: place.base, token: to.token }));
    }
    return { status: response.status, body: fieldsOf(text, place, response.status) };
  }
}

interface Place {
  readonly base: string;
  readonly path: string;
  readonly what: string;
  readonly option: string;
}

function placeOf({ readers, otlp }: Destination, kind: Kind): Place {
  return kind === 'cot' || kind === 'events'
    ? { base: readers, path: `/api/${kind}`, what: 'port for readers (9000 by default)', option: '--url' }
    : {
        base: otlp,
        path: `/v1/${kind}`,
        what: 'OTLP/HTTP receiver (port 4318 by default)',
        option: '--otlp-url',
      };
}

async function send(place: Place, body: string, token: string | undefined): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  try {
    return await fetch(place.base + place.path, {
      method: 'POST',
      headers,
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
  } catch (error) {
    throw unreachable(error, place);
  }
}

function unreachable(error: unknown, { base, what, option }: Place): Error {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return failure(
      `${base} does not answer within ${ANSWER_TIMEOUT_MS / 1000} s: is it the service's ${what}, and is the service well?`,
    );
  }
  switch (reachProblem(error)) {
    case 'unknownHost':
      return failure(`The host of ${base} is not known: check the name, or give another with ${option}.`);
    case 'otherProtocol':
    case 'refusedPort':
      return failure(
        `What listens at ${base} does not speak HTTP: name the service's ${what} with ${option}.`,
      );
    case 'nobody':
      return failure(
        `Nothing answers at ${base}: is the service running there? Start it with "explainability-agent serve", or name its ${what} with ${option}.`,
      );
  }
}

/** What a JSON answer holds. An answer that is none comes from another program. */
function fieldsOf(text: string, { base, what, option }: Place, status: number): Answer['body'] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && status !== 404) {
    return value as Answer['body'];
  }
  throw failure(
    `What answers at ${base} (status ${status}) is not the service's ${what}: name it with ${option}.`,
  );
}

/** @param asked the header Retry-After: seconds, or a date (RFC 9110, 10.2.3) */
function waitFor(asked: string | null, attempt: number): number {
  const own = FIRST_WAIT_MS * 2 ** (attempt - 1);
  const seconds = asked === null || asked.trim() === '' ? NaN : Number(asked);
  const ms = Number.isNaN(seconds) ? Date.parse(asked ?? '') - Date.now() : seconds * 1000;
  return Math.min(MAX_WAIT_MS, Math.max(0, Number.isNaN(ms) ? own : ms));
}
