import { BoundaryError } from '../base/boundary-error.ts';
import type { Clock } from '../base/clock.ts';
import type { Turns } from '../base/pace.ts';
import type { NodeDetail } from '../model/reader-messages.ts';
import type { SearchHit, SearchPage } from '../model/search.ts';
import type { TaskOverview } from '../model/task-overview.ts';
import type { TaskPage, TaskQuery } from '../model/task-query.ts';
import { parseSearchQuery } from './parse-request.ts';
import { searchCursorAt, searchPlaceAt, type SearchPlace } from './search-place.ts';
import { cursorAt, keyIn } from './task-order.ts';

export interface SearchOptions {
  readonly clock: Clock;
  readonly pace: Turns;
  readonly tasks: (query: TaskQuery) => TaskPage | Promise<TaskPage>;
  /** Ids of all nodes of a task, in memory or archived. */
  readonly nodesOf: (taskId: string) => Promise<readonly string[]>;
  /** With its texts. @throws BoundaryError NOT_FOUND */
  readonly node: (nodeId: string) => NodeDetail | Promise<NodeDetail>;
}

/** One answer looks at nodes for so long, in milliseconds, and at so many of them. */
const MAX_MS = 1_000;
const MAX_NODES = 5_000;
const TASKS_A_PAGE = 50;
/** Ids compared between two looks at the clock. */
const IDS_A_LOOK = 1_000;
/** Of one text so many places are told. */
const MAX_PLACES = 5;

/**
 * Looks for a text in all that readers are given of nodes, the newest task first. There is no index: what is found is what
 * a look at the node gives in that moment, so nothing that was erased can be found. An answer ends after a while and says
 * so, and the next one goes on from there.
 */
export class Search {
  private readonly options: SearchOptions;

  constructor(options: SearchOptions) {
    this.options = options;
  }

  /** @throws BoundaryError INVALID_ARGUMENT */
  async page(input: unknown): Promise<SearchPage> {
    const { text, limit, cursor } = parseSearchQuery(input);
    const from = cursor === undefined ? undefined : searchPlaceAt(cursor);
    const { clock, pace } = this.options;
    const end = clock.monotonic() + MAX_MS;
    const hits: SearchHit[] = [];
    let looked = 0;
    for await (const place of this.places(from)) {
      hits.push(...(await this.hitsIn(place, text)));
      if (pace.isOver) await pace.rest();
      if (hits.length >= limit) return { hits, nextCursor: searchCursorAt(place) };
      if (++looked >= MAX_NODES || clock.monotonic() >= end)
        return { hits, nextCursor: searchCursorAt(place), truncated: true };
    }
    return { hits };
  }

  /** Every node, from behind a place on. */
  private async *places(from: SearchPlace | undefined): AsyncGenerator<SearchPlace> {
    const keyOf = keyIn('newest', this.options.clock.now());
    const keyFor = (task: TaskOverview): string => String(keyOf(task));
    if (from) {
      const { taskId, nodeId } = from;
      // One that stands elsewhere now comes up there, with all its nodes.
      const { tasks } = await this.options.tasks({ taskIds: [taskId] });
      const isThere = tasks.some((task) => keyFor(task) === from.key);
      if (isThere) yield* this.placesIn({ key: from.key, taskId }, nodeId);
    }
    for (let cursor = from && cursorAt(from, 'newest'), more = true; more;) {
      const { tasks, nextCursor }: TaskPage = await this.options.tasks({ limit: TASKS_A_PAGE, cursor });
      for (const task of tasks) yield* this.placesIn({ key: keyFor(task), taskId: task.taskId }, '');
      cursor = nextCursor;
      more = nextCursor !== undefined;
    }
  }

  private async *placesIn(
    task: { readonly key: string; readonly taskId: string },
    after: string,
  ): AsyncGenerator<SearchPlace> {
    const ids = await this.options.nodesOf(task.taskId);
    for (const nodeId of await this.firstBehind(after, ids)) yield { ...task, nodeId };
  }

  /** In order, as many of the ids behind one as an answer looks at; of a large task the rest is for the next answers. */
  private async firstBehind(after: string, ids: readonly string[]): Promise<readonly string[]> {
    const { pace } = this.options;
    let first: string[] = [];
    for (const [i, id] of ids.entries()) {
      if (id > after) first.push(id);
      if (first.length >= 2 * MAX_NODES) first = first.sort().slice(0, MAX_NODES);
      if (i % IDS_A_LOOK === 0 && pace.isOver) await pace.rest();
    }
    return first.sort().slice(0, MAX_NODES);
  }

  private async hitsIn({ taskId, nodeId }: SearchPlace, text: string): Promise<readonly SearchHit[]> {
    const detail = await this.detail(nodeId);
    if (!detail) return [];
    const { title, name, agent } = detail.node;
    return Object.entries({ title, name, agent, ...detail.texts }).flatMap(([field, content]) =>
      typeof content === 'string' ? placesIn(content, text, { taskId, nodeId, field }) : [],
    );
  }

  /** Undefined for one that went meanwhile. */
  private async detail(nodeId: string): Promise<NodeDetail | undefined> {
    try {
      return await this.options.node(nodeId);
    } catch (error) {
      if (error instanceof BoundaryError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    }
  }
}

function placesIn(
  content: string,
  text: string,
  of: Pick<SearchHit, 'taskId' | 'nodeId' | 'field'>,
): SearchHit[] {
  const hits: SearchHit[] = [];
  // Not by lower case of the whole, which may be longer than it.
  const wanted = new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'giu');
  for (const { index, 0: found } of content.matchAll(wanted)) {
    hits.push({ ...of, start: index, end: index + found.length, text: found });
    if (hits.length >= MAX_PLACES) break;
  }
  return hits;
}
