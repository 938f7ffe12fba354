import type { Client } from '../client/client.ts';
import { FILTER_PARAMETERS, filtersOfTexts, type Filters } from '../model/filters.ts';
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

export const FILTERS_ONLY: OptionGroup = {
  title: 'Filters (all must match; given several times, any of the values; in brackets the name in the API)',
  options: FILTER_PARAMETERS.map(({ query, option }) => ({ ...option, help: `${option.help} [${query}]` })),
};

export const FILTER_OPTIONS: OptionGroup = {
  title: FILTERS_ONLY.title,
  options: [
    ...FILTERS_ONLY.options,
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
  return filtersOfTexts(
    ({ option }) => {
      const given = args.list(option.name);
      return given.length === 0 ? undefined : given;
    },
    ({ option }, problem) => wrongUsage(`--${option.name} ${problem}`),
  );
}
