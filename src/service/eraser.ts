import type { Pace } from '../base/pace.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { ExplanationNode } from '../model/node.ts';
import { requestNodeId } from '../model/ids.ts';
import { metricKey } from '../model/metric-facts.ts';
import { overrideKey } from '../storage/record-key.ts';
import type { RecordStore } from '../storage/record-store.ts';
import type { Engine } from './engine.ts';

export interface EraserOptions {
  readonly engine: Engine;
  /** How long work is cut into pieces. */
  readonly pace: Pace;
  readonly store: RecordStore | undefined;
  /** Drops the key of a task's originals. @returns whether there were any */
  readonly eraseOriginals: (taskId: string) => boolean;
  /** Forgets thoughts that are still being written, by their redacted request ids. */
  readonly forgetThoughts: (isMeant: (requestId: string) => boolean) => Promise<void>;
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

const NOTHING: readonly [] = [];

/** Removes tasks for good: from memory, the store, the vault and the readable snapshot. */
export class Eraser {
  private readonly options: EraserOptions;

  constructor(options: EraserOptions) {
    this.options = options;
  }

  /** @throws Error when the disk refuses: then it is carried out at the next start */
  async erase(target: EraseTarget): Promise<Erased> {
    const tasks = 'taskId' in target ? [target.taskId] : await this.tasksOfUser(target.userId);
    return this.options.engine.withoutComebacks(tasks, () => this.eraseTasks(tasks));
  }

  private async eraseTasks(tasks: readonly string[]): Promise<Erased> {
    const { store, engine, pace, eraseOriginals, saveSnapshot } = this.options;
    const nodesArchived = await this.forgetThoughts(tasks);
    let nodesInMemory = 0;
    const sources: string[] = [];
    for (const taskId of tasks) {
      const ids = [...engine.graph.nodesOfTask(taskId)];
      nodesInMemory += ids.length;
      for (let at = 0; at < ids.length; at += SLICE_NODES) {
        const some = ids.slice(at, at + SLICE_NODES);
        sources.push(...some.flatMap((id) => sourcesOf(engine, id)));
        engine.correlator.erase(some);
        if (pace.isOver) await pace.rest();
      }
    }
    engine.flush();
    if (nodesArchived + nodesInMemory > 0) await store?.erase({ tasks, sources });
    engine.forget(tasks);
    const originalsOfTasks = tasks.filter((taskId) => eraseOriginals(taskId)).length;
    await saveSnapshot();
    const found = nodesArchived + nodesInMemory + originalsOfTasks > 0;
    return { tasks: found ? tasks : [], nodesInMemory, nodesArchived, originalsOfTasks };
  }

  /** What is still being written would be stored again as a whole. @returns how many nodes left memory before */
  private async forgetThoughts(tasks: readonly string[]): Promise<number> {
    const { store, engine, forgetThoughts } = this.options;
    const sources = new Set<string>();
    let nodesArchived = 0;
    for (const taskId of tasks) {
      for await (const page of store?.archivedTask(taskId) ?? NOTHING) {
        nodesArchived += page.length;
        for (const source of page.flatMap((left) => left.sources)) sources.add(source);
      }
      for (const id of engine.graph.nodesOfTask(taskId))
        for (const source of sourcesOf(engine, id)) sources.add(source);
    }
    await forgetThoughts((requestId) => sources.has(requestNodeId(requestId)));
    return nodesArchived;
  }

  private async tasksOfUser(userId: string): Promise<string[]> {
    const { store, engine, redact } = this.options;
    const names = new Set<unknown>([userId, redact(userId)]);
    const isTheirs = (node: ExplanationNode | undefined): boolean => {
      const others = node?.details?.['otherUserIds'];
      return (
        names.has(node?.details?.['userId']) || (Array.isArray(others) && others.some((id) => names.has(id)))
      );
    };
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
