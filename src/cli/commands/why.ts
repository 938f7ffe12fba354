import type { Client } from '../../client/client.ts';
import { endOf, hasFailed } from '../../model/failure.ts';
import type { ExplanationNode } from '../../model/node.ts';
import { failure, wrongUsage } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';
import { print, toJson } from '../output.ts';
import { PROGRAM } from '../program.ts';
import { readerCommand } from '../reader-command.ts';
import { withClient } from '../reader-options.ts';
import { painter, paintLine, wantsColours } from '../terminal/line.ts';
import { plainText } from '../terminal/plain-text.ts';
import { whyLines } from '../why-lines.ts';

export const why = readerCommand({
  name: 'why',
  summary: 'say which steps may have caused a failure, and what speaks for it',
  usage: '(NODE_ID | --task ID) [--json]',
  about: [
    'Names candidates by stated rules, the strongest first, each with the way from it to the failure: where to look first, no verdict.',
    'With --task the step of that task that failed last is asked about (an error before a warning), and named.',
  ],
  options: [
    {
      title: 'Options',
      options: [
        { name: 'task', value: 'ID', help: 'the last failure of this task' },
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
    const answer = await withClient(target, async (client) => {
      const asked = nodeId ?? (await lastFailureOf(client, taskId ?? ''));
      if (nodeId === undefined) process.stderr.write(`asking about ${plainText(asked)}, which failed last\n`);
      return client.why(asked);
    });
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

async function lastFailureOf(client: Client, taskId: string): Promise<string> {
  const { nodes } = await client.getGraph({ filters: { taskIds: [taskId] }, collapse: 'none' });
  if (nodes.length === 0) throw failure(`There is no such task: "${PROGRAM} tasks" lists them.`);
  const found = lastFailure(nodes);
  if (found === undefined) throw failure('No step of this task failed.');
  return found.id;
}

/** The step that failed last, an error before a warning; of several that ended at once the one with the least id. */
export function lastFailure(nodes: readonly ExplanationNode[]): ExplanationNode | undefined {
  const failed = nodes.filter(hasFailed);
  const errors = failed.filter((node) => node.status === 'ERROR');
  return (errors.length > 0 ? errors : failed).sort(
    (a, b) => endOf(b) - endOf(a) || (a.id < b.id ? -1 : 1),
  )[0];
}
