import { lastFailedTask, lastFailedTest, type Client } from '../../src/client/browser.ts';
import type { Question } from '../../src/model/question.ts';

/** Where the page answers a question: parameters of the list of runs, or of a task, or another path. */
export interface Place {
  /** With its query. */
  readonly path?: string;
  readonly taskId?: string;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * @param here the task that is shown: it is meant where none is named
 * @returns the place, or what is said where there is nothing to show
 */
export async function placeOf(question: Question, client: Client, here?: string): Promise<Place | string> {
  if (question.ask === 'prune')
    return { ...inTask(here), params: { ask: 'prune', minutes: String(question.olderThanMinutes) } };
  if (question.ask === 'patterns') {
    if (question.taskId !== undefined) return 'Patterns are counted over all runs; ask without naming one.';
    const { of } = question;
    return { path: of === undefined ? '/patterns' : `/patterns?kind=${of}&sort=errors`, params: {} };
  }
  const taskId = question.taskId ?? here;
  if (question.ask === 'why') {
    const { nodeId, about, name } = question;
    if (nodeId !== undefined) {
      const { node } = await client.getNode(nodeId);
      return { taskId: node.taskId, params: { why: nodeId } };
    }
    if (about === 'test') {
      const test = await lastFailedTest(client, { taskId, name });
      if (test) return { taskId: test.taskId, params: { why: test.id } };
      return `No failed test${name === undefined ? '' : ' of that name'} is known${taskId === undefined ? '' : ' in this run'}.`;
    }
    const failed = taskId ?? (await lastFailedTask(client))?.taskId;
    return failed === undefined
      ? 'Nothing that is known has failed.'
      : { taskId: failed, params: { ask: 'why' } };
  }
  if (question.ask === 'spikes' && taskId === undefined) {
    const [first] = (await client.spikes()).spikes;
    return first
      ? { taskId: first.taskId, params: { ask: 'spikes' } }
      : 'No step of any run in memory stands out.';
  }
  const asked = taskId ?? (await client.findTasks({ limit: 1 })).tasks[0]?.taskId;
  return asked === undefined ? 'No run is known yet.' : { taskId: asked, params: { ask: question.ask } };
}

function inTask(taskId: string | undefined): { readonly taskId?: string } {
  return taskId === undefined ? {} : { taskId };
}
