/** Lets many do one kind of work side by side, and others do theirs while none of it is under way. */
export class SharedLock {
  private readonly sharing = new Set<Promise<unknown>>();
  /** The last of those who are, or are to be, alone. Never rejects. */
  private last: Promise<void> | undefined;

  /** Begins when nobody is alone or waits to be. */
  async shared<T>(work: () => Promise<T>): Promise<T> {
    while (this.last) await this.last;
    const done = work();
    this.sharing.add(done);
    try {
      return await done;
    } finally {
      this.sharing.delete(done);
    }
  }

  /** Begins when all that is shared is done; what is to be shared waits meanwhile. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    const done = (this.last ?? Promise.resolve()).then(async () => {
      await Promise.allSettled(this.sharing);
      return work();
    });
    const last = done.then(
      () => undefined,
      () => undefined,
    );
    this.last = last;
    try {
      return await done;
    } finally {
      if (this.last === last) this.last = undefined;
    }
  }
}
