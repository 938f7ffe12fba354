/** What no output may hold: the part of every canary that a redaction rule has to take out. */
const SECRET = /cnry(\d{4})([ekp])/gi;

/**
 * Makes values that the redaction rules must catch, another one for each place, and looks for them: whoever
 * finds one knows where it had been planted.
 */
export class Canaries {
  private readonly places: string[] = [];

  /** An e-mail address, an API key and a password, in the middle of a sentence. */
  at(place: string): string {
    const id = this.idOf(place);
    return `see ${email(id)} with ${apiKey(id)} and password=cnry${id}pHunter2x9 here`;
  }

  /** The same for text that arrives in pieces: each of the three is cut in the middle. */
  cutAt(place: string): readonly string[] {
    const id = this.idOf(place);
    const key = apiKey(id);
    return [
      `see cnry${id}`,
      `e@canary-`,
      `mail.net with ${key.slice(0, 20)}`,
      `${key.slice(20)} and pass`,
      `word=cnry${id}p`,
      `Hunter2x9 here`,
    ];
  }

  /** Which canaries are in the text: kind and place of each, once. */
  foundIn(text: string): readonly string[] {
    const kinds: Record<string, string> = { e: 'e-mail', k: 'key', p: 'password' };
    const found = [...text.matchAll(SECRET)].map(
      ([, id, kind = '']) => `${kinds[kind.toLowerCase()]} of ${this.places[Number(id)] ?? 'nowhere'}`,
    );
    return [...new Set(found)];
  }

  private idOf(place: string): string {
    this.places.push(place);
    return String(this.places.length - 1).padStart(4, '0');
  }
}

function email(id: string): string {
  return `cnry${id}e@canary-mail.net`;
}

function apiKey(id: string): string {
  return `sk-proj-cnry${id}kQ7xN2mV9bL4tR8wJ5hF3dG6sK1pZ0yC7uA2`;
}
