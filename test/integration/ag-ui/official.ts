import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { WireEvent } from '../../support/ag-ui-verifier.ts';

/** What is used of the official packages, which are not installed where types are checked. */
export interface Message {
  readonly id: string;
  readonly role: string;
  readonly content?: unknown;
  readonly toolCalls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly metadata?: { readonly explain?: { readonly id?: string } };
  readonly [field: string]: unknown;
}

export interface HttpAgent {
  runAgent(
    parameters: { readonly runId: string },
    subscriber: { readonly onEvent: (told: { readonly event: WireEvent }) => void },
  ): Promise<{ readonly newMessages: readonly Message[] }>;
  abortRun(): void;
}

interface Stream {
  pipe(...operators: readonly unknown[]): Stream;
  subscribe(observer: {
    readonly next: (event: WireEvent) => void;
    readonly error: (error: unknown) => void;
    readonly complete: () => void;
  }): unknown;
}

export interface Official {
  readonly HttpAgent: new (options: {
    readonly url: string;
    readonly threadId: string;
    readonly fetch?: typeof fetch;
  }) => HttpAgent;
  readonly EventSchemas: { parse(event: unknown): unknown };
  readonly decode: (bytes: Uint8Array) => WireEvent;
  readonly encode: (event: WireEvent) => Uint8Array;
  /** Its stages over a list of events. @throws what they say of an event that may not stand there */
  judge(events: readonly WireEvent[]): readonly WireEvent[];
}

/** @param modules a `node_modules` */
export async function official(modules: string): Promise<Official> {
  const require = createRequire(join(modules, 'x.js'));
  const load = async <T>(name: string): Promise<T> =>
    (await import(pathToFileURL(require.resolve(name)).href)) as T;
  const client = await load<
    Pick<Official, 'HttpAgent'> &
      Readonly<Record<'enforceEvents' | 'transformChunks' | 'verifyEvents', (debug: boolean) => unknown>>
  >('@ag-ui/client');
  const { EventSchemas } = await load<Pick<Official, 'EventSchemas'>>('@ag-ui/core/schemas');
  const { decode, encode } = await load<Pick<Official, 'decode' | 'encode'>>('@ag-ui/proto');
  const { from } = await load<{ readonly from: (items: readonly unknown[]) => Stream }>('rxjs');
  const judge = (events: readonly WireEvent[]): readonly WireEvent[] => {
    const out: WireEvent[] = [];
    let failure: unknown;
    from(events)
      .pipe(client.enforceEvents(false), client.transformChunks(false), client.verifyEvents(false))
      .subscribe({
        next: (event) => out.push(event),
        error: (error) => (failure = error),
        complete: () => undefined,
      });
    if (failure !== undefined) throw failure;
    return out;
  };
  return { HttpAgent: client.HttpAgent, EventSchemas, decode, encode, judge };
}

/** Does something during which the official packages must find nothing to warn of: what they drop, they drop with a warning. */
export async function withoutWarnings<T>(act: () => Promise<T>): Promise<T> {
  const { warn } = console;
  const warnings: string[] = [];
  console.warn = (...words: readonly unknown[]) => void warnings.push(words.map(String).join(' '));
  try {
    const result = await act();
    if (warnings.length > 0) throw new Error(`warnings: ${warnings.slice(0, 3).join('\n')}`);
    return result;
  } finally {
    console.warn = warn;
  }
}
