import { stat } from 'node:fs/promises';
import { parseArguments } from '../arguments.ts';
import { wrongUsage } from '../cli-error.ts';
import type { Command, OptionGroup } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { print } from '../output.ts';
import { CONNECTION_OPTIONS, targetOf } from '../reader-options.ts';
import { PROGRAM, quoted } from '../program.ts';
import { LOST_LIMIT_MS, LostService, Post, type Destination } from '../send/post.ts';
import { Progress } from '../send/progress.ts';
import { STDIN, UnreadableFile } from '../send/read-file.ts';
import { reasonOf, sendFile } from '../send/send-file.ts';
import { Tally } from '../send/tally.ts';
import { duration } from '../../model/figures.ts';
import { plainText } from '../terminal/plain-text.ts';

/** As many as a shell passes of a large folder. */
const MAX_FILES = 100_000;

const OPTIONS: readonly OptionGroup[] = [
  {
    title: 'Options',
    options: [
      {
        name: 'otlp-url',
        value: 'URL',
        help: "an OTLP/HTTP receiver for traces, logs and metrics, if they are not to go to the service's port for readers as well",
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
    "What an object is, is told by its content: resourceSpans, resourceLogs, resourceMetrics are OTLP requests; eventType is an event; requestId a chain-of-thought entry; a type such as RUN_STARTED an event of AG-UI (also as server-sent events, as an agent answers); conversations or runs a session of ThoughtFlow, and a type such as step.started a line of its event log; a kind such as reasoning/start a message of MEW, also in a gateway's envelope-history.jsonl.",
    `When the service is full it waits as long as that asks, a few times; when it goes away, at most ${duration(LOST_LIMIT_MS)}. What is refused is named with its line and the reason, and the rest goes on.`,
  ],
  options: OPTIONS,
  examples: [
    { line: 'explainability-agent send traces.json', what: "a Collector's file" },
    { line: 'cat thoughts.ndjson | explainability-agent send -', what: 'from another program' },
    {
      line: 'explainability-agent send *.json --url http://127.0.0.1:9100',
      what: 'to a service on another port',
    },
  ],
  run: async (args) => {
    const parsed = parseArguments(OPTIONS, args, MAX_FILES);
    const files = parsed.positionals;
    if (files.length === 0) throw wrongUsage('name the files to send; "-" is standard input');
    const { url, token, tls } = targetOf(parsed);
    const otlpUrl = parsed.text('otlp-url');
    const to: Destination = {
      readers: baseOf(url, '--url'),
      otlp: otlpUrl === undefined ? undefined : baseOf(otlpUrl, '--otlp-url'),
      token,
      tls,
    };
    let progress = new Progress('', undefined);
    const post = new Post(to, {
      onWait: (answer, waitMs) =>
        progress.tell(`${plainText(reasonOf(answer))}; again in ${duration(waitMs)}`),
      onLost: () => progress.tell(`the service is gone; trying again for ${duration(LOST_LIMIT_MS)}`),
      onBack: () => progress.tell('the service is back; going on'),
    });
    const rest = ['url', 'otlp-url', 'ca', 'cert', 'key'].flatMap((name) => {
      const value = parsed.text(name);
      return value === undefined ? [] : [`--${name}`, quoted(value)];
    });
    let isComplete = true;
    for (const file of files) {
      const size = await stat(file).then(
        (found) => found.size,
        () => undefined,
      );
      progress = new Progress(file === STDIN ? 'standard input' : file, size);
      isComplete = (await sendOne(file, post, progress, rest)) && isComplete;
    }
    return isComplete ? EXIT.ok : EXIT.crash;
  },
};

/**
 * @param addresses the options that name the service
 * @returns whether all of it was taken
 */
async function sendOne(
  file: string,
  post: Post,
  progress: Progress,
  addresses: readonly string[],
): Promise<boolean> {
  const tally = new Tally((reason) => progress.tell(reason));
  try {
    await sendFile(file, post, tally, (n) => progress.advance(n, () => tally.summary()));
  } catch (error) {
    if (tally.hasNews) progress.tell(`until then: ${tally.summary()}`);
    if (error instanceof LostService) {
      progress.tell(
        `nothing is known of what begins on line ${tally.line}. ${howToGoOn(file, tally.line, addresses)}`,
      );
    }
    if (!(error instanceof UnreadableFile)) throw error;
    progress.tell(error.message);
    return false;
  } finally {
    progress.clear();
  }
  await print(`${file === STDIN ? 'standard input' : plainText(file)}: ${tally.summary()}\n`);
  return !tally.hasRefusals;
}

function howToGoOn(file: string, line: number, addresses: readonly string[]): string {
  const again = 'When the service is there, send all of it again: what it has it does not take twice.';
  if (file === STDIN) return again;
  const rest = ['tail', '-n', `+${line}`, quoted(file), '|', PROGRAM, 'send', '-', ...addresses].join(' ');
  return `${again} Or the rest, where each line is an object: ${rest}`;
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
