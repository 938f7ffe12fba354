import type { BoundaryError } from '../base/boundary-error.ts';
import type { Feed, FeedListener, ViewUpdate } from './feed.ts';

/**
 * The updates of a feed, one whenever it is asked for. Written out, because `return` of a generator waits for a `next` that is
 * under way: here it ends that one.
 */
export class Follower implements AsyncIterableIterator<ViewUpdate, undefined> {
  private readonly open: (listener: FeedListener) => Feed;
  private readonly left: (feed: Feed) => void;
  private feed: Feed | undefined;
  private wake = (): void => undefined;
  private end: { readonly error: BoundaryError | undefined } | undefined;

  /** @param open called with the first `next` @param left told when the feed is needed no more */
  constructor(open: (listener: FeedListener) => Feed, left: (feed: Feed) => void) {
    this.open = open;
    this.left = left;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<ViewUpdate, undefined>> {
    if (!this.feed && !this.end)
      this.feed = this.open({ ready: () => this.wake(), ended: (error) => this.endWith(error) });
    for (;;) {
      const update = this.feed?.take();
      if (update) return { done: false, value: update };
      if (this.end) break;
      await new Promise<void>((resolve) => {
        const before = this.wake;
        this.wake = () => {
          before();
          resolve();
        };
      });
      this.wake = () => undefined;
    }
    const { error } = this.end;
    this.leave();
    if (!error) return { done: true, value: undefined };
    // Told once, as by a generator.
    this.end = { error: undefined };
    throw error;
  }

  async return(): Promise<IteratorResult<ViewUpdate, undefined>> {
    this.leave();
    this.endWith(undefined);
    return { done: true, value: undefined };
  }

  private endWith(error: BoundaryError | undefined): void {
    this.end ??= { error };
    this.wake();
  }

  private leave(): void {
    const { feed } = this;
    this.feed = undefined;
    if (!feed) return;
    feed.cancel();
    this.left(feed);
  }
}
