import { wrongUsage } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';
import { print, toJson } from '../output.ts';
import { readerCommand } from '../reader-command.ts';
import { withClient } from '../reader-options.ts';
import { painter, paintLine, wantsColours } from '../terminal/line.ts';
import { whyLines } from '../why-lines.ts';

export const why = readerCommand({
  name: 'why',
  summary: 'say which steps may have caused a failure, and what speaks for it',
  usage: '(NODE_ID | --task ID) [--json]',
  about: [
    'Names up to five steps for different reasons, each with what speaks for it and the way from it to the failure: where to look first, no verdict.',
    'With --task the failed step of that task that is nearest to its root is asked about (an error before a warning), and named.',
  ],
  options: [
    {
      title: 'Options',
      options: [
        { name: 'task', value: 'ID', help: 'where this task failed' },
        { name: 'json', help: 'the answer as JSON' },
      ],
    },
  ],
  examples: [
    { line: 'explainability-agent why req:r1', what: 'why this step failed' },
    { line: 'explainability-agent why --task T012', what: 'why the task went wrong' },
  ],
  maxWords: 1,
  run: async (args, target) => {
    const [nodeId] = args.positionals;
    const taskId = args.text('task');
    if ((nodeId === undefined) === (taskId === undefined)) {
      throw wrongUsage('give either the id of a step or --task; "explainability-agent get" shows the ids');
    }
    const answer = await withClient(target, (client) => client.why(nodeId ?? { taskId: taskId ?? '' }));
    const paint = painter(wantsColours(process.env, process.stdout.isTTY));
    await print(
      args.has('json')
        ? `${toJson(answer, process.stdout.isTTY)}\n`
        : `${whyLines(answer)
            .map((line) => paintLine(line, paint))
            .join('\n')}\n`,
    );
    return EXIT.ok;
  },
});
