import { setTimeout as sleep } from 'node:timers/promises';
import { GrpcSender } from './support/grpc-sender.ts';
import { spanRequest } from './support/payload.ts';
import { startServer, type ServerProcess } from './support/server-process.ts';
import { subscribeAll } from './support/subscribers.ts';

/** As quick as models write. */
const TOKENS_PER_SECOND = 25;
const THOUGHTS = 8;
const SPANS_PER_SECOND = 500;
const BATCHES_PER_SECOND = 20;

/** Words and punctuation without digits; some of the words begin what may become private. */
const PROSE = `The user wants to know why the nightly build fails, so I should look at the log before I change anything.
The first error comes from the resolver: it cannot find the package that the lock file names, although the registry
answers. Maybe the address of the mirror was changed, or the account of the build machine may no longer read it. Let me
call the search tool and ask for the last change of that file. It says that Maria moved the settings into another folder
and that nobody told the deploy job. That explains both failures! The test of the login page is another matter; there the
password field has no label, and the phone layout hides the button. I will not touch it now. Next: write the path into
the settings, run the tests again, and only then answer with a short summary. If they still fail, I ask a person to look
at the token of the registry, because I cannot see it. The tests pass. I tell the user what was wrong, what I changed, and
what is left to do (the label, the layout), and I stop here.`;

export interface LiveThoughtsResult {
  /** Milliseconds from before the token behind it is sent until a reader has the token. */
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
  readonly tokens: number;
}

/**
 * How soon what agents think is with a reader, while spans come in. A token may go on in the next one, so its time
 * counts from there.
 */
export async function benchLiveThoughts(): Promise<LiveThoughtsResult> {
  const tokens = PROSE.match(/\s*[^\s]+/g) ?? [];
  const ends = tokens.map((_, i) => tokens.slice(0, i + 1).join('').length);
  const server = await startServer();
  /** Of each thought, when so many characters of it were with the reader. */
  const seen = new Map<unknown, [number, number][]>();
  const reader = await subscribeAll(server.port, 1, ({ addedNodes }) => {
    const now = performance.now();
    for (const { details } of addedNodes) {
      const chars = details?.['thoughtChars'];
      if (typeof chars !== 'number') continue;
      const of = seen.get(details?.['requestId']) ?? [];
      seen.set(details?.['requestId'], [...of, [now, chars]]);
    }
  });
  const sender = new GrpcSender(server.grpcPort);
  const ending = new AbortController();
  const load = sendSpans(sender, ending.signal);
  try {
    const thoughts = Array.from({ length: THOUGHTS }, (_, i) => `thought-${i}`);
    const sent = await Promise.all(thoughts.map((requestId) => think(server, requestId, tokens)));
    await sleep(1000);
    const waits = thoughts.flatMap((requestId, n) =>
      tokens.slice(0, -1).map((token, i) => {
        const shown = seen.get(requestId)?.find(([, chars]) => chars >= (ends[i] ?? NaN));
        if (!shown) throw new Error(`"${token}" of ${requestId} never reached the reader`);
        return shown[0] - (sent[n]?.[i + 1] ?? NaN);
      }),
    );
    waits.sort((a, b) => a - b);
    const at = (q: number): number => waits[Math.ceil(waits.length * q) - 1] ?? NaN;
    return { p50: at(0.5), p99: at(0.99), longest: at(1), tokens: waits.length };
  } finally {
    ending.abort();
    await load;
    sender.close();
    reader.close();
    await server.stop();
  }
}

/** Returns when each token was sent. */
async function think(
  server: ServerProcess,
  requestId: string,
  tokens: readonly string[],
): Promise<readonly number[]> {
  const sent: number[] = [];
  for (const [sequence, token] of tokens.entries()) {
    sent.push(performance.now());
    const answer = await fetch(`http://127.0.0.1:${server.port}/api/cot`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        requestId,
        timestamp: Date.now(),
        agent: 'CoderAgent',
        sequence,
        tokens: [token],
      }),
    });
    if (answer.status !== 202) throw new Error(`POST /api/cot answered ${answer.status}`);
    await sleep(Math.max(0, (sent.at(-1) ?? 0) + 1000 / TOKENS_PER_SECOND - performance.now()));
  }
  return sent;
}

async function sendSpans(sender: GrpcSender, ending: AbortSignal): Promise<void> {
  const request = spanRequest(SPANS_PER_SECOND / BATCHES_PER_SECOND, 1);
  while (!ending.aborted) {
    request.renew();
    await sender.send(request.body);
    await sleep(1000 / BATCHES_PER_SECOND);
  }
}
