import type { Clock } from '../../../base/clock.ts';
import type { Turns } from '../../../base/pace.ts';
import type { ReaderApi } from '../../../subscriptions/reader-api.ts';
import type { Route } from '../route.ts';
import { encodingFor } from './encoding.ts';
import type { RunStreams } from './run-streams.ts';
import { readRunInput } from './run-input.ts';
import { sendEvents } from './send-events.ts';
import { TaskEvents } from './task-events.ts';

export interface RunRouteOptions {
  readonly reader: ReaderApi;
  readonly clock: Clock;
  readonly pace: Turns;
  readonly runs: RunStreams;
}

/** An agent of AG-UI whose threads are the tasks: a run shows one, live until it is over. */
export function agUiRunRoute({ reader, clock, pace, runs }: RunRouteOptions): Route {
  return {
    method: 'POST',
    path: '/ag-ui/run',
    needs: 'see',
    query: [],
    handle: async ({ raw, body, principal }, response) => {
      const ids = readRunInput(await body());
      const task = new TaskEvents(ids, { reader, clock, pace });
      response.once('close', () => task.end());
      try {
        if (response.destroyed) return undefined;
        runs.begin(response, task, principal.id);
        const waits = (isWaiting: boolean): void => runs.waits(response, isWaiting);
        await sendEvents(response, task.events(), {
          encoding: encodingFor(raw.headers.accept),
          clock,
          waits,
        });
      } finally {
        task.end();
      }
      return undefined;
    },
  };
}
