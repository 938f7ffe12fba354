import type { TaskHint } from '../model/facts.ts';

/** A task that the sender named. */
export function task(id: string | undefined): TaskHint | undefined {
  return id === undefined ? undefined : { id, rank: 0 };
}

/** A task that the sender named for this very step. */
export function ownTask(id: string | undefined): TaskHint | undefined {
  return id === undefined ? undefined : { id, rank: 0, own: true };
}

/** A session, thread or conversation: it stands for the task where none is named. */
export function conversation(id: string | undefined): TaskHint | undefined {
  return id === undefined ? undefined : { id, rank: 1 };
}
