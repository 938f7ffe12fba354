import type { Pace } from '../base/pace.ts';
import type { ExplanationNode } from '../model/node.ts';
import { requestNodeId } from '../model/ids.ts';
import { metricKey } from '../model/metric-facts.ts';
import { overrideKey } from '../storage/record-key.ts';
import { replayPrefix } from '../model/replay.ts';
import type { RecordStore } from '../storage/record-store.ts';
import type { Engine } from './engine.ts';

export interface EraserOptions {
  readonly engine: Engine;
  /** How long work is cut into pieces. */
  readonly pace: Pace;
  readonly store: RecordStore | undefined;
  /** Drops the key of a task's originals. @returns whether there were any */
  readonly eraseOriginals: (taskId: string) => boolean;
  /** Drops the keys of overrides, by their records. */
  readonly forgetOverrides: (sources: Iterable<string>) => Promise<void>;
  /** Does the work while nothing is under way from the store to the graph: what is taken in waits. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
  /**
   * Forgets thoughts that are still being written, by their redacted request ids. Resolves when what they have said is in
   * the graph.
   */
  readonly forgetThoughts: (isMeant: (requestId: string) => boolean) => Promise<void>;
  /** Nothing is held any more of what of these tasks was still being sent. */
  readonly forgetOpen?: (tasks: readonly string[]) => void;
  /** All that a user id may stand as in a node of a task. */
  readonly userIn: (userId: string) => (taskId: string) => ReadonlySet<unknown>;
  /** Nothing of these tasks is played again during the work. */
  readonly withoutReplays: <T>(tasks: readonly string[], work: () => Promise<T>) => Promise<T>;
  /** Removes files that were written of tasks. */
  readonly removeFiles: (tasks: readonly string[]) => Promise<void>;
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

/**
 * Removes tasks for good: from memory, the store, the vault and the readable snapshot.
 *
 * Nothing is missed, whatever leaves memory meanwhile, because what is to be erased moves one way only: it does not come
 * back from the store, so who looks in memory first and then in the store has seen all of it. It is taken out while nothing
 * is under way from the store to the graph, and what left before is queued for the store ahead of the order to erase: so
 * memory and store are without the same records. What is sent meanwhile comes after that, in both.
 */
export class Eraser {
  private readonly options: EraserOptions;
  /** What was taken out of memory and is not erased from the store yet: if the disk refuses, the next order includes it. */
  private taken = { nodes: 0, sources: new Set<string>() };

  constructor(options: EraserOptions) {
    this.options = options;
  }

  /** @throws Error when the disk refuses: it is to be asked for again */
  async erase(target: EraseTarget): Promise<Erased> {
    const { engine, withoutReplays } = this.options;
    const named = 'taskId' in target ? [target.taskId] : await this.tasksOfUser(target.userId);
    return withoutReplays(named, async () => {
      const tasks = await this.withCopies(named);
      return engine.withoutComebacks(tasks, () => this.eraseTasks(tasks));
    });
  }

  /** A replay of a task is a copy of what is to be erased. */
  private async withCopies(tasks: readonly string[]): Promise<string[]> {
    const { store, engine } = this.options;
    const known = [...engine.graph.taskIds(), ...((await store?.archivedTasks()) ?? [])];
    const copies = known.filter((id) => tasks.some((task) => id.startsWith(replayPrefix(task))));
    return [...new Set([...tasks, ...copies])];
  }

  private async eraseTasks(tasks: readonly string[]): Promise<Erased> {
    const {
      store,
      engine,
      alone,
      forgetThoughts,
      eraseOriginals,
      forgetOverrides,
      removeFiles,
      saveSnapshot,
    } = this.options;
    this.options.forgetOpen?.(tasks);
    const sources = await this.sourcesIn(tasks);
    // What is still being written would be stored again as a whole.
    await forgetThoughts((requestId) => sources.has(requestNodeId(requestId)));
    const { nodesInMemory, nodesArchived, erased } = await alone(() => this.takeAway(tasks, sources));
    engine.forget(tasks);
    const originalsOfTasks = tasks.filter((taskId) => eraseOriginals(taskId)).length;
    await forgetOverrides([...sources, ...erased]);
    await store?.sweep();
    await removeFiles(tasks);
    await saveSnapshot();
    const found = nodesArchived + nodesInMemory + originalsOfTasks > 0;
    return { tasks: found ? tasks : [], nodesInMemory, nodesArchived, originalsOfTasks };
  }

  /** The records of these tasks, wherever they are. */
  private async sourcesIn(tasks: readonly string[]): Promise<ReadonlySet<string>> {
    const { store, engine } = this.options;
    const sources = new Set<string>();
    for (const taskId of tasks) {
      for (const id of engine.graph.nodesOfTask(taskId))
        for (const source of sourcesOf(engine, id)) sources.add(source);
      for await (const page of store?.archivedTask(taskId) ?? NOTHING)
        for (const source of page.flatMap((left) => left.sources)) sources.add(source);
    }
    return sources;
  }

  /** From memory and from the store's readers. @param sources of which some may be in nodes of other tasks by now */
  private async takeAway(
    tasks: readonly string[],
    sources: ReadonlySet<string>,
  ): Promise<Pick<Erased, 'nodesInMemory' | 'nodesArchived'> & { readonly erased: ReadonlySet<string> }> {
    const { store, engine, pace } = this.options;
    const { graph, correlator } = engine;
    const found = new Set(tasks.flatMap((taskId) => [...graph.nodesOfTask(taskId)]));
    for (const source of sources) {
      const node = correlator.nodeOfSource(source);
      if (node) found.add(node.id);
    }
    const ids = [...found];
    for (let at = 0; at < ids.length; at += SLICE_NODES) {
      const some = ids.slice(at, at + SLICE_NODES);
      for (const id of some) for (const source of sourcesOf(engine, id)) this.taken.sources.add(source);
      const before = graph.nodeCount;
      correlator.erase(some);
      this.taken.nodes += before - graph.nodeCount;
      if (pace.isOver) await pace.rest();
    }
    engine.flush();
    const { nodes: nodesInMemory, sources: erased } = this.taken;
    const nodesArchived = (await store?.erase({ tasks, sources: [...erased] })) ?? 0;
    this.taken = { nodes: 0, sources: new Set() };
    return { nodesInMemory, nodesArchived, erased };
  }

  private async tasksOfUser(userId: string): Promise<string[]> {
    const { store, engine, userIn } = this.options;
    const namesIn = userIn(userId);
    const isTheirs = (node: ExplanationNode | undefined): boolean => {
      if (!node) return false;
      const names = namesIn(node.taskId);
      const others = node.details?.['otherUserIds'];
      return (
        names.has(node.details?.['userId']) || (Array.isArray(others) && others.some((id) => names.has(id)))
      );
    };
    const isInMemory = (taskId: string): boolean =>
      [...engine.graph.nodesOfTask(taskId)].some((id) => isTheirs(engine.graph.node(id)));
    // Nothing comes back during a look: a task that neither memory nor the store has did not name the user when this was asked.
    const [inMemory, archived] = await engine.betweenComebacks(async () => [
      [...engine.graph.taskIds()].filter((taskId) => isInMemory(taskId)),
      (await store?.archivedTasks()) ?? [],
    ]);
    const tasks = new Set(inMemory);
    for (const taskId of archived) {
      if (tasks.has(taskId)) continue;
      const isOfUser = await engine.betweenComebacks(async () => {
        if (isInMemory(taskId)) return true;
        for await (const page of store?.archivedTask(taskId) ?? NOTHING)
          if (page.some(({ node }) => isTheirs(node))) return true;
        return false;
      });
      if (isOfUser) tasks.add(taskId);
    }
    return [...tasks];
  }
}

function sourcesOf({ correlator }: Engine, id: string): string[] {
  const keys = [id, ...correlator.sources.keysOf(id)];
  return [...keys.flatMap((key) => [key, metricKey(key)]), overrideKey(id)];
}
