import type { ExplanationNode } from '../model/node.ts';
import { byStartAndId } from '../model/node-order.ts';
import type { TaskOverview } from '../model/task-overview.ts';
import type { Client } from './client.ts';

/** Tasks that left memory are read one by one, the newest first, and no more than these. */
const MAX_TASKS_READ = 20;
const MAX_TASKS_LISTED = 200;

/** Which test is meant. */
export interface WantedTest {
  readonly taskId?: string | undefined;
  /** Found in its name or title, whatever its case. */
  readonly name?: string | undefined;
}

/** "This test": the failed TEST_RUN that began last, in memory before what left it. Rejects with ClientError. */
export async function lastFailedTest(
  client: Client,
  wanted: WantedTest,
): Promise<ExplanationNode | undefined> {
  const { taskId } = wanted;
  const found = await failedTests(client, wanted, taskId, false);
  if (found || taskId !== undefined) return found ?? failedTests(client, wanted, taskId, true);
  const { tasks } = await client.findTasks({ limit: MAX_TASKS_LISTED });
  const likely = tasks.filter(({ types, errors, warnings }) => 'TEST_RUN' in types && errors + warnings > 0);
  for (const task of likely.slice(0, MAX_TASKS_READ)) {
    const archived = await failedTests(client, wanted, task.taskId, true);
    if (archived) return archived;
  }
  return undefined;
}

/** The newest task in which something failed; an error before a warning. Rejects with ClientError. */
export async function lastFailedTask(client: Client): Promise<TaskOverview | undefined> {
  for (const status of ['ERROR', 'WARNING'] as const) {
    const { tasks } = await client.findTasks({ status, limit: 1 });
    if (tasks[0]) return tasks[0];
  }
  return undefined;
}

async function failedTests(
  client: Client,
  { name = '' }: WantedTest,
  taskId: string | undefined,
  isArchived: boolean,
): Promise<ExplanationNode | undefined> {
  const { nodes } = await client.getGraph({
    filters: {
      nodeTypes: ['TEST_RUN'],
      status: ['ERROR', 'WARNING'],
      ...(taskId !== undefined && { taskIds: [taskId] }),
    },
    ...(isArchived && { include: ['archived'] }),
  });
  const wanted = name.toLowerCase();
  const isMeant = (node: ExplanationNode): boolean =>
    node.type === 'TEST_RUN' && `${node.name}\n${node.title}`.toLowerCase().includes(wanted);
  return nodes.filter(isMeant).sort(byStartAndId).at(-1);
}
