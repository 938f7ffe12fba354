/** Finds the next occurrence of a character. Queries go from left to right, so a text is searched once. */
export class NextSign {
  private readonly sign: string;
  private next = -1;

  constructor(sign: string) {
    this.sign = sign;
  }

  /** Before another text. */
  restart(): void {
    this.next = -1;
  }

  /** The first one at `at` or behind it; Infinity when there is none. */
  from(text: string, at: number): number {
    if (this.next >= at) return this.next;
    const found = text.indexOf(this.sign, at);
    this.next = found < 0 ? Infinity : found;
    return this.next;
  }
}
