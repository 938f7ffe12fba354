import { parseArguments } from '../arguments.ts';
import { wrongUsage } from '../cli-error.ts';
import type { Command, OptionGroup } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { print } from '../output.ts';
import { CONNECTION_OPTIONS, targetOf } from '../reader-options.ts';
import type { Destination } from '../send/post.ts';
import { STDIN, UnreadableFile } from '../send/read-file.ts';
import { sendFile } from '../send/send-file.ts';
import { Tally } from '../send/tally.ts';
import { duration } from '../terminal/figures.ts';
import { plainText } from '../terminal/plain-text.ts';

const DEFAULT_OTLP_URL = 'http://127.0.0.1:4318';
/** As many as a shell passes of a large folder. */
const MAX_FILES = 100_000;

const OPTIONS: readonly OptionGroup[] = [
  {
    title: 'Options',
    options: [
      {
        name: 'otlp-url',
        value: 'URL',
        help: `where traces, logs and metrics go: an OTLP/HTTP receiver (default: ${DEFAULT_OTLP_URL})`,
      },
    ],
  },
  CONNECTION_OPTIONS,
];

export const send: Command = {
  name: 'send',
  summary: 'send telemetry, chain of thought or events from files to a service',
  usage: 'FILE… [options]',
  about: [
    'A file holds one JSON object, an array, or one object a line, as the Collector\'s file exporter writes; "-" is standard input.',
    'What an object is, is told by its content: resourceSpans, resourceLogs, resourceMetrics are OTLP requests; eventType is an event; requestId a chain-of-thought entry.',
    'When the service is full or restarts it waits as long as that asks, a few times. What is refused is named with its line and the reason, and the rest goes on.',
  ],
  options: OPTIONS,
  examples: [
    { line: 'explainability-agent send traces.json', what: "a Collector's file" },
    { line: 'cat thoughts.ndjson | explainability-agent send -', what: 'from another program' },
    {
      line: 'explainability-agent send *.json --otlp-url http://127.0.0.1:4418 --url http://127.0.0.1:9100',
      what: 'to a service on other ports',
    },
  ],
  run: async (args) => {
    const parsed = parseArguments(OPTIONS, args, MAX_FILES);
    const files = parsed.positionals;
    if (files.length === 0) throw wrongUsage('name the files to send; "-" is standard input');
    const { url, token } = targetOf(parsed);
    const to: Destination = {
      readers: baseOf(url, '--url'),
      otlp: baseOf(parsed.text('otlp-url') ?? DEFAULT_OTLP_URL, '--otlp-url'),
      token,
    };
    let isComplete = true;
    for (const file of files) isComplete = (await sendOne(file, to)) && isComplete;
    return isComplete ? EXIT.ok : EXIT.crash;
  },
};

/** @returns whether all of it was taken */
async function sendOne(file: string, to: Destination): Promise<boolean> {
  const name = file === STDIN ? 'standard input' : plainText(file);
  const tell = (text: string): void => void process.stderr.write(`${name}: ${plainText(text)}\n`);
  const tally = new Tally(tell);
  try {
    await sendFile(file, to, tally, {
      onWait: (status, waitMs) => tell(`the service asks to wait (${status}); again in ${duration(waitMs)}`),
    });
  } catch (error) {
    if (tally.hasNews) tell(`until then: ${tally.summary()}`);
    if (!(error instanceof UnreadableFile)) throw error;
    tell(error.message);
    return false;
  }
  await print(`${name}: ${tally.summary()}\n`);
  return !tally.hasRefusals;
}

/** The place of a service, without a slash at the end. */
function baseOf(text: string, option: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === undefined || !isHttp || url.username !== '' || url.search !== '') {
    throw wrongUsage(`${option} must be an address like http://127.0.0.1:9000, without a user or a query`);
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}
