import type { IncomingHttpHeaders } from 'node:http';
import { BoundaryError, invalid } from '../../../base/boundary-error.ts';
import { passOn } from '../../../transport/pass-on.ts';
import { CSRF_HEADER } from '../login/own-page.ts';
import { readObject } from '../read-object.ts';
import type { Route } from '../route.ts';
import type { RunStreams } from './run-streams.ts';

/** Takes in a stream while it is passed on. */
export interface Tap {
  push(piece: Buffer): void;
  /** Nothing more comes. */
  end(): Promise<void>;
}

export interface ProxiedRun {
  readonly url: string;
  readonly taskId: string | undefined;
  readonly agent: string | undefined;
  /** Of the client's input. */
  readonly runId: string;
  /** The client's input. */
  readonly given: Buffer;
}

export interface ProxyRouteOptions {
  /** The URLs that may be asked for, and no others. */
  readonly agents: readonly string[];
  readonly runs: RunStreams;
  readonly tap: (run: ProxiedRun) => Tap;
  /** Told of each run as it begins, and how to end it. @returns told when it is over */
  readonly begun: (run: ProxiedRun, who: string, abort: (why: string) => void) => () => void;
  /** The client's input as the agent gets it. */
  readonly input: (url: string, body: Buffer) => Buffer;
}

/** Runs an agent of AG-UI for a client, and passes its answer on unchanged while it is taken in. */
export function agUiProxyRoute({ agents, runs, tap, begun, input }: ProxyRouteOptions): Route {
  const allowed = new Set(agents.map((agent) => new URL(agent).href));
  return {
    method: 'POST',
    path: '/ag-ui/proxy',
    needs: 'send',
    query: ['url', 'taskId', 'agent'],
    handle: async ({ raw, body, query, principal }, response) => {
      const url = allowedUrl(query.get('url'), allowed);
      const given = await body();
      const runId = readObject(given, '{"threadId": "t", "runId": "r", "messages": []}')['runId'];
      if (typeof runId !== 'string' || runId === '')
        throw invalid('runId is required: a string that is not empty');
      const named: ProxiedRun = {
        url: url.href,
        taskId: query.get('taskId') ?? undefined,
        agent: query.get('agent') ?? undefined,
        runId,
        given,
      };
      const run = tap(named);
      runs.begin(response, { close: () => response.destroy() }, principal.id);
      const ending = new AbortController();
      const over = begun(named, principal.id, (why) => ending.abort(why));
      try {
        await passOn(response, {
          url,
          headers: headersFor(raw.headers),
          body: input(url.href, given),
          onEvents: (piece) => run.push(piece),
          cut: { signal: ending.signal, lastEvent: () => failed(String(ending.signal.reason)) },
        });
      } finally {
        over();
        await run.end();
      }
      return undefined;
    },
  };
}

/** A run that somebody here has ended ends for its client as one that failed. */
function failed(message: string): Buffer {
  return Buffer.from(`data: ${JSON.stringify({ type: 'RUN_ERROR', message, code: 'INTERRUPTED' })}\n\n`);
}

/** As it is configured, to the letter: a name that only leads to the same place is another URL. */
function allowedUrl(given: string | null, allowed: ReadonlySet<string>): URL {
  if (given === null) throw invalid('url is required: the endpoint of an agent');
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !allowed.has(url.href))
    throw new BoundaryError(
      'PERMISSION_DENIED',
      'url is none of those in the setting agUiAgents: add it there, letter for letter',
    );
  return url;
}

/** Between the client and this service: by the first it is let in, by the second its session changes something. */
const OURS: ReadonlySet<string> = new Set(['x-api-key', CSRF_HEADER]);
/** What the client has for the agent under the names of what is ours. */
const FOR_AGENT = {
  'x-agent-authorization': 'authorization',
  'x-agent-api-key': 'x-api-key',
} as const;

/** What the agent needs of the client's headers: none that are between the client and this service, such as its key. */
function headersFor(headers: IncomingHttpHeaders): { readonly [name: string]: string } {
  const passed: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string' || !name.startsWith('x-') || name.startsWith('x-forwarded')) continue;
    if (Object.hasOwn(FOR_AGENT, name)) passed.push([FOR_AGENT[name as keyof typeof FOR_AGENT], value]);
    else if (!OURS.has(name)) passed.push([name, value]);
  }
  return {
    ...Object.fromEntries(passed),
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'accept-encoding': 'identity',
  };
}
