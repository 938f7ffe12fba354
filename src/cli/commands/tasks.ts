import type { TaskOverview } from '../../model/reader-messages.ts';
import { EXIT } from '../exit-codes.ts';
import { print, toJson } from '../output.ts';
import { readerCommand } from '../reader-command.ts';
import { withClient } from '../reader-options.ts';
import { dollars, tokens } from '../terminal/figures.ts';
import { plainText } from '../terminal/plain-text.ts';
import { tableLines } from '../terminal/table.ts';

const HEADS = ['TASK', 'NODES', 'ERRORS', 'RUNNING', 'TOKENS', 'COST', 'LAST', 'AGENTS'] as const;
const FIGURES: ReadonlySet<number> = new Set([1, 2, 3, 4, 5]);

export const tasks = readerCommand({
  name: 'tasks',
  summary: 'list the tasks',
  usage: '[--json]',
  about: [],
  options: [{ title: 'Options', options: [{ name: 'json', help: 'as JSON' }] }],
  examples: [{ line: 'explainability-agent tasks', what: 'what there is' }],
  maxWords: 0,
  run: async (args, target) => {
    const list = await withClient(target, async (client) => client.listTasks());
    await print(
      args.has('json') ? `${toJson(list, process.stdout.isTTY)}\n` : `${taskTable(list).join('\n')}\n`,
    );
    return EXIT.ok;
  },
});

/** Pure: the tasks as lines of text. */
export function taskTable(list: readonly TaskOverview[]): readonly string[] {
  if (list.length === 0) return ['There are no tasks yet.'];
  const rows = list.map((task) => [
    plainText(task.taskId),
    String(task.nodes),
    String(task.errors),
    String(task.running),
    tokens(task.tokensIn, task.tokensOut),
    task.costUsd === undefined ? '' : dollars(task.costUsd),
    task.lastTimestamp,
    plainText(task.agents.join(', ')),
  ]);
  return tableLines([HEADS, ...rows], FIGURES);
}
