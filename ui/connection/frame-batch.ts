/** A page that is not looked at draws no frames. */
const HIDDEN_MS = 500;

/** Collects what happens and hands it over once before the next frame. */
export class FrameBatch<Item> {
  private items: Item[] = [];
  private isAsked = false;
  private isClosed = false;
  private readonly take: (items: readonly Item[]) => void;

  constructor(take: (items: readonly Item[]) => void) {
    this.take = take;
  }

  get waiting(): number {
    return this.items.length;
  }

  add(item: Item): void {
    this.items.push(item);
    if (this.isAsked) return;
    this.isAsked = true;
    if (document.visibilityState === 'hidden') setTimeout(this.hand, HIDDEN_MS);
    else requestAnimationFrame(this.hand);
  }

  close(): void {
    this.isClosed = true;
    this.items = [];
  }

  private readonly hand = (): void => {
    this.isAsked = false;
    if (this.isClosed) return;
    const { items } = this;
    this.items = [];
    this.take(items);
  };
}
