import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { Child, within } from '../steps/child.ts';
import { jsonSpan, sendSpans } from '../steps/otlp.ts';
import { FREE_PORTS, serve, type Served } from '../steps/serve.ts';
import { COMMAND } from './install.ts';

interface Graph {
  readonly nodes: readonly { readonly id: string }[];
  readonly edges: readonly { readonly id: string }[];
}

export interface RestartOptions {
  readonly app: string;
  readonly env: NodeJS.ProcessEnv;
  readonly dataDir: string;
  /** How the program reaches the readers' port: `http` for WebSocket, `grpc` for gRPC. */
  readonly scheme: 'http' | 'grpc';
  /** What was started, for whoever cleans up. */
  readonly started: { kill(): void }[];
}

/** Reconnecting waits, with growing pauses, and a busy machine. */
const FOLLOW_TIMEOUT_MS = 60_000;

/**
 * A program with only the package installed follows the graph of a service that is stopped and started again,
 * and in the end holds what the service answers.
 */
export async function followThroughRestart(options: RestartOptions): Promise<void> {
  const { app, env, dataDir, scheme, started } = options;
  const start = async (ports: readonly string[]): Promise<Served> => {
    const args = ['serve', ...ports, '--data-dir', dataDir];
    const served = await serve(COMMAND, args, { cwd: app, env });
    started.push(served.child);
    return served;
  };
  const first = await start(FREE_PORTS);
  const program = new Child('node', ['follow.mjs', `${scheme}://${first.readers}`], { cwd: app, env });
  started.push(program);
  await program.prints(/^graph .*$/m);

  await sendSpans(first.otlpHttp, [jsonSpan('run', 'root'), jsonSpan('run', 'before', 'root')]);
  await untilSame(program, first, 2);

  assert.equal(await first.child.stop(), 0, first.child.stderr);
  await within(FOLLOW_TIMEOUT_MS, 'the program sees that the service is gone', () =>
    statesOf(program).at(-1) === 'live' ? undefined : true,
  );
  const again = await start(
    ['--port', first.readers, '--otlp-grpc-port', first.otlpGrpc, '--otlp-http-port', first.otlpHttp].map(
      portOf,
    ),
  );
  await sendSpans(again.otlpHttp, [jsonSpan('run', 'after', 'before'), jsonSpan('another', 'root')]);
  await untilSame(program, again, 4);
  // What was asked before the service had forgotten the subscription may still be on its way.
  await within(FOLLOW_TIMEOUT_MS, 'the program says that it is live again', () =>
    statesOf(program).at(-1) === 'live' ? true : undefined,
  );
  assert.equal(await program.stop(), 0, program.stderr);
  assert.equal(await again.child.stop(), 0, again.child.stderr);
}

/** A flag as it is, of an address its port. */
function portOf(text: string): string {
  return text.startsWith('--') ? text : text.slice(text.lastIndexOf(':') + 1);
}

async function untilSame(program: Child, { readers }: Served, nodes: number): Promise<void> {
  await within(FOLLOW_TIMEOUT_MS, `the program holds the ${nodes} nodes of the service`, async () => {
    const graph = sorted((await (await fetch(`http://${readers}/api/graph?collapse=none`)).json()) as Graph);
    return graph.nodes.length === nodes && isDeepStrictEqual(graphOf(program), graph) ? true : undefined;
  });
}

function graphOf(program: Child): Graph | undefined {
  const line = program.stdout.split('\n').findLast((text) => text.startsWith('graph ') && text.endsWith('}'));
  return line === undefined ? undefined : (JSON.parse(line.slice('graph '.length)) as Graph);
}

function statesOf(program: Child): string[] {
  return [...program.stdout.matchAll(/^state (\w+)$/gm)].map(([, state = '']) => state);
}

function sorted({ nodes, edges }: Graph): Graph {
  const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);
  return { nodes: nodes.toSorted(byId), edges: edges.toSorted(byId) };
}
