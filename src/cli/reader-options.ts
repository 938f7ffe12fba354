import { readFileSync, statSync } from 'node:fs';
import type { Client } from '../client/client.ts';
import type { ClientTls } from '../client/node-fetch.ts';
import { FILTER_PARAMETERS, filtersOfTexts, type Filters } from '../model/filters.ts';
import type { Arguments } from './arguments.ts';
import { failure, wrongUsage } from './cli-error.ts';
import type { OptionGroup } from './command.ts';
import { plainText } from './terminal/plain-text.ts';

export const DEFAULT_URL = 'http://127.0.0.1:9000';
/** The names of the environment that belong to the reader commands, not to the service's configuration. */
export const URL_VARIABLE = 'EXPLAINABILITY_AGENT_URL';
export const TOKEN_VARIABLE = 'EXPLAINABILITY_AGENT_TOKEN';
const TLS_VARIABLES = {
  ca: 'EXPLAINABILITY_AGENT_CA',
  cert: 'EXPLAINABILITY_AGENT_CERT',
  key: 'EXPLAINABILITY_AGENT_KEY',
} as const;
export const READER_VARIABLES: ReadonlySet<string> = new Set([
  URL_VARIABLE,
  TOKEN_VARIABLE,
  ...Object.values(TLS_VARIABLES),
]);
/** Certificates are some thousand characters. */
const MAX_PEM_BYTES = 1024 * 1024;

export const CONNECTION_OPTIONS: OptionGroup = {
  title: 'Connection',
  options: [
    {
      name: 'url',
      value: 'URL',
      help: `the service's port for readers (default: $${URL_VARIABLE}, else ${DEFAULT_URL})`,
    },
    { name: 'token', value: 'TOKEN', help: `its token, if it wants one (better: $${TOKEN_VARIABLE})` },
    {
      name: 'ca',
      value: 'FILE',
      help: `over TLS: who signs its certificate, if no authority that Node knows does (or $${TLS_VARIABLES.ca})`,
    },
    {
      name: 'cert',
      value: 'FILE',
      help: `over TLS: your own certificate, if it asks for one (or $${TLS_VARIABLES.cert})`,
    },
    { name: 'key', value: 'FILE', help: `the key of that certificate (or $${TLS_VARIABLES.key})` },
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
  readonly tls?: ClientTls;
}

/** Where the service is. Empty variables count as not set. @throws CliError for a file that cannot be used */
export function targetOf(args: Arguments, env: NodeJS.ProcessEnv = process.env): Target {
  return {
    url: args.text('url') ?? (env[URL_VARIABLE] || DEFAULT_URL),
    token: args.text('token') ?? (env[TOKEN_VARIABLE] || undefined),
    ...tlsOf(tlsFiles(env, args)),
  };
}

/** Paths of the files that a reader has for TLS. */
export interface TlsFilesOfReader {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export function tlsFiles(env: NodeJS.ProcessEnv = process.env, args?: Arguments): TlsFilesOfReader {
  const files: { ca?: string; cert?: string; key?: string } = {};
  for (const name of ['ca', 'cert', 'key'] as const) {
    const path = args?.text(name) ?? (env[TLS_VARIABLES[name]] || undefined);
    if (path !== undefined) files[name] = path;
  }
  return files;
}

/** What they hold. @throws CliError */
export function tlsOf(files: TlsFilesOfReader): { readonly tls?: ClientTls } {
  const tls = Object.fromEntries(
    Object.entries(files).map(([name, path]) => [name, pemOf(path, `--${name}`)] as const),
  );
  if ('cert' in tls !== 'key' in tls)
    throw wrongUsage('--cert and --key belong together: give both, or neither');
  return Object.keys(tls).length === 0 ? {} : { tls };
}

function pemOf(path: string, option: string): string {
  let text: string;
  try {
    const { size } = statSync(path);
    if (size > MAX_PEM_BYTES) throw Object.assign(new Error('too large'), { code: 'EFBIG' });
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw failure(`${option}: ${plainText(path)} cannot be read (${code})`);
  }
  if (text.includes('-----BEGIN ')) return text;
  throw failure(`${option}: ${plainText(path)} is not in PEM form ("-----BEGIN …-----")`);
}

/** Loaded late: it is most of what a command has to load, and `--help` needs none of it. */
export async function openClient({ url, token, tls }: Target): Promise<Client> {
  const { connect } = await import('../client/node.ts');
  return connect({ url, ...(token !== undefined && { token }), ...(tls !== undefined && { tls }) });
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
