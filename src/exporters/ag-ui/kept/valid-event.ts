import type { KeptEvent } from '../../../model/ag-ui-events.ts';
import { METADATA_KEY } from '../events.ts';
import { EVENT_SCHEMAS } from './event-schemas.ts';

/** An event as it goes out. */
export type OutEvent = { readonly type: string; readonly [field: string]: unknown };

/**
 * A kept event as one that every reader of AG-UI 1.0 takes. What is no event of it goes out as RAW, with all that was sent.
 * An encrypted value is empty, and its metadata says what it was.
 * @param fields those that are not kept with it
 */
export function validEvent(
  { event, encrypted }: KeptEvent,
  fields: { readonly [field: string]: unknown } = {},
): OutEvent {
  const own = encrypted?.filter(({ at }) => at === 'encryptedValue') ?? [];
  const whole: OutEvent = {
    ...event,
    ...fields,
    ...(own.length > 0 && {
      encryptedValue: '',
      metadata: { ...Object(event['metadata']), [METADATA_KEY]: { encrypted: own } },
    }),
  };
  const schema = EVENT_SCHEMAS.get(event.type);
  const { data } = schema?.safeParse(whole) ?? {};
  return data ? defined(data) : { type: 'RAW', event: whole, source: 'ag-ui' };
}

function defined(fields: { readonly [field: string]: unknown }): OutEvent {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as OutEvent;
}
