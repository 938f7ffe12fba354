import type { Client } from '../../client/client.ts';
import { ClientError } from '../../client/client-error.ts';
import type { WhyAnswer } from '../../model/why.ts';
import { wrongUsage } from '../cli-error.ts';
import { printAnswer, told } from '../output.ts';
import { readerCommand } from '../reader-command.ts';
import { withClient } from '../reader-options.ts';
import { writtenLines } from '../terminal/written-lines.ts';
import { whyLines } from '../why-lines.ts';

export const why = readerCommand({
  name: 'why',
  summary: 'say which steps may have caused a failure, and what speaks for it',
  usage: '(NODE_ID | --task ID) [--json]',
  about: [
    'Names up to five steps for different reasons, each with what speaks for it and the way from it to the failure: where to look first, no verdict.',
    'With --task, or a word that is the id of a task, the failed step of that task that is nearest to its root is asked about (an error before a warning), and named.',
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
    const answer = await withClient(target, async (client) =>
      told(await (nodeId === undefined ? client.why({ taskId: taskId ?? '' }) : whyNamed(client, nodeId))),
    );
    return printAnswer(args, answer, () => writtenLines(whyLines(answer)));
  },
});

/** The other commands take the id of a task as a word: so does this one, where no step has that id. */
async function whyNamed(client: Client, id: string): Promise<WhyAnswer> {
  try {
    return await client.why(id);
  } catch (error) {
    if (!isUnknown(error)) throw error;
    return client.why({ taskId: id }).catch((other: unknown) => {
      throw isUnknown(other) ? error : other;
    });
  }
}

function isUnknown(error: unknown): boolean {
  return error instanceof ClientError && error.code === 'NOT_FOUND';
}
