import { BoundaryError } from '../../base/boundary-error.ts';
import { isObject } from '../../base/json.ts';
import { wholeInTurns } from '../../base/in-turns.ts';
import type { Turns } from '../../base/pace.ts';
import type { Bounds } from '../bounds.ts';
import { MAX_LISTED_ERRORS } from '../config.ts';
import type { Item } from '../events/split-items.ts';
import { readAsked, type Asked } from './asked-input.ts';
import { readEvent, type AgUiEvent } from './read-event.ts';
import { splitEvents } from './split-events.ts';

/** What is wrong with an item of a body, by its place in it. */
export interface ItemError {
  readonly index: number;
  readonly message: string;
}

export interface BodyEvent extends AgUiEvent {
  readonly index: number;
}

export interface ReadBody {
  readonly events: readonly BodyEvent[];
  /** The first MAX_LISTED_ERRORS. */
  readonly errors: readonly ItemError[];
  readonly rejected: number;
  /** The events, and the inputs of runs that begin in the body. */
  readonly accepted: number;
  /** Was the last RUN_STARTED refused? undefined where there is none. */
  readonly isStartRefused: boolean | undefined;
}

const START = 'RUN_STARTED';
const NO_RUN = 'the input of a run, and no RUN_STARTED comes after it in this body';

/** undefined when nothing could be read. */
export async function readEvents(
  body: Buffer,
  contentType: string | undefined,
  bounds: Bounds,
  pace: Turns,
): Promise<ReadBody | undefined> {
  let items: readonly Item[];
  try {
    items = await wholeInTurns(
      splitEvents(body, contentType, () => pace.isOver),
      pace,
    );
  } catch (error) {
    if (error instanceof BoundaryError && error.code === 'INVALID_ARGUMENT') return undefined;
    throw error;
  }
  const events: BodyEvent[] = [];
  const errors: ItemError[] = [];
  let rejected = 0;
  const reject = (index: number, message: string): void => {
    rejected++;
    if (errors.length < MAX_LISTED_ERRORS) errors.push({ index, message });
  };
  let input: { readonly index: number; readonly asked: Asked } | undefined;
  let isStartRefused: boolean | undefined;
  for (const [index, item] of items.entries()) {
    if (pace.isOver) await pace.rest();
    const read = 'value' in item ? tryRead(item.value, bounds) : item.problem;
    if (typeof read === 'string') {
      reject(index, read);
      if ('value' in item && isStart(item.value)) isStartRefused = true;
    } else if ('prompt' in read) {
      if (input) reject(input.index, NO_RUN);
      input = { index, asked: read };
    } else if (read.type === START) {
      isStartRefused = false;
      const asked = 'input' in read.fields ? undefined : input?.asked;
      events.push({ ...read, index, ...(asked && { asked }) });
      input = undefined;
    } else events.push({ ...read, index, ...(isStartRefused === true && { isOfRefused: true }) });
  }
  if (input) reject(input.index, NO_RUN);
  return { events, errors, rejected, accepted: items.length - rejected, isStartRefused };
}

function isStart(value: unknown): boolean {
  return isObject(value) && value['type'] === START;
}

/** @returns what is wrong with it, where it is none */
function tryRead(value: unknown, bounds: Bounds): AgUiEvent | Asked | string {
  try {
    return readAsked(value, bounds) ?? readEvent(value, bounds);
  } catch (error) {
    if (error instanceof BoundaryError && error.code === 'INVALID_ARGUMENT') return error.message;
    throw error;
  }
}
