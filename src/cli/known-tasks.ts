import type { Client } from '../client/client.ts';
import type { TaskOverview } from '../model/task-overview.ts';
import { failure } from './cli-error.ts';
import { PROGRAM } from './program.ts';
import { plainText } from './terminal/plain-text.ts';

/**
 * A filter that nothing fits gives an empty answer; a task that nobody knows is mostly a slip of the hand.
 * @param seen tasks that are known, as the answer has steps of them
 * @returns the overviews of those that are not in it
 * @throws CliError that names those that nobody knows
 */
export async function assertKnownTasks(
  client: Client,
  taskIds: readonly string[] = [],
  seen: Iterable<string> = [],
): Promise<readonly TaskOverview[]> {
  const inAnswer = new Set(seen);
  const unseen = taskIds.filter((taskId) => !inAnswer.has(taskId));
  if (unseen.length === 0) return [];
  const { tasks } = await client.findTasks({ taskIds: unseen });
  const known = new Set(tasks.map(({ taskId }) => taskId));
  const unknown = unseen.filter((taskId) => !known.has(taskId));
  if (unknown.length === 0) return tasks;
  throw failure(`no task ${plainText(unknown.join(', '))} is known ("${PROGRAM} tasks" lists them)`);
}
