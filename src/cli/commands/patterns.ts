import { printAnswer, told } from '../output.ts';
import { assertKnownTasks } from '../known-tasks.ts';
import { patternLines } from '../pattern-lines.ts';
import { readerCommand } from '../reader-command.ts';
import { FILTERS_ONLY, filtersOf, withClient } from '../reader-options.ts';

export const patterns = readerCommand({
  name: 'patterns',
  summary: 'what fails, costs or takes most, over many tasks',
  usage: '[FILTERS] [--json]',
  about: [
    "Counts steps, tools, models and agents over the newest tasks. P is Fisher's exact test, corrected for the number of kinds (Benjamini and Hochberg); * marks what is below 0.05. A task counts as failed when a step of it is an ERROR.",
  ],
  options: [{ title: 'Options', options: [{ name: 'json', help: 'the answer as JSON' }] }, FILTERS_ONLY],
  examples: [
    { line: 'explainability-agent patterns', what: 'over all tasks' },
    { line: 'explainability-agent patterns --agent CoderAgent', what: 'of the steps of one agent' },
  ],
  maxWords: 0,
  run: async (args, target) => {
    const filters = filtersOf(args);
    const answer = await withClient(target, async (client) => {
      await assertKnownTasks(client, filters.taskIds);
      return told(await client.patterns(filters));
    });
    return printAnswer(args, answer, () => patternLines(answer));
  },
});
