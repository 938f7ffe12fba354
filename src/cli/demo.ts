import { startService, type Service } from '../service/service.ts';
import { createPinoLogger } from '../telemetry/pino-logger.ts';
import { createExporter, playRecording } from './demo/play.ts';
import { follow } from './demo/follow.ts';
import { loadRecording } from './demo/recording.ts';
import { nodeLine, treeLines } from './demo/show.ts';
import { EXIT } from './exit-codes.ts';
import { loadSettings } from './load-settings.ts';
import { printAddresses, stopSignal } from './serve.ts';
import { VERSION } from './version.ts';

const RECORDINGS = new URL('../../test/fixtures/telemetry/', import.meta.url);
const PLAYED = [
  ['ai-sdk-7-genai.otlp.json', 'Vercel AI SDK 7: an agent with a tool, a failing tool, a failing model'],
  ['openinference-langchain.otlp.json', 'LangChain, instrumented by OpenInference'],
  ['ai-sdk-6.otlp.json', 'Vercel AI SDK 6: two steps with a tool, a stream, a failing call'],
  ['openinference-openai.otlp.json', 'OpenAI SDK, instrumented by OpenInference'],
  ['traceloop-workflow.otlp.json', 'a workflow, instrumented by Traceloop'],
] as const;

/** `demo`: the service, with recorded agent runs played into it; serves on until a signal comes. Keeps nothing on disk. */
export async function demo(argv: readonly string[]): Promise<number> {
  const settings = loadSettings(argv);
  if (!settings) return EXIT.badConfiguration;
  const config = { ...settings.config, durability: 'memory' as const };
  const logger = createPinoLogger({ level: config.logLevel === 'info' ? 'warn' : config.logLevel });
  let service: Service;
  try {
    service = await startService({ config, env: process.env, version: VERSION, logger });
  } catch (error) {
    say(`The demo cannot start: ${error instanceof Error ? error.message : 'unknown error'}`);
    return EXIT.crash;
  }
  printAddresses(service);
  const stopped = stopSignal();
  const played = play(service);
  const first = await Promise.race([stopped, played]);
  if (first === undefined) await stopped;
  await service.stop('the demo was stopped');
  return EXIT.ok;
}

async function play(service: Service): Promise<undefined> {
  const { otlpGrpc, readers } = service.addresses;
  const base = `${readers.host}:${readers.port}`;
  say(
    '',
    'Playing recorded runs of real SDKs through the OpenTelemetry exporter; each line is a live update.',
  );
  const follower = await follow(`ws://${base}/explain`, (node, isNew) =>
    say(`${isNew ? '+' : '~'} ${nodeLine(node)}`),
  );
  const exporter = createExporter(otlpGrpc.host, otlpGrpc.port);
  for (const [file, title] of PLAYED) {
    say('', `▶ ${title}`);
    const traceIds = await playRecording(await loadRecording(new URL(file, RECORDINGS)), exporter);
    // The last update is on its way for as long as changes are collected.
    await new Promise((resolve) => setTimeout(resolve, 100));
    say('  as a graph:', ...treeLines(follower.graph(), new Set(traceIds)));
  }
  follower.close();
  await exporter.shutdown();
  say(
    '',
    'That was all; the service goes on. Where to look:',
    `  http://${base}/                           the graph in a browser, live`,
    `  curl http://${base}/api/graph             the graph, routine steps folded`,
    `  curl 'http://${base}/api/graph?status=ERROR&collapse=none'`,
    `  curl http://${base}/metrics`,
    `  OTEL_EXPORTER_OTLP_ENDPOINT=http://${otlpGrpc.host}:${otlpGrpc.port}   for your own agent`,
    'Ctrl-C stops it.',
  );
  return undefined;
}

function say(...lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}
