import { Canaries } from './canaries.ts';

/** What programs name: agents, models, tools, and ids. Who may see structure sees these. */
const NAMES =
  /component|agent|model|newModel|tool\.name|service\.name|taskI[dD]|requestId|eventI[dD]|call\.id|conversation\.id|depends_on/;

/**
 * A word of its own for every place that holds text, such as no rule of redaction hides; and plain names for names. Whoever finds
 * a word, or half of it, in whatever encoding, knows which text came out.
 */
export class WordsOfTexts extends Canaries {
  private readonly words = new Map<string, string>();
  private names = 0;

  override at(place: string): string {
    if (NAMES.test(place.slice(place.indexOf(':')))) return `name-${this.names++}`;
    return `see ${this.wordFor(place)} here`;
  }

  override cutAt(place: string): readonly string[] {
    const word = this.wordFor(place);
    return [`see ${word.slice(0, 5)}`, `${word.slice(5)} h`, 'ere', ' and', ' so', ' on'];
  }

  get count(): number {
    return this.words.size;
  }

  /** The places whose word is in the text: whole, a half of it, in base64, hex or backwards. */
  placesIn(text: string): readonly string[] {
    const small = text.toLowerCase();
    return [...this.words].flatMap(([word, place]) =>
      formsOf(word).some((form) => text.includes(form) || small.includes(form)) ? [place] : [],
    );
  }

  private wordFor(place: string): string {
    const id = String(this.words.size).padStart(4, '0');
    // No letter of hex, so that it is in no id.
    const word = `zq${id}walrus${id}qz`;
    this.words.set(word, place);
    return word;
  }
}

function formsOf(word: string): readonly string[] {
  const inBase64 = [0, 1, 2].map((before) =>
    Buffer.from(' '.repeat(before) + word)
      .toString('base64')
      .slice(before === 0 ? 0 : 4, -4),
  );
  const half = word.length / 2;
  const halves = [word.slice(0, half), word.slice(half)];
  const backwards = word.split('').reverse().join('');
  return [...halves, backwards, Buffer.from(word).toString('hex'), ...inBase64];
}
