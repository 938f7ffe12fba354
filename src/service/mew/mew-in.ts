import { isOne } from '../../access/principal.ts';
import { MewReceiver, type MewReceiverOptions } from '../../receivers/mew/mew-receiver.ts';
import { single } from '../../servers/query.ts';
import { ingestRoute } from '../../servers/http/ingest-route.ts';
import type { Route } from '../../servers/http/route.ts';
import { parseId } from '../../subscriptions/parse-request.ts';

/** The ways in for MEW. */
export class MewIn {
  /** Takes what comes over the connection to a gateway. */
  readonly receiver: MewReceiver;

  private readonly listeners: ((tasks: readonly string[]) => void)[] = [];

  constructor(options: MewReceiverOptions) {
    this.receiver = new MewReceiver(options);
  }

  /** `POST /mew/envelopes`. */
  get route(): Route {
    return ingestRoute(
      { path: '/mew/envelopes', query: ['taskId', 'space'], counts: 'spans' },
      ({ body, contentType, query, principal }) => {
        const named = (name: string): string | undefined => {
          const value = single(query, name);
          return value === undefined ? undefined : parseId(value, name);
        };
        return this.receiver.receive({
          body,
          contentType,
          taskId: named('taskId'),
          space: named('space'),
          key: isOne(principal) ? principal.id : undefined,
          capabilities: principal.capabilities,
        });
      },
    );
  }

  onErased(listener: (tasks: readonly string[]) => void): void {
    this.listeners.push(listener);
  }

  /** These tasks are being erased. */
  forget(tasks: readonly string[]): void {
    this.receiver.forgetAll();
    for (const listener of this.listeners) listener(tasks);
  }
}
