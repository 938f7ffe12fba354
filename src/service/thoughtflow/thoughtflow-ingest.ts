import type { Clock } from '../../base/clock.ts';
import { isObject } from '../../base/json.ts';
import { spanKey } from '../../model/ids.ts';
import { THOUGHTFLOW } from '../../model/thoughtflow.ts';
import { FlowReceiver, type FlowReceiverOptions } from '../../receivers/thoughtflow/receive-flow.ts';
import type { FlowItem } from '../../receivers/thoughtflow/flow.ts';
import type { KnownItem } from '../../receivers/thoughtflow/open-sessions.ts';
import { single } from '../../servers/query.ts';
import { ingestRoute } from '../../servers/http/ingest-route.ts';
import type { Route } from '../../servers/http/route.ts';
import { parseId } from '../../subscriptions/parse-request.ts';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import { detailOf } from '../../subscriptions/task-content.ts';

export interface ThoughtflowIngestOptions extends Pick<
  FlowReceiverOptions,
  'consumer' | 'metrics' | 'onEnded' | 'open' | 'pace'
> {
  readonly clock: Clock;
  readonly reader: ReaderApi;
}

/** `POST /thoughtflow`. */
export function thoughtflowIngest({ clock, reader, ...options }: ThoughtflowIngestOptions): Route {
  const receiver = new FlowReceiver({ ...options, known: knownItem(reader) });
  return ingestRoute(
    { path: '/thoughtflow', query: ['taskId'], counts: 'spans' },
    ({ body, contentType, query }) => {
      const named = single(query, 'taskId');
      const taskId = named === undefined ? undefined : parseId(named, 'taskId');
      return receiver.receive({ body, contentType, taskId, receivedAt: clock.monotonic() });
    },
  );
}

/** What is kept of a step that began before: redacted, as readers see it. */
function knownItem(reader: ReaderApi): KnownItem {
  return async (traceId, spanId) => {
    const own = (await detailOf(reader, spanKey(traceId, spanId)))?.attributes?.[spanId];
    const item = own?.[THOUGHTFLOW.item];
    if (!isObject(item)) return undefined;
    return { item: item as FlowItem, index: Number(own?.[THOUGHTFLOW.index] ?? 0) };
  };
}
