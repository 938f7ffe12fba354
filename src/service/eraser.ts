import type { GraphReader } from '../graph/graph-reader.ts';
import type { ExplanationNode } from '../model/node.ts';
import { metricKey } from '../model/metric-facts.ts';
import { overrideKey } from '../storage/record-key.ts';
import type { RecordStore } from '../storage/record-store.ts';
import type { Engine } from './engine.ts';

export interface EraserOptions {
  readonly engine: Engine;
  readonly store: RecordStore | undefined;
  /** Drops the key of a task's originals. @returns whether there were any */
  readonly eraseOriginals: (taskId: string) => boolean;
  /** A user id as it stands in records, which are redacted. */
  readonly redact: (text: string) => string;
  /** Writes the readable snapshot anew. */
  readonly saveSnapshot: () => Promise<void>;
}

/** What is to be erased: one task, or every task in which a step names this user. */
export type EraseTarget = { readonly taskId: string } | { readonly userId: string };

/** What was removed. */
export interface Erased {
  readonly tasks: readonly string[];
  readonly nodesInMemory: number;
  readonly nodesArchived: number;
  /** Tasks whose encrypted originals can be read no more. */
  readonly originalsOfTasks: number;
}

/** Nodes that leave in one go. */
const SLICE_NODES = 100;

/** Removes tasks for good: from memory, the log, its index, the vault and the readable snapshot. */
export class Eraser {
  private readonly options: EraserOptions;

  constructor(options: EraserOptions) {
    this.options = options;
  }

  /** @throws Error when the disk refuses: then it is carried out at the next start */
  async erase(target: EraseTarget): Promise<Erased> {
    const { store, engine, eraseOriginals, saveSnapshot } = this.options;
    const tasks = 'taskId' in target ? [target.taskId] : await this.tasksOfUser(target.userId);
    let nodesArchived = 0;
    let nodesInMemory = 0;
    const sources: string[] = [];
    for (const taskId of tasks) {
      if (store) for await (const page of store.archivedTask(taskId)) nodesArchived += page.length;
      const ids = [...engine.graph.nodesOfTask(taskId)];
      nodesInMemory += ids.length;
      for (let at = 0; at < ids.length; at += SLICE_NODES) {
        const some = ids.slice(at, at + SLICE_NODES);
        sources.push(...some.flatMap((id) => sourcesOf(engine, id)));
        engine.correlator.evict(some);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    engine.flush();
    if (nodesArchived + nodesInMemory > 0) await store?.erase({ tasks, sources });
    const originalsOfTasks = tasks.filter((taskId) => eraseOriginals(taskId)).length;
    await saveSnapshot();
    const found = nodesArchived + nodesInMemory + originalsOfTasks > 0;
    return { tasks: found ? tasks : [], nodesInMemory, nodesArchived, originalsOfTasks };
  }

  private async tasksOfUser(userId: string): Promise<string[]> {
    const { store, engine, redact } = this.options;
    const names = new Set<unknown>([userId, redact(userId)]);
    const isTheirs = (node: ExplanationNode | undefined): boolean => names.has(node?.details?.['userId']);
    const tasks = new Set(tasksWhere(engine.graph, isTheirs));
    for (const taskId of (await store?.archivedTasks()) ?? []) {
      if (tasks.has(taskId)) continue;
      for await (const page of store?.archivedTask(taskId) ?? NOTHING) {
        if (!page.some(({ node }) => isTheirs(node))) continue;
        tasks.add(taskId);
        break;
      }
    }
    return [...tasks];
  }
}

const NOTHING: readonly [] = [];

function tasksWhere(graph: GraphReader, test: (node: ExplanationNode | undefined) => boolean): string[] {
  return [...graph.taskIds()].filter((taskId) => {
    for (const id of graph.nodesOfTask(taskId)) if (test(graph.node(id))) return true;
    return false;
  });
}

function sourcesOf({ correlator }: Engine, id: string): string[] {
  const keys = [id, ...correlator.sources.keysOf(id)];
  return [...keys.flatMap((key) => [key, metricKey(key)]), overrideKey(id)];
}
