/** Shorter ones are not searched at all; longer ones rarely come up again, and cost more to hold. */
const MIN_CHARS = 4;
const MAX_CHARS = 64;
/** Some hundreds of values come up again and again; ids that never do take the places of few of them. At most 0.6 MB. */
const PLACE_BITS = 12;

/**
 * Short texts in which the rules found nothing: names of models, tools and operations come with every span. It knows no
 * more of a text than what the rules would say of it again, so it is asked only about texts that are judged by
 * themselves, never about what the name of its member gives away.
 */
export class CleanTexts {
  /** Each text has one place: one that comes to it takes it. */
  private places: (string | undefined)[] = [];

  has(text: string): boolean {
    return isMeant(text) && this.places[placeOf(text)] === text;
  }

  add(text: string): void {
    if (!isMeant(text)) return;
    if (this.places.length === 0) this.places = Array.from({ length: 1 << PLACE_BITS }, () => undefined);
    this.places[placeOf(text)] = copyOf(text);
  }

  clear(): void {
    this.places = [];
  }
}

function isMeant({ length }: string): boolean {
  return length >= MIN_CHARS && length <= MAX_CHARS;
}

/** Part of a longer text holds all of it in memory, with what is private in the rest. */
function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** By its length and five of its characters: texts that have one place cost each other time, and nothing else. */
function placeOf(text: string): number {
  const { length } = text;
  let place = length ^ text.charCodeAt(length - 1);
  for (let i = 0; i < 4; i++) place = Math.imul(place, 0x9e37_79b1) ^ text.charCodeAt((length * i) >> 2);
  return Math.imul(place, 0x9e37_79b1) >>> (32 - PLACE_BITS);
}
