import { MAX_EVENTS_ITEMS } from '../config.ts';
import { splitItems, tooManyItems, type Item } from '../events/split-items.ts';

/** The first field of a stream of server-sent events, or a comment. */
const SSE = /^\uFEFF?[\r\n]*(?:data|event|id|retry)?:/;
const LINE_END = /\r\n|\n|\r/;

/**
 * The events of a body: one JSON value, an array, NDJSON, or server-sent events, told by the content.
 * @throws BoundaryError UNSUPPORTED_MEDIA_TYPE, TOO_LARGE, INVALID_ARGUMENT (nothing could be read)
 */
export function splitEvents(body: Buffer, contentType: string | undefined): readonly Item[] {
  if (SSE.test(body.toString('utf8', 0, 64))) return serverSentEvents(body.toString('utf8'));
  const isStream = contentType?.trim().toLowerCase().startsWith('text/event-stream') === true;
  // A stream in which nothing was sent.
  if (isStream && body.toString('latin1').trim() === '') return [];
  return splitItems(body, isStream ? undefined : contentType);
}

/** Only `data` counts: the type of an event of AG-UI is in its JSON. What is cut off at the end is read as far as it goes. */
function serverSentEvents(text: string): readonly Item[] {
  const items: Item[] = [];
  let data: string | undefined;
  const end = (): void => {
    if (data === undefined) return;
    if (items.length === MAX_EVENTS_ITEMS) throw tooManyItems();
    items.push(readData(data));
    data = undefined;
  };
  for (const line of text.replace(/^\uFEFF/, '').split(LINE_END)) {
    if (line === '') end();
    else if (line.startsWith('data:')) {
      const value = line.slice(line.startsWith('data: ') ? 6 : 5);
      data = data === undefined ? value : `${data}\n${value}`;
    }
  }
  end();
  return items;
}

function readData(data: string): Item {
  try {
    return { value: JSON.parse(data) as unknown };
  } catch {
    return { problem: 'the data of this frame is not valid JSON, or is cut off' };
  }
}
