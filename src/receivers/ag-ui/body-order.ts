/** How a body says of which run it is: it begins one, names one that goes on, or means the one that goes on. */
export type Names = 'begins' | 'named' | 'unnamed';

interface UnderWay {
  /** Those that the next one that names no run has to wait for. */
  readonly bodies: Set<Promise<unknown>>;
  /** The last one that names no run, where it is under way: it waited for all before it. */
  unnamed: readonly Promise<unknown>[];
}

/**
 * In which order the bodies of one sender are taken, who may be many: what begins a run waits for nobody, what names no run
 * for all that came before, and what goes on by name for those that name none, since they may be of the same run.
 */
export class BodyOrder {
  private readonly senders = new Map<string, UnderWay>();

  async inOrder<T>(sender: string, names: Names, work: () => Promise<T>): Promise<T> {
    const known = this.senders.get(sender);
    const underWay: UnderWay = known ?? { bodies: new Set(), unnamed: [] };
    if (!known) this.senders.set(sender, underWay);
    const { bodies } = underWay;
    const before = names === 'unnamed' ? [...bodies] : names === 'named' ? [...underWay.unnamed] : [];
    const done = before.length > 0 ? Promise.allSettled(before).then(work) : work();
    if (names === 'unnamed') {
      bodies.clear();
      underWay.unnamed = [done];
    }
    bodies.add(done);
    try {
      return await done;
    } finally {
      bodies.delete(done);
      if (underWay.unnamed[0] === done) underWay.unnamed = [];
      if (bodies.size + underWay.unnamed.length === 0) this.senders.delete(sender);
    }
  }
}
