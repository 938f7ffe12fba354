import type { EventFacts } from './facts.ts';

/** What an event points at, read from its payload: the first spelling that is present counts. */
export interface EventRefs {
  readonly taskId: string | undefined;
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;
  readonly nodeId: string | undefined;
  readonly requestId: string | undefined;
}

export function eventRefs(event: Pick<EventFacts, 'payload'>): EventRefs {
  const text = (...keys: string[]): string | undefined => {
    for (const key of keys) {
      const value = Object.hasOwn(event.payload, key) ? event.payload[key] : undefined;
      if (typeof value === 'string' && value !== '') return value;
    }
    return undefined;
  };
  return {
    taskId: text('taskId', 'taskID', 'task_id'),
    traceId: text('traceId', 'traceID', 'trace_id')?.toLowerCase(),
    spanId: text('spanId', 'spanID', 'span_id')?.toLowerCase(),
    nodeId: text('nodeId', 'nodeID', 'node_id'),
    requestId: text('requestId', 'requestID', 'request_id'),
  };
}
