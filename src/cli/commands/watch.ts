import type { Client } from '../../client/client.ts';
import { EXIT } from '../exit-codes.ts';
import { readerCommand } from '../reader-command.ts';
import { FILTER_OPTIONS, withClient } from '../reader-options.ts';
import { painter, wantsColours } from '../terminal/line.ts';
import { viewOf } from './get.ts';

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
      options: [
        { name: 'plain', help: 'lines, on a terminal too' },
        { name: 'json', help: 'every change of nodes and edges as a JSON object a line' },
      ],
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
    const view = viewOf(args);
    const paint = painter(wantsColours(process.env, process.stdout.isTTY));
    const isTerminal = process.stdout.isTTY && process.stdin.isTTY && process.env['TERM'] !== 'dumb';
    await withClient(target, async (client) => {
      await assertThere(client);
      if (!isTerminal || args.has('json') || args.has('plain')) {
        const { plainWatch } = await import('../watch/plain-watch.ts');
        return plainWatch({ client, view, json: args.has('json'), paint });
      }
      const { FullScreen } = await import('../watch/full-screen.ts');
      const { Screen } = await import('../watch/screen.ts');
      const screen = new Screen(process.stdin, process.stdout);
      return new FullScreen({ client, screen, url: target.url, view, paint }).run();
    });
    return EXIT.ok;
  },
});

/** A subscription keeps trying; who mistyped the address wants to hear of it. @throws ClientError */
async function assertThere(client: Client): Promise<void> {
  await client.getGraph({ filters: { taskIds: ['none'] } });
}
