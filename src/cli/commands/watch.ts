import type { Client } from '../../client/client.ts';
import type { ViewRequest } from '../../client/view-request.ts';
import type { Arguments } from '../arguments.ts';
import { EXIT } from '../exit-codes.ts';
import { readerCommand } from '../reader-command.ts';
import { FILTER_OPTIONS, withClient } from '../reader-options.ts';
import type { IsOver } from '../watch/plain-watch.ts';
import { painter, wantsColours } from '../terminal/line.ts';
import { viewOf } from './get.ts';

export const WATCH_OPTIONS = [
  { name: 'plain', help: 'lines, on a terminal too' },
  { name: 'json', help: 'every change of nodes and edges as a JSON object a line' },
];

export const watch = readerCommand({
  name: 'watch',
  summary: 'follow the graph live',
  usage: '[options]',
  about: [
    'On a terminal: a tree of the steps of each task, with keys (press "?") to open summaries, to read texts, and to ask why.',
    'Else, or with --plain: one line for each change, "+" a new step, "~" a changed one, "-" one that left. With --json one JSON object a line.',
    'When the connection is lost it says so, and goes on where it was as soon as the service is back.',
  ],
  options: [
    {
      title: 'Options',
      options: WATCH_OPTIONS,
    },
    FILTER_OPTIONS,
  ],
  examples: [
    { line: 'explainability-agent watch', what: 'everything, live' },
    { line: 'explainability-agent watch --status ERROR --status WARNING', what: 'what goes wrong' },
    { line: 'explainability-agent watch --task T012 --all', what: 'every step of one task' },
    { line: 'explainability-agent watch | grep TEST_RUN', what: 'in a pipe' },
  ],
  maxWords: 0,
  run: async (args, target) => {
    await withClient(target, async (client) => {
      await assertThere(client);
      await watchView(client, { view: viewOf(args), url: target.url, args });
    });
    return EXIT.ok;
  },
});

interface WatchedView {
  readonly view: ViewRequest;
  readonly url: string;
  readonly args: Arguments;
  /** Of lines: whether nothing more is to come. Absent: as long as the user wants. */
  readonly isOver?: IsOver;
}

/** Follows a view as the terminal and the options (WATCH_OPTIONS) say, until the user ends it. */
export async function watchView(client: Client, { view, url, args, isOver }: WatchedView): Promise<void> {
  const paint = painter(wantsColours(process.env, process.stdout.isTTY));
  const isTerminal = process.stdout.isTTY && process.stdin.isTTY && process.env['TERM'] !== 'dumb';
  if (!isTerminal || args.has('json') || args.has('plain')) {
    const { plainWatch } = await import('../watch/plain-watch.ts');
    return plainWatch({ client, view, json: args.has('json'), paint, isOver });
  }
  const { FullScreen } = await import('../watch/full-screen.ts');
  const { Screen } = await import('../watch/screen.ts');
  const screen = new Screen(process.stdin, process.stdout);
  return new FullScreen({ client, screen, url, view, paint }).run();
}

/** A subscription keeps trying; who mistyped the address wants to hear of it. @throws ClientError */
async function assertThere(client: Client): Promise<void> {
  await client.getGraph({ filters: { taskIds: ['none'] } });
}
