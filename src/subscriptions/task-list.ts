import { seldom, wholeInTurns, type IsOver, type Work } from '../base/in-turns.ts';
import type { Turns } from '../base/pace.ts';
import type { Clock } from '../base/clock.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import { canonicalAgent } from '../model/agent.ts';
import type { ExplanationNode } from '../model/node.ts';
import { TaskSums, together, type TaskOverview } from '../model/task-overview.ts';
import type { TaskCounts } from '../model/told-cells.ts';
import type { TaskPage, TaskSort } from '../model/task-query.ts';
import { parseTaskQuery, type WantedTasks } from './parse-request.ts';
import { comparePlaces, cursorAt, keyIn, placeAt, type KeyOf, type Place } from './task-order.ts';

/** Which tasks left memory, and what they were. */
export interface TaskArchive {
  /** By name, with a number that is another one whenever nodes of it left. @param after 0 at first, then `next` */
  archivedVersions(after: number): Promise<TaskVersions>;
  /** Of some of these tasks, at least of the first; undefined for one that is gone. */
  archivedOverviews(names: readonly string[]): Promise<readonly (TaskOverview | undefined)[]>;
}

export interface TaskVersions {
  readonly tasks: readonly (readonly [name: string, version: number])[];
  readonly next: number | undefined;
}

export interface TaskListOptions {
  readonly graph: GraphReader;
  readonly archive?: TaskArchive | undefined;
  readonly clock: Clock;
  readonly pace: Turns;
  readonly bringUpToDate: () => void;
}

/** For so long the archive is not asked again what it has, unless something left memory: milliseconds. */
const ARCHIVE_AGE_MS = 5_000;
/** Names that the archive is asked for at once. */
const ASKED_AT_ONCE = 500;

interface Archived {
  readonly version: number;
  overview: TaskOverview | undefined;
}

interface Summed {
  /** Undefined until it is summed up. */
  overview: TaskOverview | undefined;
}

/** A reading of the archive under way. */
interface Reading {
  readonly done: Promise<void>;
  /** Since it began, nodes left memory or archived ones went. */
  isOutdated: boolean;
  /** Tasks whose archived nodes went since it began. */
  readonly gone: Set<string>;
  /** By task, what left memory since it began: it may have been read or not. */
  readonly left: Map<string, TaskSums>;
}

/**
 * The list of all tasks, in memory and archived. What is said of a task is kept until it changes; a page is picked out of
 * all in one pass, without sorting them, in turns of the event loop.
 */
export class TaskList {
  private readonly options: TaskListOptions;
  /** What changes is taken out, so that what was summed up of it meanwhile, over several turns, is not kept. */
  private readonly inMemory = new Map<string, Summed>();
  private archived = new Map<string, Archived>();
  /** Clock.monotonic(), when the last reading began; nothing left memory since. */
  private archiveReadAt = -Infinity;
  private reading: Reading | undefined;
  /** Pages that are being made. */
  private asking = 0;
  /** By task, what left memory since the last reading began, while pages are made. */
  private leaving = new Map<string, TaskSums>();

  constructor(options: TaskListOptions) {
    this.options = options;
  }

  /** Something of these tasks changed. */
  changed(tasks: Iterable<string>): void {
    for (const taskId of tasks) this.inMemory.delete(taskId);
  }

  /** They left memory. */
  left(nodes: Iterable<ExplanationNode>): void {
    this.outdate();
    if (this.asking === 0) return;
    for (const node of nodes) {
      addTo(this.leaving, node);
      if (this.reading) addTo(this.reading.left, node);
    }
  }

  /** They are erased. */
  forget(tasks: Iterable<string>): void {
    for (const taskId of tasks) this.inMemory.delete(taskId);
    this.back(tasks);
  }

  /** Nodes of them that had left memory are there again. */
  back(tasks: Iterable<string>): void {
    for (const taskId of tasks) {
      this.archived.delete(taskId);
      this.leaving.delete(taskId);
      this.reading?.gone.add(taskId);
      this.reading?.left.delete(taskId);
    }
    this.outdate();
  }

  /** @throws BoundaryError INVALID_ARGUMENT */
  async page(input: unknown): Promise<TaskPage> {
    const wanted = parseTaskQuery(input);
    const after = wanted.cursor === undefined ? undefined : placeAt(wanted.cursor, wanted.sort);
    return this.overAll((isOver) => this.pick(wanted, after, isOver));
  }

  /** How many there are, and how many of them run. */
  counts(): Promise<TaskCounts> {
    return this.overAll((isOver) => this.countAll(isOver));
  }

  private async overAll<T>(work: (isOver: IsOver) => Work<T>): Promise<T> {
    const { pace } = this.options;
    this.asking++;
    try {
      await this.readArchive();
      return await wholeInTurns(
        work(() => pace.isOver),
        pace,
      );
    } finally {
      if (--this.asking === 0) this.leaving.clear();
    }
  }

  private *countAll(isOver: IsOver): Work<TaskCounts> {
    let tasks = 0;
    let running = 0;
    yield* this.each(undefined, isOver, ({ state }) => {
      tasks++;
      if (state === 'RUNNING') running++;
    });
    return { tasks, running };
  }

  /** @param named these alone; all if absent */
  private *each(
    named: WantedTasks['taskIds'],
    isOver: IsOver,
    found: (task: TaskOverview) => void,
  ): Work<void> {
    this.options.bringUpToDate();
    const { graph } = this.options;
    const isRest = seldom(isOver);
    // Copies: what goes between two turns and comes again is looked at once.
    const taskIds = [...(named ?? graph.taskIds())];
    for (const taskId of taskIds) {
      const live = this.inMemory.get(taskId)?.overview ?? (yield* this.sumUp(taskId, isRest));
      const archived = this.archivedPart(taskId);
      const overview = live && archived ? together(live, archived) : live;
      if (overview) found(overview);
      if (isRest()) yield;
    }
    for (const taskId of named ?? this.archived.keys()) {
      const overview = this.archived.get(taskId)?.overview;
      if (overview && graph.nodesOfTask(taskId).size === 0) found(overview);
      if (isRest()) yield;
    }
    for (const [taskId, sums] of this.leaving) {
      if (this.archived.get(taskId)?.overview || graph.nodesOfTask(taskId).size > 0) continue;
      found(sums.overview(taskId, true));
      if (isRest()) yield;
    }
  }

  private *pick(wanted: WantedTasks, after: Place | undefined, isOver: IsOver): Work<TaskPage> {
    const keyOf = keyIn(wanted.sort, this.options.clock.now());
    const best = new Best(wanted.sort, keyOf, wanted.limit + 1, after);
    yield* this.each(wanted.taskIds, isOver, (task) => {
      if (matches(wanted, task)) best.offer(task);
    });
    const tasks = best.inOrder();
    if (tasks.length <= wanted.limit) return { tasks };
    const page = tasks.slice(0, wanted.limit);
    const last = page.at(-1);
    return last
      ? { tasks: page, nextCursor: cursorAt({ key: keyOf(last), taskId: last.taskId }, wanted.sort) }
      : { tasks: page };
  }

  private archivedPart(taskId: string): TaskOverview | undefined {
    return this.archived.get(taskId)?.overview ?? this.leaving.get(taskId)?.overview(taskId, true);
  }

  private *sumUp(taskId: string, isRest: IsOver): Work<TaskOverview | undefined> {
    const { graph } = this.options;
    const summed = this.inMemory.get(taskId) ?? { overview: undefined };
    this.inMemory.set(taskId, summed);
    const sums = new TaskSums();
    const ids = [...graph.nodesOfTask(taskId)];
    for (const id of ids) {
      const node = graph.node(id);
      if (node?.taskId === taskId) sums.add(node, graph.treeParent(id) === undefined);
      if (isRest()) yield;
    }
    if (sums.nodes > 0) return (summed.overview = sums.overview(taskId));
    this.inMemory.delete(taskId);
    return undefined;
  }

  private outdate(): void {
    this.archiveReadAt = -Infinity;
    if (this.reading) this.reading.isOutdated = true;
  }

  /**
   * Has the archive read as it was when this is called, or later. What leaves memory during it is for the next page, so
   * that nobody waits for as long as nodes leave: at most for the reading under way and one more.
   */
  private async readArchive(): Promise<void> {
    const { archive, clock } = this.options;
    if (!archive) return;
    if (this.reading) {
      const { done, isOutdated } = this.reading;
      await done;
      if (!isOutdated) return;
    } else if (clock.monotonic() - this.archiveReadAt < ARCHIVE_AGE_MS) return;
    await (this.reading ?? this.read(archive)).done;
  }

  private read(archive: TaskArchive): Reading {
    const gone = new Set<string>();
    const left = new Map<string, TaskSums>();
    const began = this.options.clock.monotonic();
    const take = async (): Promise<void> => {
      try {
        const found = await readAll(archive, this.archived);
        for (const taskId of gone) found.delete(taskId);
        this.archived = found;
        this.leaving = left;
        if (!reading.isOutdated) this.archiveReadAt = began;
      } finally {
        this.reading = undefined;
      }
    };
    const reading: Reading = { done: take(), isOutdated: false, gone, left };
    return (this.reading = reading);
  }
}

/** @param known what needs no reading while its version is the same */
async function readAll(
  archive: TaskArchive,
  known: ReadonlyMap<string, Archived>,
): Promise<Map<string, Archived>> {
  const found = new Map<string, Archived>();
  for (let after: number | undefined = 0; after !== undefined;) {
    const versions: TaskVersions = await archive.archivedVersions(after);
    for (const [name, version] of versions.tasks) {
      const before = known.get(name);
      found.set(name, before?.version === version ? before : { version, overview: undefined });
    }
    after = versions.next;
  }
  const missing = [...found].filter(([, { overview }]) => overview === undefined).map(([name]) => name);
  for (let at = 0; at < missing.length;) {
    const overviews = await archive.archivedOverviews(missing.slice(at, at + ASKED_AT_ONCE));
    overviews.forEach((overview, i) => {
      const entry = found.get(missing[at + i] ?? '');
      if (entry) entry.overview = overview;
    });
    at += Math.max(1, overviews.length);
  }
  return found;
}

function addTo(byTask: Map<string, TaskSums>, node: ExplanationNode): void {
  const sums = byTask.get(node.taskId) ?? new TaskSums();
  byTask.set(node.taskId, sums);
  sums.add(node);
}

/** Is it one of those that are asked for? */
export function matches(wanted: WantedTasks, task: TaskOverview): boolean {
  const { text, agent, status, sessionId, userId, taskIds } = wanted;
  if (taskIds?.has(task.taskId) === false) return false;
  if (status !== undefined && (status === 'RUNNING' ? task.state : task.status) !== status) return false;
  if (sessionId !== undefined && task.sessionId !== sessionId) return false;
  if (userId !== undefined && task.userId !== userId) return false;
  if (agent !== undefined && !task.agents.some((name) => canonicalAgent(name) === agent)) return false;
  if (text === undefined) return true;
  return [task.title, task.taskId, ...task.agents, task.sessionId, task.userId].some(
    (field) => field !== undefined && field.toLowerCase().includes(text),
  );
}

/** The first `limit` of those that come after a place. */
class Best {
  private readonly sort: TaskSort;
  private readonly keyOf: KeyOf;
  private readonly limit: number;
  private readonly after: Place | undefined;
  private held: (Place & { readonly task: TaskOverview })[] = [];

  constructor(sort: TaskSort, keyOf: KeyOf, limit: number, after: Place | undefined) {
    this.sort = sort;
    this.keyOf = keyOf;
    this.limit = limit;
    this.after = after;
  }

  offer(task: TaskOverview): void {
    const place = { key: this.keyOf(task), taskId: task.taskId };
    if (this.after && comparePlaces(place, this.after, this.sort) <= 0) return;
    this.held.push({ ...place, task });
    // Twice as many as are wanted are held, so that each is sorted a few times at most.
    if (this.held.length >= 2 * this.limit) this.cut();
  }

  inOrder(): readonly TaskOverview[] {
    this.cut();
    return this.held.map(({ task }) => task);
  }

  private cut(): void {
    this.held.sort((a, b) => comparePlaces(a, b, this.sort));
    this.held = this.held.slice(0, this.limit);
  }
}
