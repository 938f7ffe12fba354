import type { Clock } from '../../base/clock.ts';
import { compareText } from '../../model/compare-text.ts';
import type { SearchHit, SearchPage } from '../../model/search.ts';
import { parseSearchQuery } from '../../subscriptions/parse-request.ts';
import {
  compareSearchPlaces,
  searchCursorAt,
  searchPlaceAt,
  type SearchPlace,
} from '../../subscriptions/search-place.ts';
import { keyIn, MADE_UP } from '../../subscriptions/task-order.ts';
import { askCells, outcomes } from './ask-cells.ts';
import type { AskedCell, OfCell } from './asked-cell.ts';
import { MAX_SKEW_MS, partsOf, type TaskParts } from './merged-tasks.ts';
import { absenceNotices, noticed } from '../notices.ts';

/** A hit of a cell, and where its node stands in that cell's order. */
interface PlacedHit {
  readonly place: SearchPlace;
  readonly cell: string;
  readonly hit: SearchHit;
}

/**
 * A page of what cells find, in the order in which each of them looks: the newest task first, by its part in that cell. It
 * ends where the cell ends that got the least far, since what that cell has not looked at may stand before what others found
 * behind it. The cursor is a place in the order, which goes on in every cell. A node that several cells have is told of by
 * the first of them. What is held is a page of each cell, and what all cells have of the tasks in it.
 * @throws BoundaryError INVALID_ARGUMENT, UNAVAILABLE
 */
export async function mergedSearch(
  cells: readonly AskedCell[],
  input: unknown,
  clock: Clock,
): Promise<SearchPage> {
  const query = parseSearchQuery(input);
  const from = query.cursor === undefined ? undefined : searchPlaceAt(query.cursor);
  const { answers, failures } = await askCells(cells, (of) => of.search(query), clock);
  const answering = cells.filter(({ name }) => answers.some(({ cell }) => cell === name));
  const taskIds = [...new Set(answers.flatMap(({ answer }) => answer.hits.map(({ taskId }) => taskId)))];
  const tasks = await partsOf(answering, taskIds, clock, 'own');
  const reached = leastFar(answers, from);
  const found = answers
    .flatMap((answer) => placedHits(answer, tasks, from, clock))
    .filter(({ place }) => !reached || compareSearchPlaces(place, reached) <= 0)
    .sort((a, b) => compareSearchPlaces(a.place, b.place) || compareText(a.cell, b.cell));
  const isOwned = ownerCheck(answering, tasks, clock);
  const hits: SearchHit[] = [];
  let cut: SearchPlace | undefined;
  let last: PlacedHit | undefined;
  for (const one of found) {
    const isSameNode = last !== undefined && compareSearchPlaces(last.place, one.place) === 0;
    if (last && !isSameNode && hits.length >= query.limit) {
      cut = last.place;
      break;
    }
    last = one;
    if (await isOwned(one)) hits.push(one.hit);
  }
  const end = cut ?? (hits.length >= query.limit ? last?.place : undefined) ?? reached;
  const page: SearchPage = {
    hits,
    ...(end && { nextCursor: searchCursorAt(end) }),
    ...(end && hits.length < query.limit && { truncated: true }),
  };
  return noticed(page, absenceNotices([...failures, ...tasks.failures]));
}

/** Up to where all cells have looked; undefined where that is everywhere. */
function leastFar(
  answers: readonly OfCell<SearchPage>[],
  from: SearchPlace | undefined,
): SearchPlace | undefined {
  let least: SearchPlace | undefined;
  for (const { answer } of answers) {
    const place = answer.nextCursor === undefined ? undefined : searchPlaceAt(answer.nextCursor);
    // A cell that got nowhere would keep the others there for ever.
    if (!place || (from && compareSearchPlaces(place, from) <= 0)) continue;
    if (!least || compareSearchPlaces(place, least) < 0) least = place;
  }
  return least;
}

/** Without those of a task that went meanwhile, and those of a cell that keeps to no order. */
function placedHits(
  { cell, answer }: OfCell<SearchPage>,
  { parts }: TaskParts,
  from: SearchPlace | undefined,
  clock: Clock,
): readonly PlacedHit[] {
  const keyOf = keyIn('newest', clock.now() + MAX_SKEW_MS);
  const placed: PlacedHit[] = [];
  let before = from;
  for (const hit of answer.hits) {
    const part = parts.get(hit.taskId)?.find((of) => of.cell === cell);
    if (!part) continue;
    let place = { key: String(keyOf(part.overview)), taskId: hit.taskId, nodeId: hit.nodeId };
    const isSame = placed.at(-1)?.hit.nodeId === hit.nodeId;
    const isBehind = (): boolean => isSame || !before || compareSearchPlaces(before, place) < 0;
    // By the cell's clock its task is dated too far ahead.
    if (!isBehind()) place = { ...place, key: MADE_UP };
    if (!isBehind()) continue;
    if (isSame) place = placed.at(-1)?.place ?? place;
    placed.push({ place, cell, hit });
    before = place;
  }
  return placed;
}

/** Is the cell that found it the first that has the node? Asked of nodes of tasks in several cells. */
function ownerCheck(
  cells: readonly AskedCell[],
  { parts }: TaskParts,
  clock: Clock,
): (found: PlacedHit) => Promise<boolean> {
  const known = new Map<string, boolean>();
  return async ({ cell, hit }) => {
    const others = (parts.get(hit.taskId) ?? []).map((part) => part.cell).filter((name) => name < cell);
    if (others.length === 0) return true;
    const key = `${cell} ${hit.nodeId}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const { answers } = await outcomes(
      cells.filter(({ name }) => others.includes(name)),
      (of) => of.getNode(hit.nodeId, {}),
      clock,
      'own',
    );
    known.set(key, answers.length === 0);
    return answers.length === 0;
  };
}
