import { BoundaryError } from '../base/boundary-error.ts';
import type { Clock } from '../base/clock.ts';
import type { Turns } from '../base/pace.ts';
import type { NodeDetail } from '../model/reader-messages.ts';
import type { SearchHit, SearchPage } from '../model/search.ts';
import type { TaskPage, TaskQuery } from '../model/task-query.ts';
import { cursorOf, readCursor } from './cursor.ts';
import { parseSearchQuery } from './parse-request.ts';

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

/** Behind which node a page ended. */
interface Place {
  /** Of the list of tasks; absent on its first page. */
  readonly tasks?: string | undefined;
  readonly taskId: string;
  readonly nodeId: string;
}

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
    const from = cursor === undefined ? undefined : placeAt(cursor);
    const { clock, pace } = this.options;
    const end = clock.monotonic() + MAX_MS;
    const hits: SearchHit[] = [];
    let looked = 0;
    for await (const place of this.places(from)) {
      hits.push(...(await this.hitsIn(place, text)));
      if (pace.isOver) await pace.rest();
      if (hits.length >= limit) return { hits, nextCursor: cursorAt(place) };
      if (++looked >= MAX_NODES || clock.monotonic() >= end)
        return { hits, nextCursor: cursorAt(place), truncated: true };
    }
    return { hits };
  }

  /** Every node, from behind a place on. */
  private async *places(from: Place | undefined): AsyncGenerator<Place> {
    let behind = from;
    for (let cursor = from?.tasks, more = true; more;) {
      const { tasks, nextCursor }: TaskPage = await this.options.tasks({ limit: TASKS_A_PAGE, cursor });
      const begin = tasks.findIndex(({ taskId }) => taskId === behind?.taskId);
      for (const { taskId } of tasks.slice(Math.max(0, begin))) {
        const ids = await this.options.nodesOf(taskId);
        const after = behind?.taskId === taskId ? behind.nodeId : '';
        for (const nodeId of await this.firstBehind(after, ids)) yield { tasks: cursor, taskId, nodeId };
      }
      behind = undefined;
      cursor = nextCursor;
      more = nextCursor !== undefined;
    }
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

  private async hitsIn({ taskId, nodeId }: Place, text: string): Promise<readonly SearchHit[]> {
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

function cursorAt({ tasks, taskId, nodeId }: Place): string {
  return cursorOf([tasks ?? null, taskId, nodeId]);
}

function placeAt(cursor: string): Place {
  const [tasks, taskId, nodeId] = readCursor(cursor);
  const isPlace =
    (tasks === null || typeof tasks === 'string') && typeof taskId === 'string' && typeof nodeId === 'string';
  if (!isPlace) throw new BoundaryError('INVALID_ARGUMENT', 'cursor must be the nextCursor of a page');
  return { tasks: tasks ?? undefined, taskId, nodeId };
}
