import type { Subscriber } from 'rxjs';
// The whole of RxJS is 220 modules; this is part of what the bus needs anyway.
import { Observable } from 'rxjs/internal/Observable';
import { BoundaryError } from '../base/boundary-error.ts';
import type { ReaderApi } from '../subscriptions/reader-api.ts';
import { Feed, type ViewUpdate } from './feed.ts';
import { Follower } from './follower.ts';

/** Observers take an update a turn, and are told the last ones before a stop is over; longer is waited for nobody. */
const STOP_WAIT_MS = 2_000;

/** The open feeds of one service, so that they end with it. */
export class Feeds {
  private readonly reader: ReaderApi;
  private readonly observed = new Set<Feed>();
  private readonly followed = new Set<Feed>();
  private isStopped = false;

  constructor(reader: ReaderApi) {
    this.reader = reader;
  }

  /** Each who subscribes has a feed of its own: an update in a turn of the event loop. */
  observe(view: unknown): Observable<ViewUpdate> {
    return new Observable((subscriber: Subscriber<ViewUpdate>) => {
      if (this.isStopped) return subscriber.error(stopped());
      const feed = new Feed(this.reader, view, {
        ready: () => {
          const update = feed.take();
          if (update) subscriber.next(update);
        },
        ended: (error) => {
          this.observed.delete(feed);
          if (error) subscriber.error(error);
          else subscriber.complete();
        },
      });
      this.observed.add(feed);
      return () => {
        this.observed.delete(feed);
        feed.cancel();
      };
    });
  }

  /** An update whenever the consumer asks for one: what comes meanwhile is merged. */
  follow(view: unknown): AsyncIterableIterator<ViewUpdate> {
    return new Follower(
      (listener) => {
        if (this.isStopped) throw stopped();
        const feed = new Feed(this.reader, view, listener);
        this.followed.add(feed);
        return feed;
      },
      (feed) => this.followed.delete(feed),
    );
  }

  /** The service has stopped. Resolves when all observers have been told everything. */
  async stop(): Promise<void> {
    this.isStopped = true;
    for (const feed of [...this.observed, ...this.followed]) feed.stop();
    const until = performance.now() + STOP_WAIT_MS;
    while (this.observed.size > 0 && performance.now() < until)
      await new Promise((resolve) => setImmediate(resolve));
  }
}

export function stopped(): BoundaryError {
  return new BoundaryError('UNAVAILABLE', 'the service was stopped: start another one');
}
