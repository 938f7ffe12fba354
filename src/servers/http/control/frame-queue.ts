import type { ControlFrame, ControlStream } from '../../control-api.ts';

/** Interrupts are few: whoever lets so many lie does not read. */
const MAX_FRAMES = 1_000;

/** Frames on their way to one who reads them as they come. */
export class FrameQueue implements ControlStream {
  private readonly waiting: ControlFrame[] = [];
  private readonly onOverflow: () => void;
  private isOver = false;
  private wake: () => void = () => {};

  /** @param onOverflow told when its reader takes nothing */
  constructor(onOverflow: () => void) {
    this.onOverflow = onOverflow;
  }

  send(frame: ControlFrame): void {
    if (this.isOver) return;
    if (this.waiting.length >= MAX_FRAMES) this.onOverflow();
    else this.waiting.push(frame);
    this.wake();
  }

  /** What is waiting is still given. */
  end(): void {
    this.isOver = true;
    this.wake();
  }

  async *frames(): AsyncGenerator<readonly ControlFrame[], void> {
    for (;;) {
      if (this.waiting.length > 0) yield this.waiting.splice(0);
      else if (this.isOver) return;
      else await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}
