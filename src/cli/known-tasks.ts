import type { Client } from '../client/client.ts';
import { failure } from './cli-error.ts';
import { PROGRAM } from './program.ts';
import { plainText } from './terminal/plain-text.ts';

/**
 * A filter that nothing fits gives an empty answer; a task that nobody knows is mostly a slip of the hand.
 * @param seen tasks that are known, as the answer has steps of them
 * @throws CliError that names the others
 */
export async function assertKnownTasks(
  client: Client,
  taskIds: readonly string[] = [],
  seen: Iterable<string> = [],
): Promise<void> {
  const inAnswer = new Set(seen);
  const unseen = taskIds.filter((taskId) => !inAnswer.has(taskId));
  if (unseen.length === 0) return;
  const known = new Set((await client.findTasks({ taskIds: unseen })).tasks.map(({ taskId }) => taskId));
  const unknown = unseen.filter((taskId) => !known.has(taskId));
  if (unknown.length === 0) return;
  throw failure(`no task ${plainText(unknown.join(', '))} is known ("${PROGRAM} tasks" lists them)`);
}
