import { seldom, type IsOver, type Work } from '../../base/in-turns.ts';
import { MAX_EVENTS_ITEMS } from '../config.ts';
import { splitItems, tooManyItems, type Item } from '../events/split-items.ts';

/** The first field of a stream of server-sent events, or a comment. */
const SSE = /^\uFEFF?[\r\n]*(?:data|event|id|retry)?:/;
const LF = 0x0a;
const CR = 0x0d;
/** Of one frame: JSON that is written for people to read has fewer. */
const MAX_DATA_LINES = 100_000;
const TOO_MANY_LINES: Item = {
  problem: `this frame has more than ${MAX_DATA_LINES} lines of data; write its JSON in one line`,
};

/**
 * The events of a body: one JSON value, an array, NDJSON, or server-sent events, told by the content.
 * @throws BoundaryError UNSUPPORTED_MEDIA_TYPE, TOO_LARGE, INVALID_ARGUMENT (nothing could be read)
 */
export function* splitEvents(
  body: Buffer,
  contentType: string | undefined,
  isOver: IsOver,
): Work<readonly Item[]> {
  if (SSE.test(body.toString('utf8', 0, 64))) return yield* serverSentEvents(body.toString('utf8'), isOver);
  const isStream = contentType?.trim().toLowerCase().startsWith('text/event-stream') === true;
  // A stream in which nothing was sent.
  if (isStream && body.toString('latin1').trim() === '') return [];
  return yield* splitItems(body, isStream ? undefined : contentType, isOver);
}

/** Only `data` counts: the type of an event of AG-UI is in its JSON. What is cut off at the end is read as far as it goes. */
function* serverSentEvents(text: string, isOver: IsOver): Work<readonly Item[]> {
  const isOverByNow = seldom(isOver);
  const items: Item[] = [];
  let data: string[] = [];
  const end = (): void => {
    if (data.length === 0) return;
    if (items.length === MAX_EVENTS_ITEMS) throw tooManyItems();
    items.push(data.length > MAX_DATA_LINES ? TOO_MANY_LINES : readData(data.join('\n')));
    data = [];
  };
  let from = text.startsWith('\uFEFF') ? 1 : 0;
  while (from < text.length) {
    const to = lineEnd(text, from);
    if (to === from ? isOver() : isOverByNow()) yield;
    if (to === from) {
      end();
      from = afterBreaks(text, from);
      continue;
    }
    if (text.startsWith('data:', from) && data.length <= MAX_DATA_LINES) {
      const value = text.startsWith('data: ', from) ? from + 6 : from + 5;
      data.push(text.slice(Math.min(value, to), to));
    }
    from = to + (text.startsWith('\r\n', to) ? 2 : 1);
  }
  end();
  return items;
}

function lineEnd(text: string, from: number): number {
  let to = from;
  while (to < text.length && !isBreak(text.charCodeAt(to))) to++;
  return to;
}

/** Blank lines that follow one another end one frame. */
function afterBreaks(text: string, from: number): number {
  let to = from;
  while (to < text.length && isBreak(text.charCodeAt(to))) to++;
  return to;
}

function isBreak(unit: number): boolean {
  return unit === LF || unit === CR;
}

function readData(data: string): Item {
  try {
    return { value: JSON.parse(data) as unknown };
  } catch {
    return { problem: 'the data of this frame is not valid JSON, or is cut off' };
  }
}
