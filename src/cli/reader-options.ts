import type { Client } from '../client/client.ts';
import type { Filters } from '../client/view-request.ts';
import { NODE_STATUSES, NODE_TYPES } from '../model/node.ts';
import type { Arguments } from './arguments.ts';
import { wrongUsage } from './cli-error.ts';
import type { OptionGroup } from './command.ts';

export const DEFAULT_URL = 'http://127.0.0.1:9000';
/** The names of the environment that belong to the reader commands, not to the service's configuration. */
export const URL_VARIABLE = 'EXPLAINABILITY_AGENT_URL';
export const TOKEN_VARIABLE = 'EXPLAINABILITY_AGENT_TOKEN';

export const CONNECTION_OPTIONS: OptionGroup = {
  title: 'Connection',
  options: [
    {
      name: 'url',
      value: 'URL',
      help: `the service's port for readers (default: $${URL_VARIABLE}, else ${DEFAULT_URL})`,
    },
    { name: 'token', value: 'TOKEN', help: `its token, if it wants one (better: $${TOKEN_VARIABLE})` },
  ],
};

export const FILTER_OPTIONS: OptionGroup = {
  title: 'Filters (all must match; an option given several times matches any of its values)',
  options: [
    { name: 'agent', value: 'NAME', many: true, help: 'steps of this agent' },
    { name: 'type', value: 'TYPE', many: true, help: `one of ${NODE_TYPES.join(', ')}` },
    { name: 'status', value: 'STATUS', many: true, help: `one of ${NODE_STATUSES.join(', ')}` },
    { name: 'task', value: 'ID', many: true, help: 'steps of this task' },
    { name: 'trace', value: 'ID', many: true, help: 'steps of this trace' },
    { name: 'text', value: 'TEXT', help: 'found in names, agents, models, prompts and details' },
    { name: 'min-cost', value: 'USD', help: 'steps that cost at least so much' },
    { name: 'all', help: 'every step: routine steps are not folded into summaries' },
    { name: 'archived', help: 'steps that left the memory of the service as well (--all has them, too)' },
  ],
};

export interface Target {
  readonly url: string;
  readonly token: string | undefined;
}

/** Where the service is. Empty variables count as not set. */
export function targetOf(args: Arguments, env: NodeJS.ProcessEnv = process.env): Target {
  return {
    url: args.text('url') ?? (env[URL_VARIABLE] || DEFAULT_URL),
    token: args.text('token') ?? (env[TOKEN_VARIABLE] || undefined),
  };
}

/** Loaded late: it is most of what a command has to load, and `--help` needs none of it. */
export async function openClient({ url, token }: Target): Promise<Client> {
  const { connect } = await import('../client/node.ts');
  return connect({ url, ...(token !== undefined && { token }) });
}

/** Does something with a client and lets go of it in any case. */
export async function withClient<T>(target: Target, use: (client: Client) => Promise<T>): Promise<T> {
  const client = await openClient(target);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** @throws CliError for a value that cannot be */
export function filtersOf(args: Arguments): Filters {
  const minCost = args.text('min-cost');
  const text = args.text('text');
  return {
    ...listed('agentNames', args.list('agent')),
    ...listed(
      'nodeTypes',
      args.list('type').map((value) => oneOf('type', value, NODE_TYPES)),
    ),
    ...listed(
      'status',
      args.list('status').map((value) => oneOf('status', value, NODE_STATUSES)),
    ),
    ...listed('taskIds', args.list('task')),
    ...listed('traceIds', args.list('trace')),
    ...(text !== undefined && { text }),
    ...(minCost !== undefined && { minCostUsd: dollars(minCost) }),
  };
}

function listed<K extends string, T>(key: K, values: readonly T[]): { readonly [key in K]?: readonly T[] } {
  return values.length === 0 ? {} : ({ [key]: values } as { readonly [key in K]: readonly T[] });
}

/** `llm-call` and `LLM_CALL` are one. */
function oneOf<T extends string>(option: string, value: string, known: readonly T[]): T {
  const wanted = value.toUpperCase().replaceAll('-', '_');
  const found = known.find((one) => one === wanted);
  if (found === undefined) throw wrongUsage(`--${option} must be one of ${known.join(', ')}`);
  return found;
}

function dollars(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) {
    throw wrongUsage('--min-cost must be a number of US dollars, such as 0.01');
  }
  return value;
}
