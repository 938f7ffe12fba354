/** Calls once before the next frame. @param hand is told how many items that frame has time for */
export type NextFrame = (hand: (most: number) => void) => void;

/** Collects what happens and hands it over before the next frame, or, where it is much, before the next few. */
export class FrameBatch<Item> {
  private items: Item[] = [];
  private isAsked = false;
  private isClosed = false;
  private readonly nextFrame: NextFrame;
  private readonly take: (items: readonly Item[], left: number) => void;

  /** @param take is told as well how many are left for later frames */
  constructor(nextFrame: NextFrame, take: (items: readonly Item[], left: number) => void) {
    this.nextFrame = nextFrame;
    this.take = take;
  }

  add(item: Item): void {
    this.items.push(item);
    this.ask();
  }

  close(): void {
    this.isClosed = true;
    this.items = [];
  }

  private ask(): void {
    if (this.isAsked) return;
    this.isAsked = true;
    this.nextFrame(this.hand);
  }

  private readonly hand = (most: number): void => {
    this.isAsked = false;
    if (this.isClosed) return;
    const items = this.items.splice(0, most);
    if (this.items.length > 0) this.ask();
    this.take(items, this.items.length);
  };
}
