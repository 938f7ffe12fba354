import type { TaskSummary } from '../../model/summary.ts';
import { wrongUsage } from '../cli-error.ts';
import { printAnswer, told } from '../output.ts';
import { readerCommand } from '../reader-command.ts';
import { withClient } from '../reader-options.ts';
import type { Line } from '../terminal/line.ts';
import { plainText } from '../terminal/plain-text.ts';
import { writtenLines } from '../terminal/written-lines.ts';

/** Of a sentence about many steps. */
const MAX_IDS = 3;

export const summary = readerCommand({
  name: 'summary',
  summary: 'tell a task in a few sentences',
  usage: 'TASK [--json]',
  about: [
    'What was asked, what happened, what failed and where to look for the cause, what was done about it, what it cost; by rules, from the graph alone.',
  ],
  options: [{ title: 'Options', options: [{ name: 'json', help: 'as JSON, with the ids of all steps' }] }],
  examples: [{ line: 'explainability-agent summary T012', what: 'the task in words' }],
  maxWords: 1,
  run: async (args, target) => {
    const [taskId] = args.positionals;
    if (taskId === undefined) throw wrongUsage('name a task; "explainability-agent tasks" lists them');
    const answer = await withClient(target, async (client) => told(await client.summary(taskId)));
    return printAnswer(args, answer, () => writtenLines(summaryLines(answer)));
  },
});

/** Pure: each sentence with the ids of the steps that it is about. */
export function summaryLines({ sentences }: TaskSummary): readonly Line[] {
  const lines = sentences.flatMap(({ text, nodeIds }): Line[] => {
    const left = nodeIds.length - MAX_IDS;
    const ids = nodeIds.slice(0, MAX_IDS).map((id) => plainText(id));
    return [
      [{ text: plainText(text) }],
      [{ text: `  ${ids.join('  ')}${left > 0 ? `  and ${left} more` : ''}`, style: 'dim' }],
    ];
  });
  if (sentences.every(({ by }) => by === 'rules')) return lines;
  return [...lines, [], [{ text: 'In the words of a model: the steps say what holds.', style: 'dim' }]];
}
