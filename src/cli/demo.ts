import type { ServiceConfig } from '../config/schema.ts';
import { connect } from '../client/node.ts';
import { readersUrl } from '../service/listeners.ts';
import { startService } from '../service/service.ts';
import { createPinoLogger } from '../telemetry/pino-logger.ts';
import { explainFailure, treeOf } from './demo/explain.ts';
import { follow, untilThereIs } from './demo/follow.ts';
import { RUNAWAY_GUARDS, showRunaway } from './demo/runaway.ts';
import { Story } from './demo/story.ts';
import { EXIT } from './exit-codes.ts';
import { loadSettings } from './load-settings.ts';
import { commandLine, curlLine, type PrintedTarget } from './printed-commands.ts';
import { TOKEN_VARIABLE, tlsFiles, tlsOf } from './reader-options.ts';
import { startCells, type Running } from './cells/serve-cells.ts';
import { addressText, printAddresses, stopSignal } from './serve.ts';
import type { Line } from './terminal/line.ts';
import { writtenLines } from './terminal/written-lines.ts';
import { VERSION } from '../base/version.ts';

const TASK = 'create-readme';
/** What the SDK sends last is here long before; a busy machine may be slow. */
const LAST_STEP_TIMEOUT_MS = 10_000;

const RUNAWAY = 'runaway';

/**
 * `demo`: the service, with a story of agents told into it, or with `--runaway` an agent that a guard stops; serves on until a
 * signal comes. Keeps nothing on disk.
 */
export async function demo(argv: readonly string[]): Promise<number> {
  const isRunaway = argv.includes(`--${RUNAWAY}`);
  const settings = loadSettings(
    argv.filter((word) => word !== `--${RUNAWAY}`),
    [RUNAWAY],
  );
  if (!settings) return EXIT.badConfiguration;
  const { guards } = settings.config;
  const config = {
    ...settings.config,
    durability: 'memory' as const,
    logLevel: settings.config.logLevel === 'info' ? ('error' as const) : settings.config.logLevel,
    guards: isRunaway ? RUNAWAY_GUARDS : guards,
  };
  const logger = createPinoLogger({ level: config.logLevel });
  let service: Running;
  try {
    service =
      config.cells === undefined
        ? await startService({ config, env: process.env, version: VERSION, logger })
        : await startCells(config, logger);
  } catch (error) {
    say(`The demo cannot start: ${error instanceof Error ? error.message : 'unknown error'}`);
    return EXIT.crash;
  }
  const stopped = stopSignal();
  printAddresses(service);
  if (isRunaway) return await runaway(service, config, stopped);
  const story = new Story({
    otlpGrpc: otlpGrpcUrl(service),
    taskId: TASK,
    token: tokenOf(config),
    tls: tlsFiles(),
  });
  const abort = new AbortController();
  const shown = show(service, config, story, abort.signal);
  await stopped;
  abort.abort();
  story.stop();
  await shown;
  await service.stop('the demo was stopped');
  return EXIT.ok;
}

/** Serves on until it is told to end; ends by itself where the agent was not stopped. */
async function runaway(service: Running, config: ServiceConfig, stopped: Promise<unknown>): Promise<number> {
  const token = tokenOf(config);
  const base = readersUrl(service.addresses);
  const client = connect({ url: base, ...(token !== undefined && { token }), ...tlsOf(tlsFiles()) });
  const abort = new AbortController();
  void stopped.then(() => abort.abort());
  let code: number = EXIT.ok;
  try {
    await showRunaway({
      client,
      live: client.subscribe({ collapse: 'none' }),
      base,
      token,
      ca: tlsFiles().ca,
      say: (lines) => say(...writtenLines(lines)),
      stopped: abort.signal,
    });
    if (!abort.signal.aborted) say(...goesOn(base), 'Ctrl-C stops it.');
    await stopped;
  } catch (error) {
    if (!abort.signal.aborted) {
      say('', `The agent was not stopped: ${error instanceof Error ? error.message : 'unknown error'}`);
      code = EXIT.crash;
    }
  }
  await client.close();
  await service.stop('the demo is over');
  return code;
}

/** Never rejects; says nothing more once it is stopped. */
async function show(
  service: Running,
  config: ServiceConfig,
  story: Story,
  stopped: AbortSignal,
): Promise<void> {
  const base = readersUrl(service.addresses);
  const token = tokenOf(config);
  const to: PrintedTarget = { url: base, wantsToken: token !== undefined };
  const client = connect({ url: base, ...(token !== undefined && { token }), ...tlsOf(tlsFiles()) });
  const sayLines = (lines: readonly Line[]): void => say(...writtenLines(lines));
  // Whatever it waits for then is over.
  stopped.addEventListener('abort', () => void client.close());
  const live = client.subscribe({ collapse: 'none' });
  say(
    '',
    'Agents work on "Create README.md" (examples/coder-critic: fake models, real OpenTelemetry).',
    'Each line is a live update: + a new step, ~ a step of which more is known now.',
    '',
  );
  follow(live, (line) => sayLines([line]));
  try {
    // Certificates that it does not trust itself are said at once: a subscription goes on trying.
    await client.findTasks({ limit: 1 });
    await live.ready;
    await story.told;
    await untilThereIs(
      live,
      ({ name, state }) => name === 'workflow.create_readme' && state === 'ENDED',
      LAST_STEP_TIMEOUT_MS,
      stopped,
    );
    say('', 'As a graph, routine steps folded:', '');
    sayLines(await treeOf(client, TASK));
    say('');
    sayLines(await explainFailure(client, TASK, to));
  } catch (error) {
    if (!stopped.aborted)
      say('', `The story broke off: ${error instanceof Error ? error.message : 'unknown error'}`);
  }
  await client.close();
  if (stopped.aborted) return;
  say(
    '',
    ...goesOn(base),
    'The same in another terminal:',
    `  ${commandLine(to, 'watch')}`,
    'What failed, and how the service is:',
    `  ${curlLine(to, '/api/graph?status=ERROR')}`,
    `  ${curlLine(to, '/metrics')}`,
    'For an agent of your own:',
    `  export OTEL_EXPORTER_OTLP_ENDPOINT=${otlpGrpcUrl(service)} OTEL_EXPORTER_OTLP_PROTOCOL=grpc`,
    ...(token === undefined ? [] : [`The token stands for $${TOKEN_VARIABLE} there.`]),
    'Ctrl-C stops it.',
  );
}

function goesOn(base: string): readonly string[] {
  return ['The service goes on. The graph in a browser, live:', `  ${base}/`];
}

function otlpGrpcUrl({ addresses: { otlpGrpc, tls } }: Running): string {
  return `${tls.has('otlpGrpc') ? 'https' : 'http'}://${addressText(otlpGrpc)}`;
}

function tokenOf({ auth }: ServiceConfig): string | undefined {
  return typeof auth === 'object' ? auth.token : undefined;
}

function say(...lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}
