import type { Clock } from '../../base/clock.ts';
import { unionOf, type TaskOverview } from '../../model/task-overview.ts';
import type { TaskPage, TaskQuery } from '../../model/task-query.ts';
import { parseTaskQuery, type WantedTasks } from '../../subscriptions/parse-request.ts';
import { matches } from '../../subscriptions/task-list.ts';
import {
  comparePlaces,
  cursorAt,
  keyIn,
  MADE_UP,
  placeAt,
  type KeyOf,
  type Place,
} from '../../subscriptions/task-order.ts';
import { askCells, outcomes, type Whose } from './ask-cells.ts';
import type { AskedCell, CellFailure } from './asked-cell.ts';
import { absenceNotices, noticed } from '../notices.ts';

/** Ids that a cell is asked for at once: as many as it takes. */
const IDS_AT_ONCE = 1_000;
/**
 * So often one page looks at more of what cells have. More is needed where much is passed over, as of tasks of which a part
 * matches and the whole does not: then the page is short, and its cursor goes on.
 */
const MAX_ROUNDS = 20;
/** The clocks of gateway and cells differ by less, where they say which tasks are dated too far ahead. */
export const MAX_SKEW_MS = 60 * 60 * 1000;

const BY_PARTS =
  'A task in several cells stands where the part of it does that comes first in this order, among those that match.';

/** A part of a task, in a cell. */
export interface TaskPart {
  readonly cell: string;
  readonly overview: TaskOverview;
}

/** The parts of tasks by id, in the order of the cells, and which cells could not be asked. */
export interface TaskParts {
  readonly parts: ReadonlyMap<string, readonly TaskPart[]>;
  readonly failures: readonly CellFailure[];
}

/** What cells have of these tasks. @param whose of readers if absent @throws BoundaryError UNAVAILABLE when no cell answers */
export async function partsOf(
  cells: readonly AskedCell[],
  taskIds: readonly string[],
  clock: Clock,
  whose?: Whose,
): Promise<TaskParts> {
  const parts = new Map<string, TaskPart[]>();
  const failures: CellFailure[] = [];
  for (let at = 0; at < taskIds.length; at += IDS_AT_ONCE) {
    const asked = taskIds.slice(at, at + IDS_AT_ONCE);
    const query = { taskIds: asked, limit: IDS_AT_ONCE };
    const found = await askCells(cells, (answers) => answers.findTasks(query), clock, whose);
    failures.push(...found.failures);
    for (const { cell, answer } of found.answers)
      for (const overview of answer.tasks) {
        const known = parts.get(overview.taskId);
        if (known) known.push({ cell, overview });
        else parts.set(overview.taskId, [{ cell, overview }]);
      }
  }
  return { parts, failures };
}

/** A part that comes up in the order. */
interface Candidate extends Place, TaskPart {}

/** The list of one cell, as far as it was read and not taken. */
interface Source {
  readonly cell: AskedCell;
  candidates: Candidate[];
  /** Of the cell; absent before its first page. */
  cursor: string | undefined;
  /** There is no more than `candidates`. */
  isRead: boolean;
  /** Of the last one that was read. */
  last: Place | undefined;
}

/**
 * A page of the tasks of all cells: their lists are merged as they are sorted. A task in several cells is listed once, where
 * one of its parts comes up, its home: the part that began first where the list goes by time, so that the task stands where
 * it would in one process; else the first in the order. What is listed is the union of all parts, which has to match, too.
 *
 * The cursor is a place in the order, which goes on in every cell, also in one that comes later. What is held is at most a
 * page of each cell, and what all cells have of these tasks.
 * @throws BoundaryError INVALID_ARGUMENT, UNAVAILABLE
 */
export async function mergedTasks(
  cells: readonly AskedCell[],
  input: unknown,
  clock: Clock,
): Promise<TaskPage> {
  const { page, failures } = await mergedPage(cells, input, clock);
  return noticed(page, absenceNotices(failures));
}

/** As `mergedTasks`, where the page itself says nothing of cells that are away. */
export async function mergedPage(
  cells: readonly AskedCell[],
  input: unknown,
  clock: Clock,
): Promise<{ readonly page: TaskPage; readonly failures: readonly CellFailure[] }> {
  const wanted = parseTaskQuery(input);
  const after = wanted.cursor === undefined ? undefined : placeAt(wanted.cursor, wanted.sort);
  const merging = new Merging(cells, wanted, after, clock);
  const page = await merging.page();
  const isByParts =
    wanted.sort !== 'newest' &&
    wanted.sort !== 'oldest' &&
    page.tasks.some(({ cells: several }) => several !== undefined);
  return { page: noticed(page, isByParts ? [BY_PARTS] : []), failures: merging.failures };
}

class Merging {
  private readonly wanted: WantedTasks;
  private readonly clock: Clock;
  private readonly keyOf: KeyOf;
  private readonly failed = new Map<string, CellFailure>();
  private readonly cells: readonly AskedCell[];
  private readonly sources: Source[];
  /** Of the tasks that came up. */
  private readonly parts = new Map<string, readonly TaskPart[]>();

  constructor(cells: readonly AskedCell[], wanted: WantedTasks, after: Place | undefined, clock: Clock) {
    this.cells = cells;
    this.wanted = wanted;
    this.clock = clock;
    this.keyOf = keyIn(wanted.sort, clock.now() + MAX_SKEW_MS);
    this.sources = cells.map((cell) => ({
      cell,
      candidates: [],
      cursor: after && cursorAt(after, wanted.sort),
      isRead: false,
      last: after,
    }));
  }

  get failures(): readonly CellFailure[] {
    return [...this.failed.values()];
  }

  async page(): Promise<TaskPage> {
    const { limit, sort } = this.wanted;
    const found: (Place & { readonly task: TaskOverview })[] = [];
    let looked: Place | undefined;
    await this.read(true);
    for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
      // One more than is shown says whether there is another page.
      const candidates = this.take(limit + 1 - found.length);
      if (candidates.length === 0 && this.sources.every(({ isRead }) => isRead))
        return { tasks: found.map(({ task }) => task) };
      await this.learnParts(candidates);
      for (const one of candidates) {
        const task = this.listedAt(one);
        if (task) found.push({ key: one.key, taskId: one.taskId, task });
      }
      looked = candidates.at(-1) ?? looked;
      const last = found[limit - 1];
      if (last && (found.length > limit || this.sources.some(({ isRead }) => !isRead)))
        return {
          tasks: found.slice(0, limit).map(({ task }) => task),
          nextCursor: cursorAt(last, sort),
        };
      await this.read();
    }
    return {
      tasks: found.map(({ task }) => task),
      ...(looked && { nextCursor: cursorAt(looked, sort) }),
    };
  }

  /** Has the cells give more of which nothing is left that was read. A cell that fails is left out from then on. */
  private async read(isFirst = false): Promise<void> {
    const empty = this.sources.filter(({ candidates, isRead }) => candidates.length === 0 && !isRead);
    if (empty.length === 0 && !isFirst) return;
    const { taskIds, ...wanted } = this.wanted;
    const query: TaskQuery = { ...wanted, ...(taskIds && { taskIds: [...taskIds] }) };
    const cursors = new Map(empty.map(({ cell, cursor }) => [cell.name, cursor]));
    const ask = isFirst ? askCells : outcomes;
    const { answers, failures } = await ask(
      empty.map(({ cell }) => cell),
      (of, name) => of.findTasks({ ...query, cursor: cursors.get(name) }),
      this.clock,
      // From the second page on a cell is asked with its own cursor.
      isFirst ? 'readers' : 'own',
    );
    const pages = new Map(answers.map(({ cell, answer }) => [cell, answer]));
    for (const source of empty) this.add(source, pages.get(source.cell.name) ?? { tasks: [] });
    this.note(failures);
  }

  private add(source: Source, { tasks, nextCursor }: TaskPage): void {
    const { sort } = this.wanted;
    for (const overview of tasks) {
      const cell = source.cell.name;
      let place: Place = { key: this.keyOf(overview), taskId: overview.taskId };
      const isBehind = (): boolean => !source.last || comparePlaces(source.last, place, sort) < 0;
      // By the cell's clock it is dated too far ahead.
      if (sort === 'newest' && !isBehind()) place = { key: MADE_UP, taskId: overview.taskId };
      // A cell that does not keep to the order: each page has to end, and not to come again.
      if (!isBehind()) continue;
      source.last = place;
      source.candidates.push({ ...place, cell, overview });
    }
    source.cursor = nextCursor;
    // A page that leads nowhere is the last one, whatever the cell says: others wait for it.
    source.isRead = nextCursor === undefined || source.candidates.length === 0;
  }

  /** The first in the order, until there are so many, or more has to be read. */
  private take(most: number): readonly Candidate[] {
    const taken: Candidate[] = [];
    while (taken.length < most) {
      let next: Source | undefined;
      for (const source of this.sources) {
        const [first] = source.candidates;
        if (!first && !source.isRead) return taken;
        const best = next?.candidates[0];
        if (first && (!best || comparePlaces(first, best, this.wanted.sort) < 0)) next = source;
      }
      const one = next?.candidates.shift();
      if (!one) return taken;
      taken.push(one);
    }
    return taken;
  }

  private async learnParts(candidates: readonly Candidate[]): Promise<void> {
    const unknown = new Set(candidates.map(({ taskId }) => taskId).filter((id) => !this.parts.has(id)));
    const others = this.cells.filter(({ name }) => !this.failed.has(name));
    if (unknown.size === 0 || others.length < 2) return;
    const { parts, failures } = await partsOf(others, [...unknown], this.clock, 'own');
    for (const id of unknown) this.parts.set(id, parts.get(id) ?? []);
    this.note(failures);
  }

  private note(failures: readonly CellFailure[]): void {
    for (const failure of failures) this.failed.set(failure.cell, failure);
  }

  /** The task, if this is where it is listed. */
  private listedAt(candidate: Candidate): TaskOverview | undefined {
    const parts = this.parts.get(candidate.taskId) ?? [];
    if (parts.length < 2) return candidate.overview;
    const { wanted, keyOf } = this;
    const union = unionOf(parts);
    if (!union || !matches(wanted, union)) return undefined;
    const isBefore = ({ overview: a }: TaskPart, { overview: b }: TaskPart): boolean =>
      wanted.sort === 'newest' || wanted.sort === 'oldest'
        ? a.firstTimestamp < b.firstTimestamp
        : comparePlaces(
            { key: keyOf(a), taskId: a.taskId },
            { key: keyOf(b), taskId: b.taskId },
            wanted.sort,
          ) < 0;
    let home: TaskPart | undefined;
    for (const part of parts)
      if (matches(wanted, part.overview) && (!home || isBefore(part, home))) home = part;
    return home === undefined || home.cell === candidate.cell ? union : undefined;
  }
}
