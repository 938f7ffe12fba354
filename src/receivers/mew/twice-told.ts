import { mewSpanId, type MewPlace } from './mew-ids.ts';

/** Thoughts by which one that is told again is known; the one that was quiet the longest goes. */
const MAX_KNOWN = 20_000;

interface Told {
  inMessages: number;
  inFrames: number;
}

/**
 * Agents tell thoughts twice: in messages, and in the frames of a stream, which have no ids. The n-th of equal thoughts of a
 * context in frames is the n-th of them in messages, whichever comes first.
 */
export class TwiceTold {
  private readonly known = new Map<string, Told>();

  /** @returns what a frame that told it before is known by; undefined if none did */
  inMessage(place: MewPlace, context: string, thought: string): string | undefined {
    const key = mewSpanId(place, context, thought);
    const told = this.toldOf(key);
    told.inMessages++;
    return told.inMessages <= told.inFrames ? `${key}.${told.inMessages}` : undefined;
  }

  /** @returns what this frame is known by; undefined if a message told it before */
  inFrame(place: MewPlace, context: string, thought: string): string | undefined {
    const key = mewSpanId(place, context, thought);
    const told = this.toldOf(key);
    told.inFrames++;
    return told.inFrames <= told.inMessages ? undefined : `${key}.${told.inFrames}`;
  }

  private toldOf(key: string): Told {
    const told = this.known.get(key) ?? { inMessages: 0, inFrames: 0 };
    this.known.delete(key);
    this.known.set(key, told);
    if (this.known.size > MAX_KNOWN)
      for (const oldest of this.known.keys()) {
        this.known.delete(oldest);
        break;
      }
    return told;
  }
}
