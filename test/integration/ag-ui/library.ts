import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What is used of the official packages, which are not installed where types are checked. */
export interface WireEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface HttpAgentOptions {
  readonly url: string;
  readonly threadId?: string;
  readonly initialMessages?: readonly unknown[];
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HttpAgent {
  runAgent(
    input: { readonly runId?: string },
    subscriber: { readonly onEvent: (told: { readonly event: WireEvent }) => void },
  ): Promise<{ readonly newMessages: readonly unknown[] }>;
}

export interface Library {
  readonly HttpAgent: new (options: HttpAgentOptions) => HttpAgent;
  readonly EventEncoder: new (options: { readonly accept: string }) => { encode(event: WireEvent): string };
  readonly EventSchemas: { parse(event: unknown): unknown };
}

/** @param modules the folder in which the packages are installed */
export async function openLibrary(modules: string): Promise<Library> {
  const require = createRequire(join(modules, 'of-the-job.js'));
  const load = async (name: string): Promise<Library> =>
    (await import(pathToFileURL(require.resolve(name)).href)) as Library;
  const client = await load('@ag-ui/client');
  const encoder = await load('@ag-ui/encoder');
  const schemas = await load('@ag-ui/core/schemas');
  return {
    HttpAgent: client.HttpAgent,
    EventEncoder: encoder.EventEncoder,
    EventSchemas: schemas.EventSchemas,
  };
}
