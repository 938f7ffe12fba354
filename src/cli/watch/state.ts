import type { LiveState } from '../../client/session.ts';
import type { Line } from '../terminal/line.ts';
import type { Action } from './keys.ts';
import { taskKey, type Row, type RowList } from './row-list.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** What is on the screen beside the graph itself. Immutable. */
export interface WatchState {
  readonly size: Size;
  /** The selected row. */
  readonly cursor: string | undefined;
  /** Where it was last: what is there is selected when the row is gone. */
  readonly index: number;
  /** The first row shown. */
  readonly top: number;
  readonly follow: boolean;
  readonly onlyErrors: boolean;
  readonly everything: boolean;
  readonly foldedTasks: ReadonlySet<string>;
  readonly pane: Pane | undefined;
  readonly connection: Connection;
  /** What happened last, for the footer. */
  readonly message: string | undefined;
}

export interface Connection {
  readonly state: LiveState;
  /** Epoch ms of the next attempt. */
  readonly retryAt: number | undefined;
  /** Whether it was lost before. */
  readonly wasLost: boolean;
}

/** Something to read, over the tree. */
export interface Pane {
  readonly kind: 'help' | 'details' | 'why';
  readonly title: string;
  readonly lines: readonly Line[];
  readonly top: number;
}

/** What the screen asks the client for. */
export type Effect =
  | { readonly type: 'quit' | 'redraw' | 'setFilters' | 'resubscribe' }
  | { readonly type: 'expand' | 'collapse' | 'why' | 'details'; readonly nodeId: string }
  | { readonly type: 'help' };

export interface Step {
  readonly state: WatchState;
  readonly effect?: Effect;
}

/** Lines that are no rows: two of the header, two of the footer. */
const FRAME_LINES = 4;

export function initialState(size: Size, view: { readonly everything: boolean }): WatchState {
  return {
    size,
    cursor: undefined,
    index: 0,
    top: 0,
    follow: false,
    onlyErrors: false,
    everything: view.everything,
    foldedTasks: new Set(),
    pane: undefined,
    connection: { state: 'connecting', retryAt: undefined, wasLost: false },
    message: undefined,
  };
}

/** How many rows are shown. */
export function bodyRows({ rows }: Size): number {
  return Math.max(1, rows - FRAME_LINES);
}

/** Pure: what a key does. */
export function act(state: WatchState, action: Action, rows: RowList): Step {
  if (state.pane !== undefined) return actInPane(state, state.pane, action);
  const fresh = { ...state, message: undefined };
  const row = rows.at(positionOf(fresh, rows));
  const page = bodyRows(state.size) - 1;
  switch (action.type) {
    case 'move':
      return { state: moved(fresh, action.by, rows) };
    case 'page':
      return { state: moved(fresh, action.by * Math.max(1, page), rows) };
    case 'home':
      return { state: moved(fresh, -rows.length, rows) };
    case 'end':
      return { state: moved(fresh, rows.length, rows) };
    case 'open':
      return open(fresh, row, rows);
    case 'close':
      return close(fresh, row, rows);
    case 'errors':
      return { state: { ...fresh, onlyErrors: !state.onlyErrors }, effect: { type: 'setFilters' } };
    case 'everything':
      return { state: { ...fresh, everything: !state.everything }, effect: { type: 'resubscribe' } };
    case 'why':
    case 'details':
      return row?.kind === 'node'
        ? { state: fresh, effect: { type: action.type, nodeId: row.node.id } }
        : { state: { ...fresh, message: 'select a step first' } };
    case 'follow':
      return { state: { ...fresh, follow: !state.follow } };
    case 'help':
      return { state: fresh, effect: { type: 'help' } };
    case 'back':
      return { state: fresh };
    case 'leave':
    case 'quit':
      return { state: fresh, effect: { type: 'quit' } };
    case 'redraw':
      return { state: fresh, effect: { type: 'redraw' } };
  }
}

/** Keeps the cursor on its row and the row on the screen. To be called before each frame. */
export function settled(state: WatchState, rows: RowList): WatchState {
  const index = positionOf(state, rows);
  const height = bodyRows(state.size);
  const highest = Math.max(0, rows.length - height);
  const top = Math.min(highest, Math.max(Math.min(state.top, index), index - height + 1));
  return { ...state, index, top, cursor: rows.at(index)?.key };
}

function positionOf(state: WatchState, rows: RowList): number {
  const last = Math.max(0, rows.length - 1);
  // Mostly it is still where it was.
  if (state.cursor === undefined || rows.at(state.index)?.key === state.cursor)
    return Math.min(state.index, last);
  const found = rows.indexOf(state.cursor);
  return found >= 0 ? found : Math.min(state.index, last);
}

function moved(state: WatchState, by: number, rows: RowList): WatchState {
  const index = Math.min(Math.max(0, positionOf(state, rows) + by), Math.max(0, rows.length - 1));
  return settled({ ...state, index, cursor: rows.at(index)?.key, follow: false }, rows);
}

function open(state: WatchState, row: Row | undefined, rows: RowList): Step {
  if (row === undefined) return { state };
  if (row.kind === 'task') {
    return row.isFolded
      ? { state: withFold(state, row.tree.taskId, false) }
      : { state: moved(state, 1, rows) };
  }
  if (row.node.type === 'SUMMARY') return { state, effect: { type: 'expand', nodeId: row.node.id } };
  return { state, effect: { type: 'details', nodeId: row.node.id } };
}

/** A step goes back into its summary where it came from one; the controller falls back to its parent. */
function close(state: WatchState, row: Row | undefined, rows: RowList): Step {
  if (row === undefined) return { state };
  if (row.kind === 'task') return { state: withFold(state, row.tree.taskId, true) };
  const parent = rows.indexOf(row.parent ?? taskKey(row.node.taskId));
  const up = parent < 0 ? state : moved({ ...state, index: parent, cursor: rows.at(parent)?.key }, 0, rows);
  return row.node.type === 'SUMMARY'
    ? { state: up }
    : { state: up, effect: { type: 'collapse', nodeId: row.node.id } };
}

function withFold(state: WatchState, taskId: string, isFolded: boolean): WatchState {
  const foldedTasks = new Set(state.foldedTasks);
  if (isFolded) foldedTasks.add(taskId);
  else foldedTasks.delete(taskId);
  return { ...state, foldedTasks, follow: false };
}

function actInPane(state: WatchState, pane: Pane, action: Action): Step {
  const page = bodyRows(state.size);
  const scrolled = (by: number): Step => {
    const top = Math.max(0, Math.min(pane.lines.length - page, pane.top + by));
    return { state: { ...state, pane: { ...pane, top } } };
  };
  switch (action.type) {
    case 'move':
      return scrolled(action.by);
    case 'page':
      return scrolled(action.by * page);
    case 'home':
      return scrolled(-pane.lines.length);
    case 'end':
      return scrolled(pane.lines.length);
    case 'redraw':
    case 'quit':
      return { state, effect: { type: action.type } };
    case 'open':
    case 'errors':
    case 'everything':
    case 'follow':
      return { state };
    case 'close':
    case 'back':
    case 'leave':
    case 'why':
    case 'details':
    case 'help':
      return { state: { ...state, pane: undefined } };
  }
}
