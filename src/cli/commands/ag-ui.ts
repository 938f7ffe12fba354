import { fetchWith } from '../../client/node-fetch.ts';
import { parseArguments } from '../arguments.ts';
import { failure, wrongUsage } from '../cli-error.ts';
import type { Command, OptionGroup } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { print } from '../output.ts';
import { CONNECTION_OPTIONS, targetOf, type Target } from '../reader-options.ts';
import { plainText } from '../terminal/plain-text.ts';

const OPTIONS: readonly OptionGroup[] = [
  {
    title: 'Options',
    options: [
      { name: 'port', value: 'N', help: 'where the client finds the agent now (default 0: a free one)' },
      { name: 'agent', value: 'NAME', help: 'what the agent is called in the graph' },
      { name: 'task', value: 'ID', help: 'the task of all runs (default: each run is one)' },
      { name: 'allow-origin', value: 'URL', many: true, help: 'a web page that may use it' },
    ],
  },
  CONNECTION_OPTIONS,
];

/** A refusal, or silence, of the service holds up no client. */
const DELIVERY_TIMEOUT_MS = 30_000;

export const agUi: Command = {
  name: 'ag-ui',
  summary: 'pass on what an agent of AG-UI answers, and send it to a service',
  usage: 'tee URL [options]',
  about: [
    'URL is the endpoint of the agent. Let the client use the address that is printed instead: what the agent answers comes unchanged, and goes to the service besides.',
    'When the service is away the client notices nothing; what was not sent is said. Ctrl-C ends it.',
  ],
  options: OPTIONS,
  examples: [
    {
      line: 'explainability-agent ag-ui tee http://127.0.0.1:8000/agent --port 8001',
      what: 'in front of an agent',
    },
  ],
  run: async (args) => {
    const parsed = parseArguments(OPTIONS, args, 2);
    const [verb, agentUrl] = parsed.positionals;
    if (verb !== 'tee' || agentUrl === undefined)
      throw wrongUsage('say "ag-ui tee URL": the endpoint of an agent');
    const agent = URL.canParse(agentUrl) ? new URL(agentUrl) : undefined;
    if (agent?.protocol !== 'http:' && agent?.protocol !== 'https:')
      throw wrongUsage('URL must be an address like http://127.0.0.1:8000/agent');
    const port = Number(parsed.text('port') ?? 0);
    if (!Number.isInteger(port) || port < 0 || port > 65_535) throw wrongUsage('--port must be 0 to 65535');
    const target = targetOf(parsed);
    const { url } = target;
    const ask = fetchWith(target.tls);
    const names = { agent: parsed.text('agent'), taskId: parsed.text('task') };
    const { startTee } = await import('../../service/ag-ui/tee.ts');
    const tee = await startTee({
      agent,
      port,
      allowedOrigins: parsed.list('allow-origin'),
      deliver: (body, runId) => deliver(ask, target, { ...names, runId }, body),
      onLost: (bytes, error) =>
        process.stderr.write(
          `# ${bytes} bytes were passed on and not sent to ${url}: ${error instanceof Error ? error.message : 'too much at once'}\n`,
        ),
    }).catch((error: unknown) => {
      throw portFailure(port, error);
    });
    await print(`${tee.url} answers as ${agent.href}\n`);
    await new Promise<void>((resolve) => {
      process.once('SIGINT', resolve);
      process.once('SIGTERM', resolve);
    });
    await tee.close();
    return EXIT.ok;
  },
};

function portFailure(port: number, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return failure(
      `port ${port} is in use: stop what uses it, or choose another with --port (0 takes one that is free)`,
    );
  if (code === 'EACCES')
    return failure(`port ${port} may not be opened by this user: choose one above 1023 with --port`);
  return error;
}

interface Names {
  readonly agent: string | undefined;
  readonly taskId: string | undefined;
  readonly runId: string | undefined;
}

async function deliver(ask: typeof fetch, { url, token }: Target, names: Names, body: Buffer): Promise<void> {
  const to = new URL('ag-ui/events', url.endsWith('/') ? url : `${url}/`);
  for (const [name, value] of Object.entries(names))
    if (value !== undefined) to.searchParams.set(name, value as string);
  const response = await ask(to, {
    method: 'POST',
    headers: {
      'content-type': 'text/event-stream',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: new Uint8Array(body),
    redirect: 'error',
    signal: AbortSignal.timeout(DELIVERY_TIMEOUT_MS),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`the service answers with status ${response.status}`);
  }
  const { rejected, errors } = (await response.json()) as {
    readonly rejected: number;
    readonly errors: readonly { readonly message: string }[];
  };
  if (rejected > 0)
    process.stderr.write(
      `# events that were passed on and are refused by ${url}: ${rejected}: ${plainText(errors[0]?.message ?? 'no reason given')}\n`,
    );
}
