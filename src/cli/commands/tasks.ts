import type { TaskOverview } from '../../model/task-overview.ts';
import { clip } from '../../model/one-line.ts';
import { TASK_SORTS, TASK_STATUSES, taskQuerySchema, type TaskQuery } from '../../model/task-query.ts';
import type { Client } from '../../client/client.ts';
import type { Arguments } from '../arguments.ts';
import { wrongUsage } from '../cli-error.ts';
import { assertKnownTasks } from '../known-tasks.ts';
import { printAnswer, told } from '../output.ts';
import { readerCommand } from '../reader-command.ts';
import { withClient } from '../reader-options.ts';
import { dollars, tokens } from '../../model/figures.ts';
import { cutInTheMiddle, cutToWidth, plainText } from '../terminal/plain-text.ts';
import { tableLines } from '../terminal/table.ts';

const HEADS = ['TASK', 'TITLE', 'NODES', 'ERRORS', 'RUNNING', 'TOKENS', 'COST', 'LAST', 'AGENTS'];
const FIGURES: ReadonlySet<number> = new Set([2, 3, 4, 5, 6]);

/** Of a title in the table; with --json all of it is there. */
const MAX_TITLE_CHARS = 60;
/** Of an id and of the names of agents in a table on a terminal, in cells: a UUID and a trace are whole. */
const MAX_ID_WIDTH = 40;
const MAX_AGENTS_WIDTH = 80;

export const tasks = readerCommand({
  name: 'tasks',
  summary: 'list the tasks',
  usage: '[--text TEXT] [--status STATUS] [--sort ORDER] [--limit N] [--json]',
  about: [],
  options: [
    {
      title: 'Options (all that is given must match)',
      options: [
        { name: 'text', value: 'TEXT', help: 'found in titles, ids, agents, sessions or users' },
        { name: 'agent', value: 'NAME', help: 'tasks that this agent took part in' },
        { name: 'status', value: 'STATUS', help: `one of ${TASK_STATUSES.join(', ')}` },
        { name: 'session', value: 'ID', help: 'tasks of this session' },
        { name: 'user', value: 'ID', help: 'tasks of this user' },
        { name: 'task', value: 'ID', many: true, help: 'this task; may be given several times' },
        { name: 'sort', value: 'ORDER', help: `one of ${TASK_SORTS.join(', ')} (default: newest)` },
        { name: 'limit', value: 'N', help: 'at most so many, 1 to 1000 (default: all)' },
        { name: 'json', help: 'as JSON' },
      ],
    },
  ],
  examples: [
    { line: 'explainability-agent tasks', what: 'what there is' },
    { line: 'explainability-agent tasks --status ERROR --sort cost', what: 'what failed, the dearest first' },
  ],
  maxWords: 0,
  run: async (args, target) => {
    const query = queryOf(args);
    const list = await withClient(target, async (client) => {
      const found = await tasksOf(client, query, args.has('limit'));
      if (found.length === 0) await assertKnownTasks(client, query.taskIds);
      return found;
    });
    const wanted = { ...query, sort: undefined, limit: undefined };
    const isFiltered = Object.values(wanted).some((value) => value !== undefined);
    return printAnswer(args, list, () =>
      list.length === 0 && isFiltered ? ['No task fits.'] : taskTable(list, process.stdout.isTTY),
    );
  },
});

/** @throws CliError for a value that cannot be */
function queryOf(args: Arguments): TaskQuery {
  const limit = args.text('limit');
  const { data, error } = taskQuerySchema.partial().safeParse({
    text: args.text('text'),
    agent: args.text('agent'),
    status: args.text('status')?.toUpperCase(),
    sessionId: args.text('session'),
    userId: args.text('user'),
    taskIds: args.has('task') ? args.list('task') : undefined,
    sort: args.text('sort'),
    limit: limit === undefined ? undefined : Number(limit),
  });
  const [issue] = error?.issues ?? [];
  if (!data) throw wrongUsage(`--${String(issue?.path[0])} ${issue?.message ?? ''}`);
  return data;
}

/** What any page lacks is said once. @param isLimited one page of them is enough */
async function tasksOf(
  client: Client,
  query: TaskQuery,
  isLimited: boolean,
): Promise<readonly TaskOverview[]> {
  const found: TaskOverview[] = [];
  const notices = new Set<string>();
  for (let cursor: string | undefined; ;) {
    const page = await client.findTasks({ ...query, cursor });
    found.push(...page.tasks);
    for (const notice of page.notices ?? []) notices.add(notice);
    cursor = page.nextCursor;
    if (cursor === undefined || isLimited) break;
  }
  told({ notices: [...notices] });
  return found;
}

function runningOf({ running, waiting }: TaskOverview): string {
  return waiting === undefined ? String(running) : `${running}, ${waiting} waiting`;
}

/** Pure: the tasks as lines of text; for programs that read a pipe with whole ids. */
export function taskTable(list: readonly TaskOverview[], isOnTerminal: boolean): readonly string[] {
  if (list.length === 0) return ['There are no tasks yet.'];
  const rows = list.map((task) => {
    const [id, agents] = [plainText(task.taskId), plainText(task.agents.join(', '))];
    return [
      isOnTerminal ? cutInTheMiddle(id, MAX_ID_WIDTH) : id,
      plainText(clip(task.title, MAX_TITLE_CHARS)),
      String(task.nodes),
      String(task.errors),
      runningOf(task),
      tokens(task.tokensIn, task.tokensOut),
      task.costUsd === undefined ? '' : dollars(task.costUsd),
      task.lastTimestamp,
      isOnTerminal ? cutToWidth(agents, MAX_AGENTS_WIDTH) : agents,
    ];
  });
  if (list.every(({ cells }) => cells === undefined)) return tableLines([HEADS, ...rows], FIGURES);
  const withCells = rows.map((row, index) => [...row, plainText((list[index]?.cells ?? []).join(', '))]);
  return tableLines([[...HEADS, 'CELLS'], ...withCells], FIGURES);
}
