import type { ReplayStarted } from '../../model/replay.ts';
import { askHttp } from '../ask-http.ts';
import { wrongUsage } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';
import { readerCommand } from '../reader-command.ts';
import { withClient } from '../reader-options.ts';
import { plainText } from '../terminal/plain-text.ts';
import { WATCH_OPTIONS, watchView } from './watch.ts';

export const replay = readerCommand({
  name: 'replay',
  summary: 'play a stored task again, live',
  usage: 'TASK [--speed N] [options]',
  about: [
    'The task is played into a task of its own, TASK~replay-1 and so on: each step begins and ends when it did, and thoughts come by pieces. Its nodes name the recorded task (replayOf).',
    'On a terminal it is shown as by "watch"; else there is a line for each change, until all is played.',
  ],
  options: [
    {
      title: 'Options',
      options: [
        {
          name: 'speed',
          value: 'N',
          help: '1 as recorded (default), 10 ten times as fast, 0 at once',
        },
        ...WATCH_OPTIONS,
      ],
    },
  ],
  examples: [
    { line: 'explainability-agent replay T012', what: 'as it was' },
    { line: 'explainability-agent replay T012 --speed 20', what: 'twenty times as fast' },
  ],
  maxWords: 1,
  run: async (args, target) => {
    const [task] = args.positionals;
    if (task === undefined) throw wrongUsage('say which task: its id ("tasks" lists them)');
    const speed = speedOf(args.text('speed'));
    const request = { taskId: task, speed };
    const started = await askHttp<ReplayStarted>(target, 'POST', '/api/replay', request);
    process.stderr.write(`# ${plainText(started.replayOf)} is played as ${plainText(started.taskId)}\n`);
    await withClient(target, (client) =>
      watchView(client, {
        view: { filters: { taskIds: [started.taskId] }, collapse: 'none' },
        url: target.url,
        args,
        isOver: (nodes) => nodes.length >= started.steps && nodes.every(({ state }) => state !== 'RUNNING'),
      }),
    );
    return EXIT.ok;
  },
});

function speedOf(text = '1'): number {
  const speed = text.trim() === '' ? NaN : Number(text);
  if (Number.isFinite(speed)) return speed;
  throw wrongUsage('--speed must be a number: 1 as recorded, 10 ten times as fast, 0 at once');
}
