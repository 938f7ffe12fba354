import { objectIn } from '../../base/json.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetchWith, type ClientTls } from '../../client/node-fetch.ts';
import { tlsProblem } from '../../client/tls-problem.ts';
import { CliError, failure } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';
import { tokenProblem } from '../explain-failure.ts';
import { PROGRAM } from '../program.ts';
import { reachProblem } from '../reach-problem.ts';
import type { Kind } from './classify.ts';

/** A service that asks to come again is asked for so long in all: longer than a large store takes to restore. */
const MAX_ASKED_WAIT_MS = 120_000;
const FIRST_WAIT_MS = 500;
/** Of a service that names no time, or one that has passed: the sum of the waits must come to its end. */
const MIN_WAIT_MS = 100;
/** No wait is longer, whatever the service asks for: somebody sits before the terminal. */
const MAX_WAIT_MS = 30_000;
const ANSWER_TIMEOUT_MS = 60_000;
/** A lost service is looked for so often, and so long in all: longer than a large store takes to start. */
const MAX_LOST_WAIT_MS = 5_000;
export const LOST_LIMIT_MS = 120_000;
/** OTLP, "Retryable Response Codes". */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export interface Destination {
  readonly readers: string;
  /** Where OTLP goes; absent, to the readers' port, which takes all of it. */
  readonly otlp: string | undefined;
  readonly token: string | undefined;
  readonly tls?: ClientTls | undefined;
}

/** What the service said about a request. */
export interface Answer {
  readonly status: number;
  readonly body: { readonly [key: string]: unknown };
}

export interface PostOptions {
  /** Told before each wait that the service asks for. */
  readonly onWait: (answer: Answer, waitMs: number) => void;
  /** Told when the service has gone, and when it is there again. */
  readonly onLost: () => void;
  readonly onBack: () => void;
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/** A service that answered before is gone, and did not come back in time. */
export class LostService extends CliError {}

/** Sends requests to one service. */
export class Post {
  private readonly to: Destination;
  private readonly options: PostOptions;
  private readonly wait: (ms: number) => Promise<unknown>;
  private readonly fetch: typeof fetch;
  /** Places that answered: worth waiting for. Elsewhere the address is wrong, which is better said at once. */
  private readonly reached = new Set<string>();

  constructor(to: Destination, options: PostOptions) {
    this.to = to;
    this.options = options;
    this.wait = options.sleep ?? sleep;
    this.fetch = fetchWith(to.tls);
  }

  /**
   * Sends one request, again where the service asks for it or is lost. One that was taken just before the service
   * went is sent twice; the service knows it by its bytes.
   * @param runId of events of AG-UI: the run that goes on in them
   * @returns its answer, also when it refuses
   * @throws CliError when there is nobody who understands it: sending more makes no sense then
   */
  async send(kind: Kind, body: string, runId?: string): Promise<Answer> {
    const place = placeOf(this.to, kind, runId);
    let waited = 0;
    for (let attempt = 1; ; attempt++) {
      const { status, headers, text } = await this.reach(place, body);
      if (RETRYABLE.has(status) && waited < MAX_ASKED_WAIT_MS) {
        const waitMs = waitFor(headers.get('retry-after'), attempt);
        this.options.onWait({ status, body: objectIn(text) ?? {} }, waitMs);
        await this.wait(waitMs);
        waited += waitMs;
        continue;
      }
      if (status === 401) throw failure(tokenProblem({ url: place.base, token: this.to.token }));
      return { status, body: fieldsOf(text, place, status) };
    }
  }

  /** Any answer at all, however long the service is away within the limit. */
  private async reach(place: Place, body: string): Promise<Reply> {
    const { options, reached, wait } = this;
    let waited = 0;
    for (let attempt = 1; ; attempt++) {
      try {
        const reply = await request(this.fetch, place, body, this.to.token);
        reached.add(place.base);
        if (waited > 0) options.onBack();
        return reply;
      } catch (error) {
        if (!reached.has(place.base) || !isLost(error)) throw unreachable(error, place);
        if (waited >= LOST_LIMIT_MS) {
          throw new LostService(
            `${place.base} did not come back within ${LOST_LIMIT_MS / 60_000} minutes.`,
            EXIT.crash,
          );
        }
        if (waited === 0) options.onLost();
        const waitMs = Math.min(MAX_LOST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
        await wait(waitMs);
        waited += waitMs;
      }
    }
  }
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Place {
  readonly base: string;
  readonly path: string;
  readonly what: string;
  readonly option: string;
}

function ownPath(kind: Kind, runId: string | undefined): string {
  if (kind === 'ag-ui') return eventsPath(runId);
  if (kind === 'mew') return '/mew/envelopes';
  return kind === 'thoughtflow' ? '/thoughtflow' : `/api/${kind}`;
}

function placeOf({ readers, otlp }: Destination, kind: Kind, runId: string | undefined): Place {
  const isOtlp = kind === 'traces' || kind === 'logs' || kind === 'metrics';
  const path = isOtlp ? `/v1/${kind}` : ownPath(kind, runId);
  return isOtlp && otlp !== undefined
    ? { base: otlp, path, what: 'OTLP/HTTP receiver (port 4318 by default)', option: '--otlp-url' }
    : { base: readers, path, what: 'port for readers (9000 by default)', option: '--url' };
}

/** @param runId the run that goes on, where a file goes over several requests */
function eventsPath(runId: string | undefined): string {
  return runId === undefined ? '/ag-ui/events' : `/ag-ui/events?runId=${encodeURIComponent(runId)}`;
}

async function request(
  ask: typeof fetch,
  { base, path }: Place,
  body: string,
  token: string | undefined,
): Promise<Reply> {
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const response = await ask(base + path, {
    method: 'POST',
    headers,
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Refused or cut off, as by a service that is restarted. */
function isLost(error: unknown): boolean {
  if (tlsProblem(error) !== undefined) return false;
  const problem = isTimeout(error) ? undefined : reachProblem(error);
  return problem === 'nobody' || problem === 'otherProtocol';
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

function unreachable(error: unknown, { base, what, option }: Place): Error {
  if (isTimeout(error)) {
    return failure(
      `${base} does not answer within ${ANSWER_TIMEOUT_MS / 1000} s: is it the service's ${what}, and is the service well?`,
    );
  }
  const problem = tlsProblem(error);
  if (problem !== undefined) return failure(`What listens at ${base} can't be talked to: ${problem}.`);
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
        `Nothing answers at ${base}: is the service running there? Start it with "${PROGRAM} serve", or name its ${what} with ${option}.`,
      );
  }
}

/** What a JSON answer holds. An answer that is none comes from another program. */
function fieldsOf(text: string, { base, what, option }: Place, status: number): Answer['body'] {
  const fields = status === 404 ? undefined : objectIn(text);
  if (fields) return fields;
  throw failure(
    `What answers at ${base} (status ${status}) is not the service's ${what}: name it with ${option}.`,
  );
}

/** @param asked the header Retry-After: seconds, or a date (RFC 9110, 10.2.3) */
function waitFor(asked: string | null, attempt: number): number {
  const own = FIRST_WAIT_MS * 2 ** Math.min(attempt - 1, 10);
  const seconds = asked === null || asked.trim() === '' ? NaN : Number(asked);
  const ms = Number.isNaN(seconds) ? Date.parse(asked ?? '') - Date.now() : seconds * 1000;
  return Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, Number.isNaN(ms) ? own : ms));
}
